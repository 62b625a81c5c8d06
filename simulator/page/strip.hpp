/// A strip: a drawing of one group, or of the pending pods, over the time of a run.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include <capstan/time.hpp>

#include "simulator/page/history.hpp"
#include "simulator/page/marks.hpp"
#include "simulator/page/markup.hpp"
#include "simulator/page/style.hpp"

namespace capstan::simulator::page {

// Cells: the invisible areas of a strip that show a text when the pointer is over them.

struct Cell {
    Duration from{0}, to{0};
    std::string text{};
};

/// More cells than this would be too narrow to point at.
inline constexpr int cells_max = 150;

/// At most `most` + 1 cells, side by side from the first level to `span`. Each is wide enough to
/// point at, so a cell may cover several levels: "target 2 to 5". Cells begin and end with
/// back-offs if they are wide enough for that, and a cell gives the reason of each back-off that it
/// overlaps. `start`: of a real cluster; texts then have times of day, too.
std::vector<Cell> cells_of(const GroupHistory& group, Duration span, int most = cells_max,
                           const std::optional<Time>& start = {});
std::vector<Cell> cells_of(const std::vector<Since<int>>& pending, Duration span,
                           int most = cells_max, const std::optional<Time>& start = {});

void draw_cells(Markup& out, const std::vector<Cell>& cells, const Frame& frame);

// Ticks of the two axes.

struct TimeTick {
    Duration at{0};
    std::string text{};
    bool operator==(const TimeTick&) const = default;
};
/// At most `most` (at least 2) ticks from zero up to `span`, at round times of a clock.
///     25m, 6  ->  0s, 5m, 10m, 15m, 20m, 25m
/// With the `start` of a real cluster: at round times of day (UTC). A tick at midnight is a date.
///     25m, 6, 23:50:00  ->  23:50, 23:55, 11-28, 00:05, 00:10, 00:15
std::vector<TimeTick> time_ticks(Duration span, int most, const std::optional<Time>& start = {});

/// Ticks from zero to the first one that is not below `largest`, in steps of 1, 2 or 5 times a
/// power of ten; at most `most` (at least 1) steps.
///     7, 3  ->  0, 5, 10
std::vector<std::int64_t> count_ticks(int largest, int most);

// Step lines: a value holds until the next point.

struct Point {
    Duration at{0};
    std::int64_t value = 0;
};

/// The SVG path of a step line from the first point to the right end of the frame; empty without
/// points. Of the points in one column only the lowest, the highest and the last are drawn, which
/// bounds the path's length and loses no extreme.
std::string line_path(const std::vector<Point>& points, const Frame& frame);
/// The path of the area between the step line and zero.
std::string area_path(const std::vector<Point>& points, const Frame& frame);

// Whole strips.

/// What all strips of a page have in common.
struct Strips {
    Duration span{0};             ///< the time they show; more than zero
    int columns = 1;              ///< changes within one column are drawn as one
    std::optional<Time> start{};  ///< of a real cluster; absent: times of day mean nothing
};

/// An SVG drawing of a group: ready nodes, upcoming nodes on top of them, the target, the maximum
/// if it is near, back-offs as bands, marks below, time at the bottom.
std::string draw_group(const std::string& id, const GroupHistory& group,
                       const std::vector<Mark>& marks, const Strips& strips);
/// An SVG drawing of the pending pods as an area, with marks and time like a group's.
std::string draw_pending(const std::vector<Since<int>>& pending, const std::vector<Mark>& marks,
                         const Strips& strips);

}  // namespace capstan::simulator::page
