/// What a strip says where somebody points at it.
#pragma once

#include <string>
#include <vector>

#include "simulation/page/frame.hpp"
#include "simulation/page/history.hpp"
#include "simulation/page/markup.hpp"

namespace capstan::simulation {

struct Cell {
    Duration from{0}, to{0};
    std::string text{};
};

/// Side by side from the first level to `span`, each wide enough to point at, so that a cell may
/// hold several levels: "target 2 to 5".
std::vector<Cell> cells_of(const std::vector<Since<GroupLevel>>& levels, Duration span);
std::vector<Cell> cells_of(const std::vector<Since<int>>& pending, Duration span);

void draw_cells(Markup& out, const std::vector<Cell>& cells, const Frame& frame);

}  // namespace capstan::simulation
