#include "simulation/scheduler.hpp"

#include <memory>
#include <unordered_map>

#include "engine/scheduling/placement.hpp"
#include "simulation/node_ranking.hpp"

namespace capstan::simulation {
namespace {

using engine::scheduling::PodGroupIndex;
using engine::snapshot::NodeIndex;
using engine::snapshot::PodGroupId;

class Scheduling {
public:
    Scheduling(const engine::snapshot::Cluster& cluster, std::span<const PodGroupId> pods)
        : rules_(cluster, classes_of(pods), {}), placement_(rules_), zones_(cluster) {
        for (PodGroupIndex s = 0; s < rules_.pod_groups().size(); ++s)
            subject_of_[rules_.pod_groups()[s]] = s;
        classes_.resize(rules_.pod_groups().size());
    }

    std::optional<NodeIndex> place(PodGroupId equivalence_group) {
        const PodGroupIndex pod_group = subject_of_.at(equivalence_group);
        Class& c = classes_[pod_group];
        if (c.refused_at &&
            (*c.refused_at == touched_.size() || !rules_.has_inter_pod_constraints(pod_group)))
            return std::nullopt;
        NodeRanking& ranking = ranking_of(pod_group);
        const std::optional<NodeIndex> node = ranking.find_best();
        if (!node) {
            c.refused_at = touched_.size();
            return std::nullopt;
        }
        placement_.place(pod_group, *node, 1);
        ranking.count_pod(*node);
        touched_.push_back(*node);
        return node;
    }

    std::size_t placed() const noexcept { return touched_.size(); }

private:
    struct Class {
        std::unique_ptr<NodeRanking> ranking{};
        std::size_t seen = 0;  ///< of touched_
        /// How much had been placed when a pod of the class last found no node.
        std::optional<std::size_t> refused_at{};
    };

    static std::vector<PodGroupId> classes_of(std::span<const PodGroupId> pods) {
        const std::set<PodGroupId> distinct(pods.begin(), pods.end());
        return {distinct.begin(), distinct.end()};
    }

    NodeRanking& ranking_of(PodGroupIndex pod_group) {
        Class& c = classes_[pod_group];
        if (!c.ranking) {
            c.ranking = std::make_unique<NodeRanking>(placement_, pod_group, zones_);
            count_present(pod_group, *c.ranking);
            c.seen = touched_.size();
        }
        for (; c.seen < touched_.size(); ++c.seen) c.ranking->refresh(touched_[c.seen]);
        return *c.ranking;
    }

    void count_present(PodGroupIndex pod_group, NodeRanking& ranking) {
        if (zones_.count < 2) return;
        const engine::snapshot::Cluster& cluster = rules_.cluster();
        for (NodeIndex n = 0; n < cluster.node_count(); ++n) {
            for (const engine::snapshot::PodIndex pod : cluster.pods_on(n)) {
                if (cluster.class_of(pod) == rules_.pod_groups()[pod_group]) ranking.count_pod(n);
            }
        }
    }

    engine::scheduling::CompiledPredicates rules_;
    engine::scheduling::Placement placement_;
    Zones zones_;
    std::unordered_map<PodGroupId, PodGroupIndex> subject_of_;
    std::vector<Class> classes_;
    std::vector<NodeIndex> touched_;
};

}  // namespace

std::vector<std::optional<NodeIndex>> find_nodes(const engine::snapshot::Cluster& cluster,
                                                 std::span<const PodGroupId> pods) {
    std::vector<std::optional<NodeIndex>> nodes(pods.size());
    if (pods.empty() || cluster.node_count() == 0) return nodes;
    Scheduling scheduling(cluster, pods);
    // A pod with inter-pod constraints may fit once others are placed: as long as any pod is
    // placed, the rest are tried again.
    std::size_t before = 0;
    do {
        before = scheduling.placed();
        for (std::size_t i = 0; i < pods.size(); ++i) {
            if (!nodes[i]) nodes[i] = scheduling.place(pods[i]);
        }
    } while (scheduling.placed() > before);
    return nodes;
}

}  // namespace capstan::simulation
