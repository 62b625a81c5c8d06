/// Compares what a step expected with what happened.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "simulator/decision_events.hpp"
#include "simulator/input.hpp"

namespace capstan::simulator {

/// A command that was given, and how long after the beginning of the step.
struct SeenCommand {
    std::string text{};
    Duration at{0};
};

/// The commands of a step, and the state at its end.
struct Seen {
    std::vector<SeenCommand> commands{};
    int pending = 0;
    Duration longest_pending{0};
    std::map<std::string, int> nodes{}, targets{};  ///< by group; a group that is absent has none
    std::vector<std::string> backed_off{};
    std::vector<UnschedulablePods> unschedulable{};
    std::map<std::string, std::vector<std::string>> taints{};  ///< taint keys of all nodes, by node
};

/// A text of one or more lines for each expectation that does not hold:
///     commands differ (- expected, + given):
///       - increase web by 2
///       + increase web by 3
///         increase spot by 1
std::vector<std::string> find_unmet(const Expectations& expected, const Seen& seen);
/// How many expectations there are.
std::int64_t count_of(const Expectations& expected);

}  // namespace capstan::simulator
