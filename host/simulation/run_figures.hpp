/// The figures of a run as people read them, on a terminal or on a page.
#pragma once

#include <string>
#include <vector>

#include <capstan/time.hpp>

#include "simulation/report.hpp"

namespace capstan::simulation {

/// A moment of virtual time: "1h30m", "149d3h", to the second.
std::string clock_text(Duration at);

struct Figure {
    std::string name{}, text{};
    bool operator==(const Figure&) const = default;
};
/// "pods": "12 arrived, 12 got a node, 0 ended", and so on.
std::vector<Figure> figures_of(const Summary& summary);

}  // namespace capstan::simulation
