/// A run as one HTML page that needs no network, no script and no other file.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "simulator/page/history.hpp"
#include "simulator/page/markup.hpp"
#include "simulator/report.hpp"

namespace capstan::simulator::page {

/// HTML that is well-formed XML: verdict and figures, a strip for the pending pods and one for each
/// group, a table of events with their reasons. If there are more than 8 groups, those that stayed
/// empty are named but have no strip. If there are more than 400 events, the table has only
/// decisions and back-offs, and of these the first 2000. A group takes at most a hundred kilobytes,
/// however long the run was, and less than half of that if there are many groups. Equal arguments
/// give equal bytes.
std::string make_page(const Report& report, const std::string& source, const History& history);

// The parts of a page around its strips.

/// Defines the shapes and patterns that strips, legend and table refer to; draws nothing visible.
void draw_shared_shapes(Markup& out);
/// How many expectations were met, and which were not. Writes nothing if there were none.
void write_verdict(Markup& out, const Report& report);
void write_figures(Markup& out, const Report& report);
/// A table of the pods that are pending at the end. Writes nothing if there are none.
void write_still_pending(Markup& out, const std::vector<StillPending>& lines);
void write_legend(Markup& out);
/// A table of time, event and reason; the ids of its rows are e1, e2, ... It has the time of day if
/// `start` is the time of a real cluster.
void write_events(Markup& out, std::span<const Event* const> events,
                  const std::optional<Time>& start = {});

}  // namespace capstan::simulator::page
