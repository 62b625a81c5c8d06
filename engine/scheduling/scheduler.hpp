/// A simplified kube-scheduler: which node each pending pod gets.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <vector>

#include "engine/scheduling/placement.hpp"
#include "engine/scheduling/scheduler_score.hpp"
#include "engine/snapshot/cluster.hpp"

namespace capstan::engine::scheduling {

// The ranking of nodes for one pod equivalence group.

/// The zone of each node as a small number. Nodes without a zone share a number of their own.
struct Zones {
    explicit Zones(const snapshot::Cluster& cluster);
    std::vector<std::uint32_t> of_node;
    std::uint32_t count = 0;
};

/// The nodes as candidates for the pods of one pod equivalence group, best score first. The order
/// is kept up to date node by node, so that placing another pod of the group costs little. Borrows
/// the placement and the zones.
class NodeRanking {
public:
    NodeRanking(const Placement& placement, PodGroupIndex pod_group, const Zones& zones,
                SchedulerScore preferred);

    /// Counts a pod of the group in the node's zone: one that was there already, or one just
    /// placed.
    void count_pod(NodeIndex node);
    /// Recomputes the node's score, after a pod of any group was placed there.
    void refresh(NodeIndex node);
    /// The best node that has room for one more pod of the group; absent: there is none.
    std::optional<NodeIndex> find_best();

private:
    /// Ordered with the best first.
    struct Candidate {
        std::int64_t score = 0;
        NodeIndex node = 0;
        bool operator<(const Candidate& other) const noexcept {
            return score != other.score ? score > other.score : node < other.node;
        }
    };
    using Order = std::set<Candidate>;

    void find_unwanted();
    std::optional<std::int64_t> score(NodeIndex node) const;
    std::int64_t preference(NodeIndex node, std::int64_t free_share) const;
    std::int64_t zone_score(std::uint32_t zone) const;
    bool takes_one(NodeIndex node) const;

    const Placement& placement_;
    PodGroupIndex pod_group_;
    const Zones& zones_;
    const SchedulerScore preferred_;
    /// True: the pod group has no inter-pod constraints, so a node that is full for it stays full.
    bool is_lasting_;
    /// By node: taints with the effect PreferNoSchedule that the pods do not tolerate; empty: no
    /// node has one.
    std::vector<std::int64_t> unwanted_;
    std::int64_t most_unwanted_ = 0;
    std::vector<Order> by_zone_;
    std::vector<std::optional<std::int64_t>> score_of_;  ///< by node; absent: not in `by_zone_`
    std::vector<std::int64_t> pods_in_;                  ///< pods of the group, by zone
};

/// The node of each pod; absent: the pod fits no node. `pods`: the equivalence group of each pod.
/// The pods get their nodes one after the other, in the order given. Pods that fit no node are
/// tried again as long as others get one. The engine's predicates say where a pod may run. Among
/// those nodes the highest score wins, then the first by name:
///     the share of cpu and memory that stays free, mean of both, 0 to 100; with another
///     SchedulerScore the share that does not stay free, or a random number
///     + 2 x (how far its zone is behind the zone with most pods of the group, 0 to 100)
///     - 3 x (its taints with the effect PreferNoSchedule that the pod does not tolerate, as a
///            share of those of the node that has most, 0 to 100)
/// Preferred affinity, images and preemption have no part in it. The weights are kube-scheduler's.
std::vector<std::optional<NodeIndex>> find_nodes(
    const snapshot::Cluster& cluster, std::span<const PodGroupId> pods,
    SchedulerScore preferred = SchedulerScore::least_allocated);

}  // namespace capstan::engine::scheduling
