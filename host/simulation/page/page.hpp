/// A run on one page that needs nothing else: no network, no script, no other file.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "simulation/page/history.hpp"
#include "simulation/page/markup.hpp"
#include "simulation/report.hpp"

namespace capstan::simulation::page {

/// HTML that is well-formed XML: verdict and figures, a strip for the pods that wait and one for
/// each group, decisions with their reasons. Of many groups, those that stayed empty are only
/// named; of long stories, only decisions are told, and of those the first 2000. Equal arguments,
/// equal bytes. However long a run was, a group takes a hundred kilobytes at most, of many less
/// than half.
std::string make_page(const Report& report, const std::string& source, const History& history);

// What of a page is no strip.

/// Shapes and patterns that strips, legend and table point to; shows nothing itself.
void draw_shared_shapes(Markup& out);
/// How many expectations were met, and which were not; nothing where there were none.
void write_verdict(Markup& out, const Report& report);
void write_figures(Markup& out, const Summary& summary);
/// Nothing where no pod waits.
void write_still_pending(Markup& out, const std::vector<StillPending>& lines);
void write_legend(Markup& out);
/// When, what, because; the rows are named e1, e2, ...
void write_events(Markup& out, std::span<const Event* const> events);

}  // namespace capstan::simulation::page
