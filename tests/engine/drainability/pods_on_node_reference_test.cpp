// Compares the engine with simple implementations that look at objects one by one.
#include <map>
#include <set>

#include <gmock/gmock.h>

#include "engine/drainability/pods_on_node.hpp"
#include "engine/drainability/utilization.hpp"
#include "random_pods.hpp"

namespace capstan::engine::drainability {
namespace {

constexpr std::uint64_t seeds = 300;

using Pods = std::vector<const snapshot::PodObject*>;

std::string full_name_of(const snapshot::PodObject& pod) { return pod.ns + "/" + pod.name; }

std::string annotation(const snapshot::PodObject& pod, const char* key) {
    const auto at = pod.annotations.find(key);
    return at == pod.annotations.end() ? "" : at->second;
}
std::string safe(const snapshot::PodObject& pod) {
    return annotation(pod, "cluster-autoscaler.kubernetes.io/safe-to-evict");
}
bool is_mirror_pod(const snapshot::PodObject& pod) {
    return pod.owner.kind == "Node" || pod.annotations.contains("kubernetes.io/config.mirror");
}
bool is_stuck(const snapshot::PodObject& pod) {
    return pod.deleted && *pod.deleted + pod.spec.termination_grace.value_or(30s) + 30s < noon;
}
bool is_expendable_pod(const snapshot::PodObject& pod) {
    return pod.spec.priority && *pod.spec.priority < -10 && !pod.spec.never_preempts;
}

bool covers(const snapshot::DisruptionBudgetObject& budget, const snapshot::PodObject& pod) {
    return budget.ns == pod.ns && budget.selector && matches(*budget.selector, pod.labels);
}

/// Budgets with their remaining disruptions.
struct RemainingBudgets {
    explicit RemainingBudgets(const RandomPods& test_cluster) : budgets(test_cluster.budgets) {
        for (auto& budget : budgets) {
            budget.disruptions_allowed =
                budget.is_observed ? std::max(budget.disruptions_allowed, 0) : 0;
        }
    }
    bool has_for(const snapshot::PodObject& pod) const {
        return pod.deleted || std::ranges::none_of(budgets, [&](const auto& budget) {
                   return covers(budget, pod) && budget.disruptions_allowed < 1;
               });
    }
    void take(const snapshot::PodObject& pod) {
        for (auto& budget : budgets) {
            if (!pod.deleted && covers(budget, pod)) --budget.disruptions_allowed;
        }
    }
    bool has_for_all(const Pods& pods) const {
        RemainingBudgets after = *this;
        return std::ranges::all_of(pods, [&](const snapshot::PodObject* pod) {
            const bool had = after.has_for(*pod);
            after.take(*pod);
            return had;
        });
    }
    std::vector<snapshot::DisruptionBudgetObject> budgets;
};

std::ptrdiff_t count_budgets(const RandomPods& test_cluster, const snapshot::PodObject& pod) {
    return std::ranges::count_if(test_cluster.budgets,
                                 [&](const auto& b) { return covers(b, pod); });
}

bool lacks_controller(const RandomPods& test_cluster, const snapshot::PodObject& pod,
                      const ScaleDownSettings& s) {
    const std::set<std::string> looked_up = {"ReplicaSet", "StatefulSet", "Job"};
    if (!s.skip_nodes_with_custom_controller_pods || !looked_up.contains(pod.owner.kind)) {
        return false;
    }
    bool is_listed = false;
    for (const snapshot::ControllerObject& c : test_cluster.controllers) {
        is_listed |= c.kind == pod.owner.kind;
        if (c.kind == pod.owner.kind && c.ns == pod.ns && c.name == pod.owner.name) {
            return c.kind == "ReplicaSet" && *c.replicas < s.min_replica_count;
        }
    }
    return is_listed;
}

drainability::Drain expected_drain_of_ordinary(const RandomPods& test_cluster,
                                               const snapshot::PodObject& pod,
                                               const ScaleDownSettings& s) {
    if (pod.owner.kind.empty()) return drainability::Drain::block;
    if (s.skip_nodes_with_custom_controller_pods && pod.owner.kind == "Rollout") {
        return drainability::Drain::block;
    }
    if (pod.ns == "kube-system" && s.skip_nodes_with_system_pods &&
        count_budgets(test_cluster, pod) == 0) {
        if (noon - pod.created <= 1h) return drainability::Drain::block;
        return safe(pod) == "false" ? drainability::Drain::block : drainability::Drain::move;
    }
    if (safe(pod) == "false") return drainability::Drain::block;
    if (s.skip_nodes_with_local_storage && !pod.spec.local_volumes.empty())
        return drainability::Drain::block;
    return RemainingBudgets(test_cluster).has_for(pod) ? drainability::Drain::move
                                                       : drainability::Drain::block;
}

drainability::Drain expected_drain(const RandomPods& test_cluster, const snapshot::PodObject& pod,
                                   const ScaleDownSettings& s) {
    if (is_expendable_pod(pod)) return drainability::Drain::skip;
    const bool is_freed = s.safe_to_evict_frees_jobs && safe(pod) == "true";
    if (s.job_pods_unmovable && pod.owner.job_among_owners && !is_freed)
        return drainability::Drain::block;
    if (is_mirror_pod(pod) || is_stuck(pod)) return drainability::Drain::skip;
    if (lacks_controller(test_cluster, pod, s)) return drainability::Drain::block;
    if (pod.owner.kind == "DaemonSet") return drainability::Drain::daemon;
    if (safe(pod) == "on-completion") return drainability::Drain::wait;
    if (!pod.deleted && count_budgets(test_cluster, pod) > 1) return drainability::Drain::block;
    if (safe(pod) == "true") return drainability::Drain::move;
    return expected_drain_of_ordinary(test_cluster, pod, s);
}

/// A random cluster, and its pods by their index in the snapshot.
struct RandomCase {
    explicit RandomCase(std::uint64_t seed)
        : test_cluster(random_pods(seed)),
          settings(random_settings(seed)),
          cluster(test_cluster.cluster()) {
        std::map<std::string, const snapshot::PodObject*> by_name;
        for (const snapshot::PodObject& pod : test_cluster.pods) by_name[full_name_of(pod)] = &pod;
        for (PodIndex p = 0; p < cluster.pod_count(); ++p) {
            pods.push_back(by_name.at(drainability::full_name(cluster, p)));
        }
    }
    RandomPods test_cluster;
    Settings settings;
    snapshot::Cluster cluster;
    Pods pods;
};

TEST(DrainabilityReference, DrainRulesMatchASimpleFunction) {
    std::map<drainability::Drain, int> seen;
    for (std::uint64_t seed = 0; seed < seeds; ++seed) {
        SCOPED_TRACE(seed);
        const RandomCase c(seed);
        const pods::DisruptionBudgets budgets(c.cluster);
        const drainability::DrainContext context{c.cluster, c.settings, budgets, noon};
        drainability::DrainJudge judged(context);
        for (PodIndex p = 0; p < c.cluster.pod_count(); ++p) {
            const drainability::Drain expected =
                expected_drain(c.test_cluster, *c.pods[p], c.settings.scale_down);
            ++seen[expected];
            ASSERT_EQ(drainability::judge(p, context).drain, expected) << full_name_of(*c.pods[p]);
            ASSERT_EQ(judged.judge(p), expected) << full_name_of(*c.pods[p]);
        }
    }
    for (const drainability::Drain d :
         {drainability::Drain::move, drainability::Drain::daemon, drainability::Drain::skip,
          drainability::Drain::wait, drainability::Drain::block}) {
        EXPECT_GT(seen[d], 100) << static_cast<int>(d);
    }
}

TEST(DrainabilityReference, PodsOfANodeMatchASimpleSort) {
    for (std::uint64_t seed = 0; seed < seeds; ++seed) {
        SCOPED_TRACE(seed);
        const RandomCase c(seed);
        std::map<drainability::Drain, std::vector<std::string>> expected;
        for (const snapshot::PodObject* pod : c.pods) {
            expected[expected_drain(c.test_cluster, *pod, c.settings.scale_down)].push_back(
                full_name_of(*pod));
        }
        for (auto& [drain, names] : expected) std::ranges::sort(names);

        const pods::DisruptionBudgets budgets(c.cluster);
        drainability::DrainJudge judge({c.cluster, c.settings, budgets, noon});
        const drainability::NodePods found = judge.sort(0);
        const auto names = [&](const auto& pods) {
            std::vector<std::string> out;
            for (const PodIndex pod : pods) out.push_back(drainability::full_name(c.cluster, pod));
            return out;
        };
        if (!expected[drainability::Drain::block].empty()) {
            ASSERT_TRUE(found.blocked_by);
            ASSERT_EQ(drainability::full_name(c.cluster, *found.blocked_by),
                      expected[drainability::Drain::block].front());
            continue;
        }
        ASSERT_FALSE(found.blocked_by);
        ASSERT_EQ(names(found.moving), expected[drainability::Drain::move]);
        ASSERT_EQ(names(found.daemons), expected[drainability::Drain::daemon]);
    }
}

TEST(DrainabilityReference, BudgetsMatchASimpleCount) {
    int refused = 0;
    for (std::uint64_t seed = 0; seed < seeds; ++seed) {
        SCOPED_TRACE(seed);
        const RandomCase c(seed);
        pods::DisruptionBudgets budgets(c.cluster);
        RemainingBudgets left(c.test_cluster);
        Dice dice(seed);
        for (int round = 0; round < 8 && c.cluster.pod_count() != 0; ++round) {
            std::vector<PodIndex> some;
            Pods same;
            for (int i = dice.below(5); i > 0; --i) {
                some.push_back(
                    static_cast<PodIndex>(dice.below(static_cast<int>(c.cluster.pod_count()))));
                same.push_back(c.pods[some.back()]);
            }
            const auto kept =
                std::ranges::find_if(same, [&](const auto* pod) { return !left.has_for(*pod); });
            const auto shortage = budgets.find_shortage(some);
            ASSERT_EQ(shortage.has_value(), kept != same.end());
            if (shortage) {
                ASSERT_EQ(c.pods[shortage->pod], *kept);
            }
            ASSERT_EQ(budgets.allow_at_once(some), left.has_for_all(same));
            refused += shortage ? 1 : 0;
            budgets.take(some);
            for (const snapshot::PodObject* pod : same) left.take(*pod);
        }
    }
    EXPECT_GT(refused, 100);
}

TEST(DrainabilityReference, UtilizationMatchesASimpleSum) {
    for (std::uint64_t seed = 0; seed < seeds; ++seed) {
        SCOPED_TRACE(seed);
        const RandomCase c(seed);
        const ScaleDownSettings& s = c.settings.scale_down;
        Resources used, room = amounts(4000);
        for (const snapshot::PodObject* pod : c.pods) {
            if (is_stuck(*pod) || is_expendable_pod(*pod)) continue;
            const bool is_daemon = pod->owner.kind == "DaemonSet" && !is_mirror_pod(*pod);
            const bool is_left_out = (is_daemon && s.ignore_daemonsets_utilization) ||
                                     (is_mirror_pod(*pod) && s.ignore_mirror_pods_utilization);
            if (is_left_out)
                room -= pod->spec.requests;
            else
                used += pod->spec.requests;
        }
        double expected = 0;
        for (const char* resource : {"cpu", "memory"}) {
            const double all = static_cast<double>(room.amount(resource));
            const double taken = static_cast<double>(used.amount(resource));
            expected = std::max(expected, all > 0 ? taken / all : taken > 0 ? 1.0 : 0.0);
        }
        const auto found = drainability::utilization(c.cluster, 0, nullptr, c.settings, noon);
        ASSERT_TRUE(found);
        ASSERT_DOUBLE_EQ(found->share, expected);
    }
}

}  // namespace
}  // namespace capstan::engine::drainability
