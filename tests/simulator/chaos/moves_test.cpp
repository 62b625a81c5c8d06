// The moves invariant: in calm a removal makes no machine necessary.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "invariant_case.hpp"

namespace capstan::simulator::chaos {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

/// Calm since an hour. The removal of n1 with the pod web-1 begins, whose plan is node n2.
struct MovesInvariant : InvariantCase {
    std::unique_ptr<Invariant> moves = moves_invariant();
    engine::snapshot::PodObject web{.owner = {.kind = "ReplicaSet", .name = "web"}};

    MovesInvariant() {
        calm = noon;
        now += 1h;
        add_second_node();
        pod("web-1", "n1");
        memory.removals["n1"] = {.group = NodeGroupId("web"),
                                 .phase = engine::RemovalPhase::draining,
                                 .since = now,
                                 .places = {{"n2", {{"default/web#1", 1}}}}};
    }
    void tell(FactKind kind, const char* name, const char* on) {
        moves->on_fact({.kind = kind,
                        .at = now,
                        .pod = name,
                        .batch = "default/web",
                        .node = on,
                        .pod_object = &web});
    }
    void evict() {
        tell(FactKind::pod_evicted, "default/web-1", "n1");
        tell(FactKind::pod_arrived, "default/web-2", "");
        pods.clear();
        pod("web-2", "");
    }
};

TEST_F(MovesInvariant, RejectsAMachineForPodsThatAreStillToBeEvicted) {
    EXPECT_THAT(pass(*moves), IsEmpty());
    increase(1);
    EXPECT_THAT(pass(*moves), ElementsAre(HasSubstr("the removal of node n1 moves")));
}

TEST_F(MovesInvariant, RejectsAMachineForPodsThatWereEvicted) {
    pass(*moves);
    evict();
    memory.removals.clear();
    increase(1);
    EXPECT_THAT(pass(*moves), ElementsAre(HasSubstr("the removal of node n1 moves")));
}

TEST_F(MovesInvariant, AllowsMachinesForOtherPods) {
    pass(*moves);
    pod("other", "");
    increase(1);
    EXPECT_THAT(pass(*moves), IsEmpty());
}

TEST_F(MovesInvariant, AllowsMachinesBeforeTheCalm) {
    calm = Time::max();
    pass(*moves);
    increase(1);
    EXPECT_THAT(pass(*moves), IsEmpty());
}

TEST_F(MovesInvariant, AllowsMachinesOnceTheClusterHasChanged) {
    pass(*moves);
    now += 1min;
    tell(FactKind::pod_arrived, "default/web-9", "");
    increase(1);
    EXPECT_THAT(pass(*moves), IsEmpty());
}

TEST_F(MovesInvariant, AllowsMachinesIfTheSchedulerDidNotKeepToThePlan) {
    pod("web-3", "n1");
    pass(*moves);
    evict();
    tell(FactKind::pod_bound, "default/web-2", "n3");
    pods.clear();
    pod("web-3", "n1");
    increase(1);
    EXPECT_THAT(pass(*moves), IsEmpty());
}

TEST_F(MovesInvariant, AllowsMachinesIfPodsOfAnotherRemovalWentElsewhere) {
    memory.removals["n3"] = {.group = NodeGroupId("web"),
                             .phase = engine::RemovalPhase::draining,
                             .since = now,
                             .places = {{"n2", {{"default/db#1", 1}}}}};
    pass(*moves);
    tell(FactKind::pod_evicted, "default/web-8", "n3");
    tell(FactKind::pod_arrived, "default/web-9", "");
    tell(FactKind::pod_bound, "default/web-9", "n4");
    memory.removals.clear();
    evict();
    increase(1);
    EXPECT_THAT(pass(*moves), IsEmpty());
}

}  // namespace
}  // namespace capstan::simulator::chaos
