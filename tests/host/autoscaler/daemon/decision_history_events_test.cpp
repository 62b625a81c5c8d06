#include "autoscaler/daemon/decision_history.hpp"

#include <gmock/gmock.h>

#include <chrono>
#include <string>
#include <vector>

#include "engine/node_marks.hpp"
#include "engine/snapshot/cluster_builder.hpp"

namespace capstan::autoscaler::daemon {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

const kubernetes::client::ObjectReference status{
    .kind = "ConfigMap", .ns = "kube-system", .name = "status"};

/// "Pod shop/a: TriggeredScaleUp: ...", with a "!" before warnings.
std::vector<std::string> lines(const PassReport& pass, const std::string& unhealthy_because = {}) {
    std::vector<std::string> out;
    for (const kubernetes::client::EventNote& note : events_of(pass, status, unhealthy_because))
        out.push_back((note.is_warning ? "!" : "") + note.about.kind + " " +
                      (note.about.ns.empty() ? "" : note.about.ns + "/") + note.about.name + ": " +
                      note.reason + ": " + note.message);
    return out;
}

/// A group of at most 10 machines.
struct PassEvents : ::testing::Test {
    PassEvents() {
        const engine::Group group{.group = {.id = NodeGroupId("web"), .max = 10, .target = 3}};
        pass.emplace(
            PassInput{.snapshot = {engine::snapshot::ClusterBuilder().build(),
                                   std::make_shared<const std::vector<engine::Group>>(1, group)}});
    }
    engine::Decision& decision() { return pass->result.outcome.decision; }
    void increase(std::optional<Error> error) {
        decision().increases = {{.group = NodeGroupId("web"), .from = 3, .by = 1}};
        pass->results.increases = {std::move(error)};
    }
    void remove(engine::RemovalCause cause, std::vector<Error> errors) {
        decision().removals = {{.group = NodeGroupId("web"),
                                .machines = {MachineId("m1"), MachineId("m2")},
                                .nodes = {"n1", ""},
                                .cause = cause,
                                .because = "unneeded for 10m"}};
        pass->results.removals = {std::move(errors)};
    }

