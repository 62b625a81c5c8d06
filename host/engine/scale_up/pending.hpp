/// Pods that may need a new node.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "engine/decision.hpp"
#include "engine/settings.hpp"
#include "engine/snapshot/cluster.hpp"

namespace capstan::engine {

/// Pending pods by class, in the order in which they are to be placed: higher priority first, then
/// by namespace and name of their first pod.
struct PendingPods {
    std::vector<PodCount> classes{};
    std::vector<SkippedPods> skipped{};  ///< by reason, each reason once
    /// When a pod that is too young now will count; nothing: none is.
    std::optional<Time> wake_at{};
};

PendingPods find_pending(const Cluster& cluster, const Settings& settings, Time now);

/// Pods bound to no node that are taken to be on one: nominated by a preemption. They fill
/// nominated nodes before anything else is placed.
struct Nomination {
    ClassId pod_class = 0;
    NodeIndex node = 0;
    bool operator==(const Nomination&) const = default;
};
/// By node, then class.
std::vector<Nomination> find_nominated(const Cluster& cluster, const Settings& settings);

}  // namespace capstan::engine
