/// The output of `capstan simulate`, as text and as JSON.
#pragma once

#include <chrono>
#include <optional>
#include <ostream>
#include <string>

#include <boost/json/object.hpp>

#include <capstan/time.hpp>

#include "simulator/input.hpp"
#include "simulator/report.hpp"
#include "simulator/run.hpp"

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

/// The progress of a long run, on one terminal line that is redrawn.
class ProgressBar {
public:
    /// `is_watched`: `out` is a terminal; otherwise nothing is drawn.
    ProgressBar(std::ostream& out, bool is_watched) : out_(out), is_watched_(is_watched) {}

    /// Redraws at most ten times a second, and not in the first half second, since a run that short
    /// needs no bar.
    void show(const simulator::Progress& progress);
    /// Erases the line, so that something else can be printed.
    void clear();

private:
    using RealTime = std::chrono::steady_clock::time_point;

    std::ostream& out_;
    bool is_watched_;
    bool is_drawn_ = false;
    RealTime next_ = std::chrono::steady_clock::now() + std::chrono::milliseconds(500);
};

/// "[#####---------------]  25%  at 6h of 24h, 12 nodes, 3 pods pending"
std::string bar_of(const simulator::Progress& progress);

}  // namespace capstan::simulator::program