    std::optional<PassReport> pass;
};

TEST_F(PassEvents, ReportAScaleUp) {
    increase(std::nullopt);
    EXPECT_THAT(lines(*pass),
                ElementsAre("ConfigMap kube-system/status: ScaledUpGroup: Scale-up: group web size "
                            "set to 4 instead of 3 (max: 10)"));
}

TEST_F(PassEvents, ReportUnrecognizedNodes) {
    decision().warnings = {"group web: 2 machines did not join"};
    EXPECT_THAT(lines(*pass), ElementsAre("!ConfigMap kube-system/status: NodesNotRecognized: "
                                          "group web: 2 machines did not join"));
}

TEST_F(PassEvents, ReportAFailedScaleUp) {
    increase(Error{ErrorCode::quota, "no more machines"});
    EXPECT_THAT(lines(*pass),
                ElementsAre("!ConfigMap kube-system/status: FailedToScaleUpGroup: Scale-up failed "
                            "for group web: no more machines"));
}

TEST_F(PassEvents, ReportWhyAPodLeavesAnInterruptedMachine) {
    decision().evictions = {{.ns = "shop",
                             .pod = "p",
                             .uid = "u",
                             .node = "n1",
                             .because = "the machine has a termination notice: spot interruption"}};
    pass->results.evictions = {std::nullopt};
    pass->memory.leaving["n1"] = {};
    EXPECT_THAT(lines(*pass), ElementsAre("Pod shop/p: ScaleDown: evicting pod: the machine has a "
                                          "termination notice: spot interruption"));
}

TEST_F(PassEvents, ReportRemovedNodesAndMachines) {
    remove(engine::RemovalCause::empty, {{.message = "in use", .subject = "m2"}});
    EXPECT_THAT(lines(*pass),
                ElementsAre("Node n1: ScaleDown: nodes removed by cluster autoscaler",
                            "ConfigMap kube-system/status: ScaleDownEmpty: Scale-down: empty node "
                            "n1 removed: unneeded for 10m",
                            "!ConfigMap kube-system/status: DeleteUnregisteredFailed: Failed to "
                            "remove node m2: in use"));
}

TEST_F(PassEvents, ReportTheReasonOfEachNode) {
    decision().removals = {{.group = NodeGroupId("web"),
                            .machines = {MachineId("m1"), MachineId("m2")},
                            .nodes = {"n1", "n2"},
                            .cause = engine::RemovalCause::underutilized,
                            .because = "n1: one reason, n2: another"}};
    pass->results.removals = {{}};
    pass->memory.removals = {{"n1", {.because = "one reason"}}, {"n2", {.because = "another"}}};
    EXPECT_THAT(lines(*pass),
                ElementsAre("Node n1: ScaleDown: nodes removed by cluster autoscaler",
                            "ConfigMap kube-system/status: ScaleDown: Scale-down: node n1 removed: "
                            "one reason",
                            "Node n2: ScaleDown: nodes removed by cluster autoscaler",
                            "ConfigMap kube-system/status: ScaleDown: Scale-down: node n2 removed: "
                            "another"));
}

TEST_F(PassEvents, ReportTaintsAndEvictions) {
    decision().node_changes = {
        {.node = "n1", .set_taints = {{.key = std::string(engine::to_be_deleted_taint)}}},
        {.node = "n2",
         .drop_taints = {std::string(engine::to_be_deleted_taint)},
         .because = "needed again"}};
    decision().evictions = {{.ns = "shop", .pod = "p", .uid = "u"}, {.ns = "shop", .pod = "q"}};
    pass->results.node_changes = {std::nullopt, std::nullopt};
    pass->results.evictions = {std::nullopt, Error{ErrorCode::throttled, "a budget"}};
    EXPECT_THAT(lines(*pass),
                ElementsAre("Node n1: ScaleDown: marked the node as toBeDeleted/unschedulable",
                            "Node n2: ClusterAutoscalerCleanup: removed taint "
                            "ToBeDeletedByClusterAutoscaler: needed again",
                            "Pod shop/p: ScaleDown: deleting pod for node scale down"));
    pass->results.node_changes[1] = Error{ErrorCode::unavailable, "the server is unavailable"};
    EXPECT_EQ(lines(*pass)[1],
              "!Node n2: ClusterAutoscalerCleanup: failed to remove taint "
              "ToBeDeletedByClusterAutoscaler: the server is unavailable");
}

TEST_F(PassEvents, ReportOnceThatAPodCannotBeEvicted) {
    decision().evictions = {{.ns = "shop", .pod = "p", .uid = "u", .node = "n1"}};
    pass->results.evictions = {Error{ErrorCode::permission, "a policy denies it"}};
    pass->memory.removals["n1"].evictions["shop/p/u"].barred_since = Time();
    EXPECT_THAT(lines(*pass), ElementsAre("!Pod shop/p: ScaleDownFailed: failed to delete pod for "
                                          "node scale down: a policy denies it"));
    pass->input.memory.removals = pass->memory.removals;
    EXPECT_THAT(lines(*pass), IsEmpty());
}

TEST_F(PassEvents, ReportThatADrainFailed) {
    const Taint mark{.key = std::string(engine::to_be_deleted_taint), .value = "1"};
    engine::snapshot::ClusterBuilder builder;
    builder.set(engine::snapshot::NodeObject{.name = "n1", .taints = {mark}});
    builder.set(engine::snapshot::NodeObject{.name = "n2"});
    pass->input.snapshot.cluster = builder.build();
    for (const char* node : {"n1", "n2"}) {
        pass->input.memory.removals[node].phase = engine::RemovalPhase::draining;
        decision().node_changes.push_back(
            {.node = node, .drop_taints = {mark.key}, .because = "pod shop/p cannot be evicted"});
    }
    pass->results.node_changes.resize(2);
    EXPECT_THAT(
        lines(*pass),
        ElementsAre(
            "!Node n1: ScaleDownFailed: node is not removed: pod shop/p cannot be evicted",
            "Node n1: ClusterAutoscalerCleanup: removed taint ToBeDeletedByClusterAutoscaler: "
            "pod shop/p cannot be evicted",
            "!Node n2: ScaleDownFailed: node is not removed: pod shop/p cannot be evicted"))
        << "another client removed the taint of n2";
    for (auto& [node, removal] : pass->input.memory.removals)
        removal.phase = engine::RemovalPhase::undoing;
    EXPECT_EQ(lines(*pass).size(), 1u) << "that was reported";
}

TEST_F(PassEvents, ReportAnUnhealthyAndAFullCluster) {
    pass->input.settings.nodes.max = 20;
    EXPECT_THAT(lines(*pass), IsEmpty());
    pass->result.outcome.figures.at_maximum = {{"cpu", 1}};
    EXPECT_THAT(lines(*pass), IsEmpty()) << "another limit";
    pass->result.outcome.figures.at_maximum = {{"nodes", 1}};
    EXPECT_THAT(lines(*pass, "12 of 20 nodes are not ready"),
                ElementsAre("!ConfigMap kube-system/status: ClusterUnhealthy: Cluster is "
                            "unhealthy: 12 of 20 nodes are not ready",
                            "!ConfigMap kube-system/status: MaxNodesTotalReached: Max total nodes "
                            "in cluster reached: 20"));
}

TEST_F(PassEvents, ReportWhichSettingHoldsScaleDownBack) {
    pass->result.outcome.figures.held_back = {
        {"scale_down.delay_after_add", {.nodes = 2, .after = "the last scale-up (group web)"}}};
    EXPECT_THAT(lines(*pass),
                ElementsAre("ConfigMap kube-system/status: ScaleDownHeldBack: Scale-down: unneeded "
                            "nodes are not removed yet: scale_down.delay_after_add after the last "
                            "scale-up (group web)"));
}

TEST_F(PassEvents, ReportOnceThatMachinesDidNotJoin) {
    const NodeGroupId web("web");
    pass->memory.backoffs[web] = {.last_failure = Time(std::chrono::hours(1)),
                                  .code = ErrorCode::deadline,
                                  .because = "2 machines of a target of 5 did not join"};
    EXPECT_THAT(lines(*pass),
                ElementsAre("!ConfigMap kube-system/status: ScaleUpTimedOut: Nodes added to group "
                            "web failed to register: 2 machines of a target of 5 did not join"));
    pass->input.memory.backoffs = pass->memory.backoffs;
    EXPECT_THAT(lines(*pass), IsEmpty()) << "an earlier pass reported it";
    pass->input.memory.backoffs[web].last_failure = Time();
    EXPECT_EQ(lines(*pass).size(), 1u) << "it failed again";
    pass->memory.backoffs[web].code = ErrorCode::out_of_capacity;
    pass->memory.backoffs[web].because = "1 machine failed: none left";
    EXPECT_THAT(lines(*pass),
                ElementsAre("!ConfigMap kube-system/status: ScaleUpFailed: Failed adding nodes to "
                            "group web: 1 machine failed: none left"));
    pass->memory.backoffs[web].code = ErrorCode::deadline;
    increase(Error{ErrorCode::deadline, "no answer"});
    ASSERT_EQ(lines(*pass).size(), 1u);
    EXPECT_THAT(lines(*pass)[0], ::testing::HasSubstr("FailedToScaleUpGroup"));
}

TEST_F(PassEvents, ReportAFailedDecrease) {
    decision().decreases = {{.group = NodeGroupId("web"), .from = 5, .by = 2}};
    pass->results.decreases = {Error{ErrorCode::permission, "forbidden"}};
    EXPECT_THAT(lines(*pass), ElementsAre("!ConfigMap kube-system/status: FailedToRevertScaleUp: "
                                          "Size of group web stays at 5: forbidden"));
    pass->results.decreases = {std::nullopt};
    EXPECT_THAT(lines(*pass), IsEmpty());
}

TEST_F(PassEvents, AreEmptyForADryRunOrADroppedDecision) {
    increase(std::nullopt);
    pass->dropped_because = "no longer the leader";
    EXPECT_THAT(lines(*pass), IsEmpty());
    pass->dropped_because.clear();
    pass->input.call_context.dry_run = true;
    EXPECT_THAT(lines(*pass), IsEmpty());
}

}  // namespace
}  // namespace capstan::autoscaler::daemon
