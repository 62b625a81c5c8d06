/// Decisions, and what became of them, as marks on a strip and rows of a table.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "simulation/page/history.hpp"
#include "simulation/page/markup.hpp"
#include "simulation/page/style.hpp"
#include "simulation/report.hpp"

namespace capstan::simulation::page {

/// How a mark of that kind looks.
struct MarkLook {
    EventKind kind{};
    std::string_view label{};  ///< for the legend
    std::string_view shape{};  ///< SVG around (0, 0), ten units wide
};
/// In the order of the legend.
std::vector<MarkLook> mark_looks();

struct Mark {
    Duration at{0};
    EventKind kind{};
    std::string text{};  ///< on hover, in lines
    std::string row{};   ///< the table's row; empty: it has none
};

struct MarkedEvents {
    std::map<std::string, std::vector<Mark>> of_group{};
    std::vector<Mark> of_all{};  ///< of no group there is
};
/// `rows`: so many of the events `shown` have a row in the table, from the first.
MarkedEvents mark_events(const std::vector<const Event*>& shown, std::size_t rows,
                         const History& history);

/// Whether the event is a decision or what became of one.
bool is_decision(const Event& event);

/// Marks below a strip, from `y` down; those too close to tell apart are one. Each kind
/// there is has a lane of its own, one below the other, so that none hides another.
void draw_marks(Markup& out, const std::vector<Mark>& marks, const Frame& frame, double y);
/// How high they are together.
double height_of(const std::vector<Mark>& marks);

}  // namespace capstan::simulation::page
