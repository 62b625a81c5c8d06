/// What of a page is no strip.
#pragma once

#include <span>
#include <vector>

#include "simulation/page/markup.hpp"
#include "simulation/report.hpp"

namespace capstan::simulation::page {

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
