/// A run on one page that needs nothing else: no network, no script, no other file.
#pragma once

#include <string>

#include "simulation/page/history.hpp"
#include "simulation/report.hpp"

namespace capstan::simulation {

/// HTML that is well-formed XML: verdict and figures, a strip for the pods that wait and one for
/// each group, all decisions with their reasons. Equal arguments, equal bytes; however long a run
/// was, and however many groups it had, a few megabytes at most.
std::string make_page(const Report& report, const std::string& source, const History& history);

}  // namespace capstan::simulation
