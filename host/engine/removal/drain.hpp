/// Emptying one node, pass by pass.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "engine/actions.hpp"
#include "engine/memory.hpp"
#include "engine/pass_time.hpp"
#include "engine/pods/disruption_budgets.hpp"
#include "engine/settings.hpp"
#include "engine/snapshot.hpp"

namespace capstan::engine::removal {

struct DrainStep {
    std::vector<Eviction> evictions{};  ///< by namespace and name
    bool is_done = false;               ///< nothing more is to go or to be waited for
    std::string failed_because{};       ///< why it cannot go on; empty: it can
    bool has_stuck_pods = false;        ///< it failed by pods that do not go though they were asked
    std::optional<Time> wake_at{};
};

/// One node in phase `draining`; `group`: its own, may be NULL. Notes refusals by budgets in
/// `removal`, forgets pods that are gone, and takes from `budgets` what it evicts.
DrainStep step_drain(const Snapshot& snapshot, snapshot::NodeIndex node, const Group* group,
                     NodeRemoval& removal, pods::DisruptionBudgets& budgets,
                     const Settings& settings, const PassTime& time);

}  // namespace capstan::engine::removal
