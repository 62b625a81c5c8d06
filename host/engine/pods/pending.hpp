/// Pods that may need a new node.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "engine/decision.hpp"
#include "engine/pass_time.hpp"
#include "engine/pods/nominated.hpp"
#include "engine/settings.hpp"
#include "engine/snapshot/cluster.hpp"

namespace capstan::engine::pods {

/// Pending pods by class, in the order in which they are to be placed: higher priority first, then
/// by namespace and name of their first pod.
struct PendingPods {
    std::vector<PodCount> classes{};
    std::vector<SkippedPods> skipped{};  ///< by reason, each reason once
    std::vector<std::string> notes{};    ///< annotations that were ignored, each once, in order
    /// When a pod that is too young now will count, or one that insists on its spread over zones
    /// will not any more; nothing: there is neither.
    std::optional<Time> wake_at{};
    std::uint32_t untried = 0;   ///< that count before their scheduler has tried them
    std::uint32_t left_out = 0;  ///< of more than Settings::max_pods_considered
};

/// Those that their scheduler found no room for; of bypassed schedulers also those that it has not
/// tried. Expendable pods and those of DaemonSets never count. A pod counts once it is older than
/// the delay of new pods, or than its own if that is longer; a delay of zero keeps none back. A
/// nomination to a node that is not there is void. Of more than Settings::max_pods_considered only
/// the oldest count, of equal age those first by namespace and name.
/// Pods whose spread over zones has timed out count under PodGroupRow::lapsed.
/// `displaced`: bound pods that will want another place; they count as if they had none, and under
/// their own pod group: the pod that replaces one is new, and its age begins anew.
PendingPods find_pending(const snapshot::Cluster& cluster, const Settings& settings,
                         const PassTime& time, std::span<const snapshot::PodIndex> evicted = {});

}  // namespace capstan::engine::pods
