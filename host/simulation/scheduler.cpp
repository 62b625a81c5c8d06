#include "simulation/scheduler.hpp"

#include <memory>
#include <unordered_map>

#include "engine/scheduling/placement.hpp"
#include "simulation/node_ranking.hpp"

namespace capstan::simulation {
namespace {

using engine::ClassId;
using engine::NodeIndex;
using engine::Subject;

class Scheduling {
public:
    Scheduling(const engine::Cluster& cluster, std::span<const ClassId> pods)
        : rules_(cluster, classes_of(pods), {}), placement_(rules_), zones_(cluster) {
        for (Subject s = 0; s < rules_.subjects().size(); ++s)
            subject_of_[rules_.subjects()[s]] = s;
        classes_.resize(rules_.subjects().size());
    }

    std::optional<NodeIndex> place(ClassId equivalence_group) {
        const Subject subject = subject_of_.at(equivalence_group);
        Class& c = classes_[subject];
        if (c.refused_at && (*c.refused_at == touched_.size() || !rules_.looks_at_pods(subject)))
            return std::nullopt;
        NodeRanking& ranking = ranking_of(subject);
        const std::optional<NodeIndex> node = ranking.find_best();
        if (!node) {
            c.refused_at = touched_.size();
            return std::nullopt;
        }
        placement_.place(subject, *node, 1);
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

    static std::vector<ClassId> classes_of(std::span<const ClassId> pods) {
        const std::set<ClassId> distinct(pods.begin(), pods.end());
        return {distinct.begin(), distinct.end()};
    }

    NodeRanking& ranking_of(Subject subject) {
        Class& c = classes_[subject];
        if (!c.ranking) {
            c.ranking = std::make_unique<NodeRanking>(placement_, subject, zones_);
            count_present(subject, *c.ranking);
            c.seen = touched_.size();
        }
        for (; c.seen < touched_.size(); ++c.seen) c.ranking->refresh(touched_[c.seen]);
        return *c.ranking;
    }

    void count_present(Subject subject, NodeRanking& ranking) {
        if (zones_.count < 2) return;
        const engine::Cluster& cluster = rules_.cluster();
        for (NodeIndex n = 0; n < cluster.node_count(); ++n) {
            for (const engine::PodIndex pod : cluster.pods_on(n)) {
                if (cluster.class_of(pod) == rules_.subjects()[subject]) ranking.count_pod(n);
            }
        }
    }

    engine::Rules rules_;
    engine::Placement placement_;
    Zones zones_;
    std::unordered_map<ClassId, Subject> subject_of_;
    std::vector<Class> classes_;
    std::vector<NodeIndex> touched_;
};

}  // namespace

std::vector<std::optional<NodeIndex>> find_nodes(const engine::Cluster& cluster,
                                                 std::span<const ClassId> pods) {
    std::vector<std::optional<NodeIndex>> nodes(pods.size());
    if (pods.empty() || cluster.node_count() == 0) return nodes;
    Scheduling scheduling(cluster, pods);
    // A pod that looks at others may fit once they are placed: as long as anything moves, whoever
    // is left is tried again.
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
