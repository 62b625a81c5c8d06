/// Drains one node, pass by pass.
///
/// Each pass evicts the pods that are due and that their budgets allow, and checks whether the
/// drain can still succeed. The answers to earlier evictions are in NodeRemoval::evictions.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include <capstan/time.hpp>

#include "engine/actions.hpp"
#include "engine/pass_view.hpp"
#include "engine/pods/disruption_budgets.hpp"
#include "engine/snapshot/pod_spec.hpp"

namespace capstan::engine::removal {

// In which order the pods of a node are evicted, and how long each gets to terminate.

/// The index of the pod's entry in ScaleDownSettings::drain_priorities: the last entry with a
/// priority of at most the pod's; the first entry if there is none.
std::size_t turn_of(const snapshot::PodSpec& spec, const ScaleDownSettings& settings) noexcept;
/// The pod's own grace period, or the settings' if that is shorter.
Duration grace_of(const snapshot::PodSpec& spec, const ScaleDownSettings& settings) noexcept;
/// The settings' grace period if it is shorter than the pod's own; absent: it is not.
std::optional<Duration> find_shorter_grace(const snapshot::PodSpec& spec,
                                           const ScaleDownSettings& settings) noexcept;

/// How long an evicted pod gets before its machine leaves.
struct EvictionGrace {
    std::optional<Duration> shorter{};  ///< absent: the pod's own grace period
    bool is_too_late = false;           ///< the pod would have too little time to end
};
/// The grace of a pod that has to be gone ten seconds before its machine leaves at `leaves`.
EvictionGrace grace_until(const snapshot::PodSpec& spec, const ScaleDownSettings& settings,
                          Time leaves, Time now) noexcept;
/// The last moment at which the pod may be evicted such that, even if the first attempt is refused,
/// the second still leaves it its whole grace period (grace_of).
Time last_eviction(const snapshot::PodSpec& spec, const ScaleDownSettings& settings,
                   Time leaves) noexcept;

/// The eviction of the pod from its node.
Eviction make_eviction(const snapshot::Cluster& cluster, PodIndex pod,
                       std::optional<Duration> grace, std::string because);

struct DrainStep {
    std::vector<Eviction> evictions{};  ///< by namespace and name
    bool is_done = false;               ///< all pods that the drain waits for are gone
    std::string failed_because{};       ///< why the drain cannot go on; empty: it can
    bool has_stuck_pods = false;        ///< it failed: pods could not be evicted or did not end
    std::optional<Time> wake_at{};
};

/// The next step of a node in phase `draining`. `leaves`: when the node's machine leaves; absent:
/// it does not. Records refusals by budgets in `removal`, which is part of the memory of `view`,
/// forgets pods that are gone, and takes its evictions off `budgets`.
DrainStep step_drain(const PassView& view, NodeIndex node, std::optional<Time> leaves,
                     NodeRemoval& removal, pods::DisruptionBudgets& budgets);

}  // namespace capstan::engine::removal
