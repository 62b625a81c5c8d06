/// Where the marks of an axis stand, and what they say.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include <capstan/time.hpp>

#include "simulation/page/history.hpp"
#include "simulation/page/marks.hpp"
#include "simulation/page/markup.hpp"
#include "simulation/page/style.hpp"

namespace capstan::simulation::page {

// What a strip says below the pointer.

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

struct TimeTick {
    Duration at{0};
    std::string text{};
    bool operator==(const TimeTick&) const = default;
};
/// From zero up to `span`, at most `most` (at least 2) of them, in steps that a clock has.
///     25m, 6  ->  0s, 5m, 10m, 15m, 20m, 25m
std::vector<TimeTick> time_ticks(Duration span, int most);

/// From zero to the first that is not below `largest`, in steps of 1, 2 or 5 times a power of ten;
/// about `most` (at least 1) steps.
///     7, 3  ->  0, 5, 10
std::vector<std::int64_t> count_ticks(int largest, int most);

// Lines that stay level until they step.

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

// One strip of a page over time: a group, or the pods that wait.

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

}  // namespace capstan::simulation::page
