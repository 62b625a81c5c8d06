/// A run on one page that needs nothing else: no network, no script, no other file.
#pragma once

#include <string>

#include "simulation/page/history.hpp"
#include "simulation/report.hpp"

namespace capstan::simulation::page {

/// HTML that is well-formed XML: verdict and figures, a strip for the pods that wait and one for
/// each group, decisions with their reasons. Of many groups, those that stayed empty are only
/// named; of long stories, only decisions are told, and of those the first 2000. Equal arguments,
/// equal bytes. However long a run was, a group takes a hundred kilobytes at most, of many less
/// than half.
std::string make_page(const Report& report, const std::string& source, const History& history);

}  // namespace capstan::simulation::page
