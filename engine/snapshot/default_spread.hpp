/// Default topology spread constraints: those that kube-scheduler applies to pods without any
/// constraints of their own (`defaultConstraints` of its plugin PodTopologySpread). Only
/// constraints with DoNotSchedule are here, since the others keep no pod off a node.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

#include <capstan/labels.hpp>

#include "engine/snapshot/cluster.hpp"

namespace capstan::engine::snapshot {

/// A default constraint with DoNotSchedule.
struct DefaultSpread {
    std::string topology_key{};
    int max_skew = 1;
    bool operator==(const DefaultSpread&) const = default;
};

/// Finds the pods that a default constraint counts. Borrows the cluster. [any thread]
class DefaultSelectors {
public:
    explicit DefaultSelectors(const Cluster& cluster);

    /// The selectors of all Services that select the pods, and of the ReplicaSet, StatefulSet or
    /// ReplicationController that owns the pods, all combined. Empty: there is no such selector,
    /// and default constraints do not apply to these pods.
    LabelSelector of(const PodGroupRow& pods) const;

private:
    void add_services(const PodGroupRow& pods, Labels& to) const;
    bool selects(const ServiceObject& service, const PodGroupRow& pods) const;

    const Cluster* cluster_;
    // Services by hash of their namespace and of the label of their selector that the fewest
    // Services use. Only for look-ups; their order decides nothing.
    std::unordered_map<std::uint64_t, std::vector<const ServiceObject*>> services_;
};

/// A cluster in which the default constraints hold for every equivalence group without topology
/// spread constraints of its own (PodSpec::has_soft_spread counts as having some). Only
/// Cluster::spread differs. Looks at every equivalence group once. Without `defaults` the result is
/// the same cluster.
Cluster with_default_spread(const Cluster& cluster, std::span<const DefaultSpread> defaults);

}  // namespace capstan::engine::snapshot
