/// The output of `capstan simulate`, as text and as JSON.
#pragma once

#include <ostream>
#include <string>

#include <boost/json/object.hpp>

#include "simulation/input.hpp"
#include "simulation/report.hpp"

namespace capstan::commands {

/// Which events the text shows. JSON has all of them.
enum class Detail {
    everything,
    decisions,  ///< what was decided, refused or not placed; for inputs with many pods and actions
};
Detail detail_for(const simulation::Input& input);
bool is_shown(const simulation::Event& event, Detail detail);

void print_title(std::ostream& out, const simulation::Input& input);
/// Prints one line, and the reason on the lines below.
void print_event(std::ostream& out, const simulation::Event& event);
void print_summary(std::ostream& out, const simulation::Report& report);

boost::json::object report_json(const simulation::Report& report);

}  // namespace capstan::commands
