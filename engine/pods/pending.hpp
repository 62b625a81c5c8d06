/// Pending pods: pods that may need a new node.
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

/// The pending pods of a cluster.
struct PendingPods {
    /// Pending pods by pod equivalence group, in the order in which they are to be placed: higher
    /// priority first, then by namespace and name of the first pod of each.
    std::vector<PodCount> pod_groups{};
    /// When the pods of a pod group were created. A pod that takes the place of an evicted one is
    /// created later than all that exist.
    struct Ages {
        Time oldest = Time::max(), newest = Time::min();
    };
    std::vector<Ages> ages{};            ///< as pod_groups
    std::vector<SkippedPods> skipped{};  ///< by reason, each reason once
    std::vector<std::string> notes{};    ///< annotations that were ignored, each once, in order
    /// When a pod that is too young now will count, or when the spread over zones of a pod times
    /// out; absent: there is no such pod.
    std::optional<Time> wake_at{};
    std::uint32_t untried = 0;   ///< pods that count although their scheduler has not tried them
    std::uint32_t left_out = 0;  ///< pods beyond Settings::max_pods_considered
};

/// An unbound pod is pending if its scheduler has marked it unschedulable, or has not tried it and
/// is one of the bypassed schedulers. Further rules:
///
/// - Expendable pods, DaemonSet pods, pods of a scheduler that is not allowed
///   (Settings::allowed_scheduler_names), and pods that are being deleted or gated never count.
/// - A pod counts once it is older than Settings::new_pod_delay, or than the delay of its own
///   annotation if that is longer. A delay of zero keeps no pod back.
/// - A pod that is nominated to a node does not count, unless that node does not exist.
/// - Beyond Settings::max_pods_considered only the oldest pods count; of equal age, those first by
///   namespace and name.
/// - Once its spread over zones has timed out, a pod counts under PodGroupRow::lapsed.
///
/// `evicted`: bound pods that will need another node. They count as if they were unbound, but never
/// under PodGroupRow::lapsed: the pod that replaces such a pod is new, so its spread has not timed
/// out.
PendingPods find_pending(const snapshot::Cluster& cluster, const Settings& settings,
                         const PassTime& time, std::span<const PodIndex> evicted = {});

/// Why the pod, which is unbound, does not count as pending; none: it counts.
Reason why_skipped(const snapshot::Cluster& cluster, const Settings& settings, const PassTime& time,
                   PodIndex pod);

}  // namespace capstan::engine::pods
