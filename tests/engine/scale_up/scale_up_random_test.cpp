// Checks scale-ups of random clusters with the naive scheduler.
#include <gtest/gtest.h>

#include <optional>

#include "../pass_case.hpp"
#include "engine/scale_up/scale_up.hpp"
#include "naive/naive_scheduler.hpp"
#include "naive/random_cluster.hpp"
#include "placement_check.hpp"

namespace capstan::engine::scale_up {
namespace {

constexpr scheduling::naive::Frequencies mixed_constraints{.volumes = 0};
constexpr scheduling::naive::Frequencies mostly_spread{
    .affinity = 5, .spread = 90, .ports = 5, .volumes = 0, .node_affinity = 10, .taints = 5};

/// A random cluster with groups, nodes, and pending pods.
PassCase make_case(scheduling::naive::Dice& dice,
                   const scheduling::naive::Frequencies& frequencies) {
    PassCase c;
    for (int i = dice.below(4); i > 0; --i) {
        snapshot::NodeObject& node = c.test_cluster.node("n" + std::to_string(i));
        const snapshot::NodeObject like =
            scheduling::naive::make_random_node(dice, frequencies, node.name);
        node.labels = like.labels;
        node.taints = like.taints;
        node.capacity = node.allocatable = like.allocatable;
    }
    for (int i = dice.between(1, 4); i > 0; --i) {
        const std::string id = "g" + std::to_string(i);
        Group& group = c.test_cluster.group(id, 0);
        group.group.max = dice.between(0, 6);
        group.options.zero_or_max = dice.chance(10);
        const snapshot::NodeObject like =
            scheduling::naive::make_random_node(dice, frequencies, id);
        NodeTemplate& node = c.test_cluster.describe(id, like.allocatable);
        node.labels = like.labels;
        node.labels.erase(hostname_key);
        node.taints = like.taints;
        node.allocatable = node.free = like.allocatable;
    }
    for (int kind = dice.between(1, 6); kind > 0; --kind) {
        const snapshot::PodObject like = scheduling::naive::make_random_pod(dice, frequencies);
        for (int i = dice.between(1, 9); i > 0; --i) {
            snapshot::PodObject& pod =
                c.test_cluster.pod("p" + std::to_string(kind) + "-" + std::to_string(i));
            const std::string name = pod.name;
            pod = like;
            pod.name = name;
            pod.unscheduled_reason = "Unschedulable";
            pod.deleted.reset();
        }
    }
    if (dice.chance(30)) c.settings.nodes.max = dice.between(1, 8);
    if (dice.chance(20)) c.settings.max_nodes_per_scale_up = dice.between(1, 3);
    c.settings.balance_similar = dice.chance(50);
    c.settings.one_option_per_pass = dice.chance(10);
    return c;
}

class CheckedScaleUp {
public:
    CheckedScaleUp(const PassCase& c, Policies policies)
        : settings_(c.settings),
          snapshot_(c.test_cluster.snapshot()),
          context_(pass_context::make_pass_context(snapshot_, {}, settings_, noon)),
          policies_(std::move(policies)),
          scale_up_(place_pending(context_), policies_, c.call_context) {
        scale_up_.run();
        placement_check_.emplace(scale_up_);
    }

    std::string find_misplaced_pod() { return placement_check_->find_misplaced_pod(); }

    /// Empty: no unplaced pod fits on an existing node or on one more node that may be added, or
    /// the pass stopped early.
    std::string find_unplaced_pod() {
        const Progress& progress = scale_up_.progress();
        if (!progress.stopped.empty()) return {};
        scheduling::naive::NaiveCluster& naive_cluster = placement_check_->naive_cluster();
        for (scheduling::naive::Node& node : naive_cluster.nodes) node.gone = false;
        for (PodGroupIndex s = 0; s < context_.pending_count(); ++s) {
            if (progress.left[s] == 0) continue;
            if (const auto node =
                    scheduling::naive::find_room(naive_cluster, placement_check_->pod(s))) {
                return name(s) + " fits on node " + std::to_string(*node);
            }
            for (GroupIndex g = 0; g < context_.groups().size(); ++g) {
                if (!progress.quotas.obstacle(g).is_none()) continue;
                scheduling::naive::NaiveCluster more = naive_cluster;
                const std::size_t node = scheduling::naive::add_node(
                    more, snapshot_.cluster, context_.predicates->template_nodes()[g]);
                if (scheduling::naive::fits(more, placement_check_->pod(s), node)) {
                    return name(s) + " fits on a new node of " + context_.id(g).value();
                }
            }
        }
        return {};
    }

private:
    const std::string& name(PodGroupIndex s) const {
        return context_.pending.pod_groups[s].example;
    }

    Settings settings_;
    Snapshot snapshot_;
    pass_context::PassContext context_;
    Policies policies_;
    ScaleUp scale_up_;
    std::optional<PlacementCheck> placement_check_{};
};

void check(std::uint64_t seeds, const scheduling::naive::Frequencies& frequencies) {
    for (std::uint64_t seed = 1; seed <= seeds; ++seed) {
        scheduling::naive::Dice dice(seed);
        PassCase c = make_case(dice, frequencies);
        CheckedScaleUp checked(c, c.policies());
        EXPECT_EQ(checked.find_misplaced_pod(), "") << "seed " << seed;
        EXPECT_EQ(checked.find_unplaced_pod(), "") << "seed " << seed;
    }
}

TEST(ScaleUpOnRandomClusters, PlacesEveryPodThatFits) { check(3000, mixed_constraints); }

TEST(ScaleUpOnRandomClusters, PlacesEveryPodThatFitsWithManySpreadConstraints) {
    check(3000, mostly_spread);
}

}  // namespace
}  // namespace capstan::engine::scale_up
