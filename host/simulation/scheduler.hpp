/// Which node each waiting pod gets: kube-scheduler in short.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <vector>

#include "engine/scheduling/placement.hpp"
#include "engine/snapshot/cluster.hpp"

namespace capstan::simulation {

// The nodes in the order in which one class of pods wants them.

/// The zone of each node as a small number, the same for nodes of the same zone; nodes of no zone
/// are in one of their own.
struct Zones {
    explicit Zones(const engine::snapshot::Cluster& cluster);
    std::vector<std::uint32_t> of_node;
    std::uint32_t count = 0;
};

/// Kept up to date node by node, so that pods after the first cost little. Borrows what it is
/// given.
class NodeRanking {
public:
    NodeRanking(const engine::scheduling::Placement& placement,
                engine::scheduling::PodGroupIndex pod_group, const Zones& zones);

    /// A pod of the class is there already, or was put there.
    void count_pod(engine::snapshot::NodeIndex node);
    /// Something was placed on the node.
    void refresh(engine::snapshot::NodeIndex node);
    /// The best node that takes one more.
    std::optional<engine::snapshot::NodeIndex> find_best();

private:
    /// Best first.
    struct Candidate {
        std::int64_t score = 0;
        engine::snapshot::NodeIndex node = 0;
        bool operator<(const Candidate& other) const noexcept {
            return score != other.score ? score > other.score : node < other.node;
        }
    };
    using Order = std::set<Candidate>;

    std::optional<std::int64_t> score(engine::snapshot::NodeIndex node) const;
    std::int64_t zone_score(std::uint32_t zone) const;
    bool takes_one(engine::snapshot::NodeIndex node) const;

    const engine::scheduling::Placement& placement_;
    engine::scheduling::PodGroupIndex pod_group_;
    const Zones& zones_;
    /// A node that is full for a pod group without inter-pod constraints stays so.
    bool is_lasting_;
    std::vector<Order> by_zone_;
    std::vector<std::optional<std::int64_t>> score_of_;  ///< by node; nothing: not in the order
    std::vector<std::int64_t> pods_in_;                  ///< by zone
};

/// The node of each pod, one after the other in the order given; nothing: it fits on none. The
/// engine's predicates say where a pod may run. Among those nodes the highest score wins, then the
/// first by name:
///     the share of cpu and memory that stays free, mean of both, 0 to 100
///     + 2 x (how far its zone is behind the zone with most pods of the class, 0 to 100)
/// Preferred affinity, preferred taints, images and preemption have no part in it.
std::vector<std::optional<engine::snapshot::NodeIndex>> find_nodes(
    const engine::snapshot::Cluster& cluster, std::span<const engine::snapshot::PodGroupId> pods);

}  // namespace capstan::simulation
