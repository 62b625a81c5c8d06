/// The events of a run as marks: small symbols below a strip, each linked to its row in the table.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "simulator/page/history.hpp"
#include "simulator/page/markup.hpp"
#include "simulator/page/style.hpp"
#include "simulator/report.hpp"

namespace capstan::simulator::page {

/// How marks of a kind of event look.
struct MarkLook {
    EventKind kind{};
    std::string_view label{};  ///< for the legend
    std::string_view shape{};  ///< SVG around (0, 0), ten units wide
};
/// One for each kind of event that has marks, in the order of the legend.
std::vector<MarkLook> mark_looks();

struct Mark {
    Duration at{0};
    EventKind kind{};
    std::string text{};  ///< shown on hover; several lines
    std::string row{};   ///< id of the event's row in the table; empty: it has none
};

struct MarkedEvents {
    std::map<std::string, std::vector<Mark>> of_group{};  ///< by group id
    std::vector<Mark> of_all{};                           ///< events that belong to no group
};
/// An event belongs to the group that is its subject, or to the group of the node that is its
/// subject.
/// `shown`: the events that the page shows. `rows`: how many of these, from the first, have a row
/// in the table. `start`: of a real cluster; texts then have times of day, too.
MarkedEvents mark_events(const std::vector<const Event*>& shown, std::size_t rows,
                         const History& history, const std::optional<Time>& start = {});

/// Whether events of this kind have marks: decisions, their failures, faults and the like.
bool is_decision(const Event& event);

/// Draws marks below a strip, from `y` downwards. Each kind has a lane of its own, so that no kind
/// hides another. Marks of one kind that are too close to tell apart become one mark with a count.
void draw_marks(Markup& out, const std::vector<Mark>& marks, const Frame& frame, double y);
/// The height of all lanes that these marks need.
double height_of(const std::vector<Mark>& marks);

}  // namespace capstan::simulator::page
