/// A simulation as people and programs read it.
#pragma once

#include <ostream>
#include <string>

#include <boost/json/object.hpp>

#include "simulation/input.hpp"
#include "simulation/report.hpp"

namespace capstan::commands {

/// How much of the story is told as text. JSON has all of it.
enum class Detail {
    everything,
    decisions,  ///< what was decided, refused or not placed: a trace has too many pods to name
};
Detail detail_for(const simulation::Input& input);
bool is_shown(const simulation::Event& event, Detail detail);

void print_title(std::ostream& out, const simulation::Input& input);
/// One line, with its reason on lines below.
void print_event(std::ostream& out, const simulation::Event& event);
void print_summary(std::ostream& out, const simulation::Report& report);

boost::json::object report_json(const simulation::Report& report);

}  // namespace capstan::commands
