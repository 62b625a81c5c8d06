/// Emptying one node, pass by pass.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include <capstan/time.hpp>

#include "engine/actions.hpp"
#include "engine/memory.hpp"
#include "engine/pass_time.hpp"
#include "engine/pods/disruption_budgets.hpp"
#include "engine/settings.hpp"
#include "engine/snapshot.hpp"
#include "engine/snapshot/pod_spec.hpp"

namespace capstan::engine::removal {

// In which order the pods of a node are evicted, and how long each gets to end.

/// The place of its group among ScaleDownSettings::drain_priorities: the last that asks for no
/// higher priority than the pod has, the first if all do.
std::size_t turn_of(const snapshot::PodSpec& spec, const ScaleDownSettings& settings) noexcept;
/// The shorter of what the pod asks for and what it is granted.
Duration grace_of(const snapshot::PodSpec& spec, const ScaleDownSettings& settings) noexcept;
/// What it is granted, where that is less than it asks for.
std::optional<Duration> find_shorter_grace(const snapshot::PodSpec& spec,
                                           const ScaleDownSettings& settings) noexcept;

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
