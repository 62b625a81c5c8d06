// The waiting invariant: pods whose way is free get nodes within the true boot time.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "invariant_case.hpp"

namespace capstan::simulator::chaos {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

/// Group "web" could grow, and its machines boot within 20 seconds. Pod web-1 arrives at noon.
struct WaitingInvariant : InvariantCase {
    Input input{.start = noon};
    std::unique_ptr<Invariant> waiting = waiting_invariant();
    engine::snapshot::PodObject web{.spec = {.requests = {{"cpu", 1000}}}};

    void begin() {
        waiting->on_start({.input = input, .clouds = {}});
        tell(FactKind::pod_arrived);
        pod("web-1", "");
        pass(*waiting);
    }
    void tell(FactKind kind, const char* on = "") {
        waiting->on_fact({.kind = kind,
                          .at = now,
                          .pod = "default/web-1",
                          .batch = "default/web",
                          .node = on,
                          .pod_object = &web});
    }
    void strike(FactKind kind, FaultKind fault) {
        waiting->on_fact({.kind = kind, .at = now, .fault = fault});
    }
    std::vector<std::string> bind_after(Duration wait) {
        now += wait;
        tell(FactKind::pod_bound, "n1");
        pods.clear();
        return end(*waiting);
    }
};

TEST_F(WaitingInvariant, AllowsTheBootTimeAndTwoScanIntervals) {
    begin();
    EXPECT_THAT(bind_after(40s), IsEmpty());
}

TEST_F(WaitingInvariant, DetectsALongerTime) {
    begin();
    EXPECT_THAT(bind_after(41s),
                ElementsAre(HasSubstr("1 pod of 1 waited longer than 40s for a node")));
}

TEST_F(WaitingInvariant, DetectsAPodThatStillWaitsAtTheEnd) {
    begin();
    now += 5min;
    pass(*waiting);
    EXPECT_THAT(end(*waiting), ElementsAre(HasSubstr("pod default/web-1 5m for group web")));
}

TEST_F(WaitingInvariant, AddsTheDelayThatTheScenarioDeclares) {
    input.judge.new_pod_delay = 10min;
    begin();
    EXPECT_THAT(bind_after(10min + 40s), IsEmpty());
}

TEST_F(WaitingInvariant, CountsSlowRegistrations) {
    input.registrations = {{.group = "web", .ready_delay = 3min}};
    begin();
    EXPECT_THAT(bind_after(3min), IsEmpty());
}

TEST_F(WaitingInvariant, AllowsOneLatePodInAHundred) {
    begin();
    now += 1min;
    tell(FactKind::pod_bound, "n1");
    for (int i = 0; i < 100; ++i) {
        tell(FactKind::pod_arrived);
        pass(*waiting);
        tell(FactKind::pod_bound, "n1");
    }
    pods.clear();
    EXPECT_THAT(end(*waiting), IsEmpty());
}

TEST_F(WaitingInvariant, BeginsAnewAfterAFault) {
    begin();
    now += 30s;
    strike(FactKind::fault_began, FaultKind::stock_out);
    now += 5min;
    strike(FactKind::fault_ended, FaultKind::stock_out);
    pass(*waiting);
    EXPECT_THAT(bind_after(40s), IsEmpty());
}

TEST_F(WaitingInvariant, WaitsForAMachineThatDoesNotJoin) {
    group.group.target = 2;
    begin();
    now += 5min;
    pass(*waiting);
    now += 10min;
    group.group.target = 1;
    pass(*waiting);
    EXPECT_THAT(bind_after(40s), IsEmpty());
}

TEST_F(WaitingInvariant, CountsNoTimeAfterAMachineIsOverdue) {
    group.group.target = 2;
    begin();
    EXPECT_THAT(bind_after(15min), IsEmpty()) << "no pass ran meanwhile";
}

TEST_F(WaitingInvariant, WaitsForOrdersOfUnknownFateAfterARestart) {
    begin();
    waiting->on_restart();
    pass(*waiting);
    EXPECT_THAT(bind_after(2min), IsEmpty());
}

TEST_F(WaitingInvariant, IgnoresFaultsOfRemovals) {
    begin();
    now += 30s;
    strike(FactKind::fault_began, FaultKind::removal_fails);
    EXPECT_EQ(bind_after(30s).size(), 1u);
}

TEST_F(WaitingInvariant, AllowsAGroupAtItsMaximum) {
    group.group.max = 1;
    begin();
    EXPECT_THAT(bind_after(1h), IsEmpty());
}

TEST_F(WaitingInvariant, BeginsAnewWithANodeThatAnotherPodMayHaveTaken) {
    begin();
    now += 30s;
    waiting->on_fact({.kind = FactKind::node_ready, .at = now, .node = "n1", .node_object = &node});
    pass(*waiting);
    EXPECT_THAT(bind_after(40s), IsEmpty());
}

}  // namespace
}  // namespace capstan::simulator::chaos
