#include "engine/health/health.hpp"

#include <functional>

#include <gmock/gmock.h>

#include "../test_cluster.hpp"

namespace capstan::engine::health {
namespace {

Health assess_groups(const TestCluster& test_cluster, const Memory& memory = {},
                     const Settings& settings = {}) {
    const Snapshot snapshot = test_cluster.snapshot();
    return assess(snapshot, templates::make_membership(snapshot), memory, settings, noon);
}

Memory backed_off(const char* group) {
    Memory out;
    out.backoffs[NodeGroupId(group)] = {.until = noon + 1min};
    return out;
}

struct MissingCase {
    const char* what;
    std::optional<int> target;
    std::function<void(TestCluster&)> machines;
    int missing;
    const char* because;
};

const std::vector<MissingCase> missing_cases = {
    {"a target of 0", 0, [](TestCluster&) {}, 0, ""},
    {"a target the cloud has not acted on", 3, [](TestCluster&) {}, 3,
     "3 machines have not joined"},
    {"machines being created", 2,
     [](TestCluster& w) {
         w.machine("web", "i-1", MachineState::creating);
         w.machine("web", "i-2", MachineState::requested);
     },
     2, "2 machines have not joined"},
    {"some joined", 3,
     [](TestCluster& w) {
         w.node("i-1", "web");
         w.machine("web", "i-2");
     },
     2, "2 machines have not joined"},
    {"all joined", 1, [](TestCluster& w) { w.node("i-1", "web"); }, 0, ""},
    {"unknown target", std::nullopt,
     [](TestCluster& w) {
         w.node("i-1", "web");
         w.machine("web", "i-2");
     },
     1, "1 machine has not joined"},
    {"one failed", 2,
     [](TestCluster& w) {
         w.machine("web", "i-1", MachineState::creating).error =
             Error{.code = ErrorCode::quota, .message = "no"};
         w.machine("web", "i-2", MachineState::creating);
     },
     1, "1 machine has not joined; not counted: 1 machine that failed"},
    {"one is being deleted", 1,
     [](TestCluster& w) {
         w.machine("web", "i-1", MachineState::deleting);
         w.machine("web", "i-2", MachineState::creating);
     },
     1, "1 machine has not joined"},
    {"one joined and is being deleted", 1,
     [](TestCluster& w) {
         w.node("i-1");
         w.machine("web", "i-1", MachineState::deleting);
     },
     1, "1 machine has not joined"},
    {"a lowered target", 1,
     [](TestCluster& w) {
         w.node("i-1", "web");
         w.machine("web", "i-2", MachineState::requested);
     },
     0, ""},
    {"more nodes than the target", 0, [](TestCluster& w) { w.node("i-1", "web"); }, 0, ""},
    {"one launched too long ago", 2,
     [](TestCluster& w) {
         w.machine("web", "i-1").launched = noon - 15min - 1ns;
         w.machine("web", "i-2").launched = noon - 15min;
     },
     1, "1 machine has not joined; not counted: 1 machine launched more than 15m ago"},
};

TEST(Upcoming, AreRequestedMachinesWithoutANode) {
    for (const MissingCase& c : missing_cases) {
        TestCluster test_cluster;
        test_cluster.group("web", c.target);
        c.machines(test_cluster);
        const Upcoming upcoming = assess_groups(test_cluster).groups.at(0).upcoming;
        EXPECT_EQ(upcoming.missing, c.missing) << c.what;
        EXPECT_EQ(upcoming.nodes(), c.missing) << c.what;
        EXPECT_EQ(upcoming.because, c.because) << c.what;
    }
}

TEST(Upcoming, AreOnlyMachinesBeingCreatedIfTheGroupIsBackedOff) {
    TestCluster test_cluster;
    test_cluster.group("web", 4);
    test_cluster.machine("web", "i-1", MachineState::creating);
    test_cluster.machine("web", "i-2", MachineState::requested);
    const Upcoming upcoming = assess_groups(test_cluster, backed_off("web")).groups.at(0).upcoming;
    EXPECT_EQ(upcoming.missing, 1);
    EXPECT_EQ(upcoming.because,
              "1 machine has not joined; not counted: 3 machines requested before the group was "
              "backed off");
    EXPECT_EQ(assess_groups(test_cluster, backed_off("other")).groups.at(0).upcoming.missing, 4);
}

TEST(Upcoming, UseTheNodeProvisionTimeOfTheGroup) {
    TestCluster test_cluster;
    test_cluster.group("web", 1).options.max_node_provision_time = 1h;
    test_cluster.machine("web", "i-1").launched = noon - 20min;
    EXPECT_EQ(assess_groups(test_cluster).groups.at(0).upcoming.missing, 1);
    EXPECT_EQ(assess_groups(test_cluster).wake_at, noon + 40min + 1ns);
}

TEST(Upcoming, AreAwaitedForeverWithTheMaximalLimit) {
    TestCluster test_cluster;
    test_cluster.group("web", 1).options.max_node_provision_time = Duration::max();
    test_cluster.machine("web", "i-1").launched = noon - 20min;
    EXPECT_EQ(assess_groups(test_cluster).groups.at(0).upcoming.missing, 1);
    EXPECT_EQ(assess_groups(test_cluster).wake_at, std::nullopt);
}

TEST(Upcoming, AreCountedPerGroup) {
    TestCluster test_cluster;
    test_cluster.group("b", 1);
    test_cluster.group("a", 2);
    test_cluster.node("a-1", "a");
    const Health health = assess_groups(test_cluster);
    EXPECT_EQ(health.groups.at(0).upcoming.missing, 1);
    EXPECT_EQ(health.groups.at(1).upcoming.missing, 1);
}

struct UsabilityCase {
    const char* what;
    std::function<void(TestCluster&, snapshot::NodeObject&)> change;
    NodeUsability usability;
};

void taint(snapshot::NodeObject& node, const char* key) { node.taints.push_back({.key = key}); }

/// Changes of a node that joined a group five minutes ago and is not ready.
const std::vector<UsabilityCase> usability_cases = {
    {"unchanged", [](TestCluster&, snapshot::NodeObject&) {}, NodeUsability::starting},
    {"with the not-ready taint",
     [](TestCluster&, snapshot::NodeObject& n) { taint(n, "node.kubernetes.io/not-ready"); },
     NodeUsability::starting},
    {"ready", [](TestCluster&, snapshot::NodeObject& n) { n.ready = true; },
     NodeUsability::takes_pods},
    {"ready, with a startup taint",
     [](TestCluster&, snapshot::NodeObject& n) {
         n.ready = true;
         taint(n, "startup-taint.cluster-autoscaler.kubernetes.io/cni");
     },
     NodeUsability::starting},
    {"ready, with a startup taint for too long",
     [](TestCluster&, snapshot::NodeObject& n) {
         n.ready = true;
         n.created = noon - 1h;
         taint(n, "startup-taint.cluster-autoscaler.kubernetes.io/cni");
     },
     NodeUsability::takes_pods},
    {"ready, with a lasting taint",
     [](TestCluster&, snapshot::NodeObject& n) {
         n.ready = true;
         taint(n, "dedicated");
     },
     NodeUsability::takes_pods},
    {"just within the startup time",
     [](TestCluster&, snapshot::NodeObject& n) { n.created = noon - 15min + 1ns; },
     NodeUsability::starting},
    {"after the startup time",
     [](TestCluster&, snapshot::NodeObject& n) { n.created = noon - 15min; }, NodeUsability::out},
    {"cordoned", [](TestCluster&, snapshot::NodeObject& n) { n.unschedulable = true; },
     NodeUsability::out},
    {"to be removed",
     [](TestCluster&, snapshot::NodeObject& n) { taint(n, "ToBeDeletedByClusterAutoscaler"); },
     NodeUsability::out},
    {"with daemons on it",
     [](TestCluster& w, snapshot::NodeObject&) { w.daemon("cni", "cni-1", "i-1"); },
     NodeUsability::starting},
    {"with pods on it, so it was ready before",
     [](TestCluster& w, snapshot::NodeObject&) { w.pod("web", "i-1"); }, NodeUsability::out},
    {"of no group", [](TestCluster&, snapshot::NodeObject& n) { n.name = "other"; },
     NodeUsability::out},
};

TEST(NodeUsability, DependsOnReadinessAndStartupTaints) {
    for (const UsabilityCase& c : usability_cases) {
        TestCluster test_cluster;
        test_cluster.group("web", 1);
        snapshot::NodeObject& node = test_cluster.node("i-1", "web");
        node.ready = false;
        node.created = noon - 5min;
        c.change(test_cluster, node);
        const Health health = assess_groups(test_cluster);
        EXPECT_EQ(health.nodes.at(0), c.usability) << c.what;
        const bool starting = c.usability == NodeUsability::starting;
        EXPECT_EQ(health.groups.at(0).upcoming.starting, starting ? 1 : 0) << c.what;
        if (starting) {
            EXPECT_EQ(health.groups.at(0).upcoming.because, "1 node is not ready") << c.what;
            EXPECT_EQ(health.wake_at, node.created + 15min) << c.what;
        }
    }
}

TEST(NodeUsability, IsOutForANodeWhoseMachineIsBeingDeleted) {
    TestCluster test_cluster;
    test_cluster.group("web", 0);
    test_cluster.node("i-1");
    test_cluster.machine("web", "i-1", MachineState::deleting);
    EXPECT_EQ(assess_groups(test_cluster).nodes.at(0), NodeUsability::out);
}

TEST(NodeUsability, HonoursConfiguredStartupTaints) {
    TestCluster test_cluster;
    test_cluster.group("web", 1);
    snapshot::NodeObject& node = test_cluster.node("i-1", "web");
    node.created = noon - 1min;
    taint(node, "agent.example.com/starting");
    EXPECT_EQ(assess_groups(test_cluster).nodes.at(0), NodeUsability::takes_pods);
    Settings settings;
    settings.startup_taints = {"agent.example.com/starting"};
    EXPECT_EQ(assess_groups(test_cluster, {}, settings).nodes.at(0), NodeUsability::starting);
    settings = Settings();
    settings.startup_taint_prefixes = {"agent.example.com/"};
    EXPECT_EQ(assess_groups(test_cluster, {}, settings).nodes.at(0), NodeUsability::starting);
}

TEST(NodeUsability, HonoursWellKnownStartupTaintsByDefault) {
    for (const char* key : {"node.cilium.io/agent-not-ready", "ebs.csi.aws.com/agent-not-ready",
                            "efs.csi.aws.com/agent-not-ready", "karpenter.sh/unregistered",
                            "node.cluster.x-k8s.io/uninitialized", "readiness.k8s.io/network"}) {
        TestCluster test_cluster;
        test_cluster.group("web", 1);
        snapshot::NodeObject& node = test_cluster.node("i-1", "web");
        node.created = noon - 1min;
        taint(node, key);
        EXPECT_EQ(assess_groups(test_cluster).nodes.at(0), NodeUsability::starting) << key;
        Settings settings;
        settings.well_known_startup_taints = false;
        EXPECT_EQ(assess_groups(test_cluster, {}, settings).nodes.at(0), NodeUsability::takes_pods)
            << key;
    }
}

TEST(NodeUsability, CountsAStartingNodeAsJoined) {
    TestCluster test_cluster;
    test_cluster.group("web", 2);
    snapshot::NodeObject& node = test_cluster.node("i-1", "web");
    node.ready = false;
    node.created = noon - 1min;
    const Upcoming upcoming = assess_groups(test_cluster).groups.at(0).upcoming;
    EXPECT_EQ(upcoming.missing, 1);
    EXPECT_EQ(upcoming.nodes(), 2);
    EXPECT_EQ(upcoming.because, "1 machine has not joined, 1 node is not ready");
}

}  // namespace
}  // namespace capstan::engine::health
