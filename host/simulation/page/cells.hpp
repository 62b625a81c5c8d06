/// What a strip says below the pointer.
#pragma once

#include <string>
#include <vector>

#include "simulation/page/frame.hpp"
#include "simulation/page/history.hpp"
#include "simulation/page/markup.hpp"

namespace capstan::simulation::page {

struct Cell {
    Duration from{0}, to{0};
    std::string text{};
};

/// More of them are too narrow to point at.
inline constexpr int cells_max = 150;

/// At most one more than `most`, side by side from the first level to `span`, each wide enough to
/// point at, so that a cell may hold several levels: "target 2 to 5". A back-off begins and ends
/// with a cell where it can, and each cell that it reaches into gives its reason.
std::vector<Cell> cells_of(const GroupHistory& group, Duration span, int most = cells_max);
std::vector<Cell> cells_of(const std::vector<Since<int>>& pending, Duration span,
                           int most = cells_max);

void draw_cells(Markup& out, const std::vector<Cell>& cells, const Frame& frame);

}  // namespace capstan::simulation::page
