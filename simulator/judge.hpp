/// Whether and by which bounds a scenario is judged: its table [judge].
#pragma once

#include <optional>
#include <set>
#include <string>

#include <capstan/time.hpp>

namespace capstan::simulator {

/// Absolute bounds. They never come from the configuration under test, since a wrong setting is
/// what the judge has to notice. A scenario that needs another bound says so.
struct Judge {
    /// After the start: from then on there are no faults and no external events. Absent: the
    /// scenario is judged only in chaos runs.
    std::optional<Duration> calm{};
    double evictions = 1;           ///< of a replica in two hours of calm, without a cause
    double evictions_in_storm = 4;  ///< of a replica in any two hours
    double orders = 1.2;            ///< machines ordered per machine that was needed
    double returns = 0.2;     ///< machines removed before they could be nodes, per machine ordered
    double node_hours = 1.5;  ///< per node hour that a first-fit with hindsight needs
    double price = 1.3;       ///< of an increase, per price of the cheapest that would do
    /// For how long the scenario means pods to wait before a machine is ordered for them.
    Duration new_pod_delay{0};
    std::set<std::string, std::less<>> off{};  ///< invariants that do not judge the scenario
};

}  // namespace capstan::simulator
