/// Lines that stay level until they step.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include <capstan/time.hpp>

#include "simulation/page/frame.hpp"

namespace capstan::simulation {

struct Point {
    Duration at{0};
    std::int64_t value = 0;
};

/// The path of a line from the first point to the end of the frame; empty without points. Of the
/// points that share a column only the lowest, the highest and the last are drawn, so that a path
/// is never long and no extreme is lost.
std::string line_path(const std::vector<Point>& points, const Frame& frame);
/// The same closed along zero.
std::string area_path(const std::vector<Point>& points, const Frame& frame);

}  // namespace capstan::simulation
