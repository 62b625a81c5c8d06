// Effects of a wrong or adjusted clock on machines and nodes that are starting.
#include <gtest/gtest.h>

#include "../test_cluster.hpp"
#include "engine/health/backoff.hpp"
#include "engine/health/health.hpp"

namespace capstan::engine::health {
namespace {

constexpr Time soon = noon + 90s;

/// Passes over one cluster.
struct Passes {
    TestCluster test_cluster;
    Memory memory{};

    Health pass(const PassTime& time) {
        const Snapshot snapshot = test_cluster.snapshot();
        const templates::Membership membership = templates::make_membership(snapshot);
        memory = remember(std::move(memory), snapshot, membership, {}, time);
        return assess(snapshot, membership, memory, {}, time);
    }
    int upcoming(const PassTime& time) { return pass(time).groups.at(0).upcoming.nodes(); }
    /// Adds a node of the group. The node has joined and is not ready.
    void join(const char* name, Time created) {
        snapshot::NodeObject& node = test_cluster.node(name, "web");
        node.ready = false;
        node.created = node.ready_since = created;
    }
};

TEST(HealthClockSteps, DoNotChangeTheAgeOfBootingMachines) {
    for (const Duration step : {Duration(20min), Duration(-2h)}) {
        Passes passes;
        passes.test_cluster.group("web", 2);
        for (const char* id : {"i-1", "i-2"})
            passes.test_cluster.machine("web", id, MachineState::creating).launched = noon;
        EXPECT_EQ(passes.upcoming(noon), 2);
        EXPECT_EQ(passes.upcoming({soon, soon + step}), 2);
        EXPECT_EQ(passes.upcoming({noon + 15min, noon + 15min + step}), 2);
        EXPECT_EQ(passes.upcoming({noon + 15min + 1ns, noon + 15min + 1ns + step}), 0);
    }
}

TEST(HealthClockSteps, DoNotChangeTheAgeOfStartingNodes) {
    for (const Duration step : {Duration(20min), Duration(-2h)}) {
        Passes passes;
        passes.test_cluster.group("web", 1);
        passes.join("n-1", noon);
        EXPECT_EQ(passes.upcoming(noon), 1);
        EXPECT_EQ(passes.upcoming({soon, soon + step}), 1);
        EXPECT_EQ(passes.upcoming({noon + 15min, noon + 15min + step}), 0);
    }
}

TEST(WrongClock, DoesNotDateMachinesBeforeTheirRequest) {
    Passes passes;
    passes.test_cluster.group("web", 1);
    passes.memory.requests[NodeGroupId("web")] = {
        .since = noon, .deadline = noon + 15min, .increase = 1};
    passes.memory.last_by_group[NodeGroupId("web")].scale_up = noon;
    passes.test_cluster.machine("web", "i-1", MachineState::creating).launched = noon - 1h;
    EXPECT_EQ(passes.upcoming(soon), 1);
}

TEST(WrongClock, DoesNotDateNodesBeforeTheirMachineWasListed) {
    Passes passes;
    passes.test_cluster.group("web", 1);
    passes.memory.unjoined[NodeGroupId("web")][MachineId("n-1")] = noon;
    passes.join("n-1", noon - 1h);
    EXPECT_EQ(passes.upcoming(soon), 1);
}

TEST(HealthMemory, ForgetsStartedNodesAndRemovedMachines) {
    Passes passes;
    passes.test_cluster.group("web", 2);
    passes.test_cluster.machine("web", "i-1", MachineState::creating).launched = noon;
    passes.join("n-1", noon);
    passes.pass(noon);
    EXPECT_EQ(passes.memory.launched.size(), 1u);
    EXPECT_EQ(passes.memory.created.size(), 1u);
    passes.test_cluster.change_node("n-1").ready = true;
    passes.test_cluster.change_group("web").machines.erase(
        passes.test_cluster.change_group("web").machines.begin());
    passes.pass(soon);
    EXPECT_TRUE(passes.memory.launched.empty());
    EXPECT_TRUE(passes.memory.created.empty());
}

}  // namespace
}  // namespace capstan::engine::health
