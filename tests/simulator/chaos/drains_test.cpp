// The drains invariant: what the drain rules of the scenario protect is not moved, whatever the
// settings under test say.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>
#include <ostream>
#include <string>

#include "engine/node_marks.hpp"
#include "invariant_case.hpp"

namespace capstan::simulator::chaos {
namespace {

using engine::snapshot::PodObject;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

constexpr const char* safe_to_evict = "cluster-autoscaler.kubernetes.io/safe-to-evict";

/// Pod default/web-1 of three replicas on the ready node n1.
struct DrainsInvariant : InvariantCase {
    Input input{.start = noon};
    PodObject web{.name = "web",
                  .labels = {{"app", "web"}},
                  .owner = {.kind = "ReplicaSet", .api_group = "apps", .name = "web"}};
    std::unique_ptr<Invariant> drains = drains_invariant();

    DrainsInvariant() { input.own_settings = engine::Settings{}; }

    Fact of_pod(FactKind kind, Cause cause) const {
        return {.kind = kind,
                .cause = cause,
                .at = now,
                .pod = "default/web-1",
                .batch = "default/web",
                .node = kind == FactKind::pod_arrived ? "" : "n1",
                .count = 3,
                .pod_object = &web};
    }
    void run() {
        drains->on_start({.input = input, .clouds = {}});
        drains->on_fact({.kind = FactKind::machine_joined, .node = "n1", .machine = "m1"});
        drains->on_fact({.kind = FactKind::node_ready, .at = now, .node = "n1"});
        drains->on_fact(of_pod(FactKind::pod_arrived, Cause::scenario));
        drains->on_fact(of_pod(FactKind::pod_bound, Cause::scheduler));
        pass(*drains);
        now += 10min;
    }
    std::vector<std::string> evict() {
        return drains->on_fact(of_pod(FactKind::pod_evicted, Cause::autoscaler));
    }
};

struct ProtectedPod {
    const char* name;
    std::function<void(DrainsInvariant&)> change;
    const char* why;  ///< empty: it may be moved
    friend std::ostream& operator<<(std::ostream& out, const ProtectedPod& pod) {
        return out << pod.name;
    }
};

class ProtectedPods : public DrainsInvariant, public ::testing::WithParamInterface<ProtectedPod> {};

TEST_P(ProtectedPods, AreNotEvictedAndKeepTheirNode) {
    GetParam().change(*this);
    run();
    mark(engine::to_be_deleted_taint);
    if (*GetParam().why == '\0') {
        EXPECT_THAT(pass(*drains), IsEmpty());
        EXPECT_THAT(evict(), IsEmpty());
    } else {
        EXPECT_THAT(pass(*drains), ElementsAre(HasSubstr(GetParam().why)));
        EXPECT_THAT(evict(), ElementsAre(HasSubstr(GetParam().why)));
    }
}

INSTANTIATE_TEST_SUITE_P(
    Rules, ProtectedPods,
    ::testing::Values(
        ProtectedPod{"a replica", [](auto&) {}, ""},
        ProtectedPod{"a pod without a controller", [](auto& made) { made.web.owner = {}; },
                     "has no controller"},
        ProtectedPod{"safe-to-evict false",
                     [](auto& made) { made.web.annotations[safe_to_evict] = "false"; },
                     "is annotated as not safe to evict"},
        ProtectedPod{"safe-to-evict on-completion",
                     [](auto& made) { made.web.annotations[safe_to_evict] = "on-completion"; },
                     "only on completion"},
        ProtectedPod{
            "do-not-disrupt",
            [](auto& made) { made.web.annotations["karpenter.sh/do-not-disrupt"] = "true"; },
            "is annotated as not to be disrupted"},
        ProtectedPod{"do-not-disrupt for a time that is over",
                     [](auto& made) { made.web.annotations["karpenter.sh/do-not-disrupt"] = "5m"; },
                     ""},
        ProtectedPod{"local storage", [](auto& made) { made.web.spec.local_volumes = {"cache"}; },
                     "has local storage"},
        ProtectedPod{"local storage that is safe to lose",
                     [](auto& made) {
                         made.web.spec.local_volumes = {"cache"};
                         made.web.annotations[safe_to_evict] = "true";
                     },
                     ""},
        ProtectedPod{"a young pod of kube-system", [](auto& made) { made.web.ns = "kube-system"; },
                     "is a recent kube-system pod"},
        ProtectedPod{"two budgets",
                     [](auto& made) {
                         for (const char* name : {"a", "b"})
                             made.input.budgets.push_back(
                                 {.name = name, .selector = {.match_labels = {{"app", "web"}}}});
                     },
                     "has more than one PodDisruptionBudget"},
        ProtectedPod{"fewer replicas than the minimum",
                     [](auto& made) { made.input.own_settings->scale_down.min_replica_count = 4; },
                     "is one of 3 replicas, fewer than 4"},
        ProtectedPod{"a rule that the scenario switches off",
                     [](auto& made) {
                         made.web.spec.local_volumes = {"cache"};
                         made.input.own_settings->scale_down.drain_rules_off = {"local_storage"};
                     },
                     ""},
        ProtectedPod{"a rule that only the settings under test switch off",
                     [](auto& made) {
                         made.web.spec.local_volumes = {"cache"};
                         made.settings.scale_down.drain_rules_off = {"local_storage"};
                     },
                     "has local storage"},
        ProtectedPod{"an expendable pod",
                     [](auto& made) {
                         made.web.owner = {};
                         made.web.spec.priority = -20;
                     },
                     ""}));

TEST_F(DrainsInvariant, DoesNotJudgeNodesThatAreNotReadyOrAboutToLeave) {
    web.owner = {};
    run();
    group.machines[0].leaves = Leaving{.at = now + 5min};
    pass(*drains);
    EXPECT_THAT(evict(), IsEmpty());
    group.machines[0].leaves.reset();
    pass(*drains);
    drains->on_fact({.kind = FactKind::node_unready, .at = now, .node = "n1"});
    EXPECT_THAT(evict(), IsEmpty());
}

}  // namespace
}  // namespace capstan::simulator::chaos
