/// The output of `capstan simulate`, as text and as JSON.
#pragma once

#include <optional>
#include <ostream>
#include <string>

#include <boost/json/object.hpp>

#include <capstan/time.hpp>

#include "simulator/input.hpp"
#include "simulator/report.hpp"

namespace capstan::simulator::program {

/// Which events the text shows. JSON has all of them.
enum class Detail {
    everything,
    decisions,  ///< what was decided, refused or not placed; for inputs with many pods and actions
};
Detail detail_for(const simulator::Input& input);
bool is_shown(const simulator::Event& event, Detail detail);

/// Prints the title, and of a dump its time and the limit of the run. `until`: the limit of the
/// command line, if there is one.
void print_title(std::ostream& out, const simulator::Input& input,
                 const std::optional<Duration>& until = {});
/// Prints one line, and the reason on the lines below. The line has the time of day if `start` is
/// the time of a real cluster.
void print_event(std::ostream& out, const simulator::Event& event,
                 const std::optional<Time>& start = {});
void print_summary(std::ostream& out, const simulator::Report& report);

boost::json::object report_json(const simulator::Report& report);

}  // namespace capstan::simulator::program
