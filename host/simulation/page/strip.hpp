/// One strip of a page over time: a group, or the pods that wait.
#pragma once

#include <string>
#include <vector>

#include "simulation/page/history.hpp"
#include "simulation/page/marks.hpp"

namespace capstan::simulation {

/// What all strips of a page have in common.
struct Strips {
    Duration span{0};  ///< more than zero
    int columns = 1;   ///< nothing finer than this is drawn
};

/// An SVG drawing: nodes ready, upcoming on top of them, the target, the maximum where it is near,
/// back-offs as bands, marks below, time at the bottom.
std::string draw_group(const std::string& id, const GroupHistory& group,
                       const std::vector<Mark>& marks, const Strips& strips);
/// The same with pods that wait as an area.
std::string draw_pending(const std::vector<Since<int>>& pending, const std::vector<Mark>& marks,
                         const Strips& strips);

}  // namespace capstan::simulation
