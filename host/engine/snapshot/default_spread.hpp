/// The topology spread constraints that kube-scheduler gives to pods that have none of their own,
/// as far as they keep pods off nodes: the `defaultConstraints` of its plugin PodTopologySpread.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

#include <capstan/labels.hpp>

#include "engine/snapshot/cluster.hpp"

namespace capstan::engine::snapshot {

/// One with DoNotSchedule.
struct DefaultSpread {
    std::string topology_key{};
    int max_skew = 1;
    bool operator==(const DefaultSpread&) const = default;
};

/// Finds the pods that a default constraint counts. Borrows the cluster. [any thread]
class DefaultSelectors {
public:
    explicit DefaultSelectors(const Cluster& cluster);

    /// Everything by which the Services that select pods of the class, and the ReplicaSet,
    /// StatefulSet or ReplicationController that owns them, select their pods. Empty: nothing
    /// selects them, and default constraints do not count for them.
    LabelSelector of(const PodGroupRow& pods) const;

private:
    void add_services(const PodGroupRow& pods, Labels& to) const;
    bool selects(const ServiceObject& service, const PodGroupRow& pods) const;

    const Cluster* cluster_;
    // By hash of namespace, key and value of the rarest label that its pods have to have. Looked up
    // only; their order decides nothing.
    std::unordered_map<std::uint64_t, std::vector<const ServiceObject*>> services_;
};

/// The cluster in which these hold for every class of pods that has no constraints, also none that
/// are not kept: Cluster::spread tells them, and nothing else differs. Looks at every class once.
/// The same cluster if there are none.
Cluster with_default_spread(const Cluster& cluster, std::span<const DefaultSpread> defaults);

}  // namespace capstan::engine::snapshot
