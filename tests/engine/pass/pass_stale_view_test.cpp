// Passes with a stale view of the cluster: removals and time-outs are deferred; scale-up and the
// undoing of removals go on.
#include <gmock/gmock.h>

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "../node_removal.hpp"
#include "../pass_case.hpp"
#include "engine/node_marks.hpp"

namespace capstan::engine::pass {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::SizeIs;

const char* const stale = "Pod was last synced 20s ago";

/// A group "web" whose nodes have 4 cores. Empty nodes are removed when they have been unneeded for
/// ten minutes.
struct StaleViewCase : PassCase {
    StaleViewCase() {
        memory.started = true;
        Group& group = test_cluster.group("web", 0);
        group.group.max = 10;
        group.group.template_fingerprint = "1";
        test_cluster.describe("web", amounts(4000));
    }
    snapshot::NodeObject& node(const std::string& name) {
        ++*test_cluster.change_group("web").group.target;
        return test_cluster.node(name, "web");
    }
    /// An empty node whose removal entered `phase` at noon.
    NodeRemoval& removing(const std::string& name, RemovalPhase phase) {
        node(name);
        NodeRemoval& out = memory.removals[name];
        out = begun_removal(NodeGroupId("web"), MachineId(name), phase, noon);
        out.empty = true;
        return out;
    }
    /// Runs a pass. The cloud accepts increases; other actions are not applied.
    const Decision& pass_at(Duration since_noon, const std::string& unobserved_because = {}) {
        call_context.now = noon + since_noon;
        call_context.unobserved_because = unobserved_because;
        pass::Outcome outcome = run();
        decision = std::move(outcome.decision);
        memory = std::move(outcome.memory);
        if (decision.increases.empty()) return decision;
        Results results;
        results.increases.resize(decision.increases.size());
        for (const Increase& increase : decision.increases)
            *test_cluster.change_group(increase.group.value()).group.target += increase.by;
        memory = pass::remember_results(std::move(memory), decision, results, settings,
                                        call_context.now);
        return decision;
    }
    /// Nodes marked by the last pass.
    std::vector<std::string> marked() const {
        std::vector<std::string> out;
        for (const NodeChange& change : decision.node_changes) {
            const auto& taints = change.set_taints;
            if (std::ranges::find(taints, to_be_deleted_taint, &Taint::key) != taints.end())
                out.push_back(change.node);
        }
        return out;
    }
    /// Machines removed by the last pass.
    std::vector<std::string> removed() const {
        std::vector<std::string> out;
        for (const MachineRemoval& removal : decision.removals)
            for (const MachineId& id : removal.machines) out.push_back(id.value());
        return out;
    }
    Time unneeded_since(const std::string& name) const { return memory.unneeded.at(name).since; }
    /// NULL: group web has no back-off.
    const Backoff* backoff() const {
        const auto at = memory.backoffs.find(NodeGroupId("web"));
        return at == memory.backoffs.end() ? nullptr : &at->second;
    }

    Decision decision{};
};

TEST(StaleViewPass, MarksNoNodeAndReportsWhy) {
    StaleViewCase c;
    c.node("n1");
    c.pass_at(0s);
    c.pass_at(11min, stale);
    EXPECT_THAT(c.decision.node_changes, IsEmpty());
    EXPECT_THAT(c.memory.removals, IsEmpty());
    EXPECT_EQ(c.decision.no_removals_because,
              "the view of the cluster is stale: Pod was last synced 20s ago");
    c.pass_at(11min);
    EXPECT_THAT(c.marked(), ElementsAre("n1")) << "the deferred removal begins";
    EXPECT_EQ(c.decision.no_removals_because, "");
}

TEST(StaleViewPass, DoesNotContinueRemovals) {
    StaleViewCase c;
    c.removing("n1", RemovalPhase::draining).empty = false;
    snapshot::PodObject& pod = c.test_cluster.pod("web-1", "n1");
    pod.owner = {.kind = "ReplicaSet", .api_group = "apps", .name = "web"};
    pod.phase = snapshot::PodPhase::running;
    c.removing("n2", RemovalPhase::tainting);
    c.removing("n3", RemovalPhase::waiting);
    c.removing("n4", RemovalPhase::deleting);
    c.node("n5");  // the destination of the pod
    const auto before = c.memory.removals;
    c.pass_at(10s, stale);
    EXPECT_THAT(c.decision.node_changes, IsEmpty());
    EXPECT_THAT(c.decision.evictions, IsEmpty());
    EXPECT_THAT(c.removed(), IsEmpty());
    EXPECT_EQ(c.memory.removals, before);
    c.pass_at(10s);
    EXPECT_THAT(c.marked(), ElementsAre("n2"));
    EXPECT_EQ(c.decision.evictions.size(), 1u);
    EXPECT_THAT(c.removed(), ElementsAre("n3", "n4"));
}

TEST(StaleViewPass, DoesNotRemoveUnjoinedMachines) {
    StaleViewCase c;
    c.node("n1");
    ++*c.test_cluster.change_group("web").group.target;
    c.test_cluster.machine("web", "late");
    c.pass_at(0s);
    c.pass_at(16min, stale);
    EXPECT_THAT(c.removed(), IsEmpty());
    c.pass_at(16min);
    EXPECT_THAT(c.removed(), ElementsAre("late"));
}

TEST(StaleViewPass, DoesNotTimeOutMachines) {
    StaleViewCase c;
    c.pods("web", 1, 1000);
    EXPECT_EQ(growth(c.pass_at(0s)), (Growths{{"web", 1}}));
    c.test_cluster.machine("web", "late").launched = noon + 1s;
    c.pass_at(10s);
    const auto requests = c.memory.requests;
    EXPECT_EQ(growth(c.pass_at(15min + 20s, stale)), Growths());
    EXPECT_EQ(c.backoff(), nullptr);
    EXPECT_EQ(c.memory.requests, requests) << "the next pass with a fresh view evaluates them";
    c.test_cluster.node("late");
    EXPECT_EQ(growth(c.pass_at(15min + 30s)), Growths());
    EXPECT_EQ(c.backoff(), nullptr);
    EXPECT_THAT(c.memory.requests, IsEmpty());
}

TEST(StaleViewPass, DefersTheTimeoutOfARequest) {
    StaleViewCase c;
    c.pods("web", 1, 1000);
    c.pass_at(0s);
    c.pass_at(15min + 20s, stale);
    EXPECT_EQ(c.backoff(), nullptr);
    c.pass_at(15min + 30s);
    ASSERT_NE(c.backoff(), nullptr);
    EXPECT_EQ(c.backoff()->code, ErrorCode::deadline);
    EXPECT_EQ(c.backoff()->since, noon + 15min + 30s);
}

TEST(StaleViewPass, DefersTheTimeoutOfAMachine) {
    StaleViewCase c;
    c.pods("web", 1, 3000);
    c.pass_at(0s);
    c.test_cluster.machine("web", "late");
    c.pass_at(10s);
    c.pods("more", 1, 3000);
    EXPECT_EQ(growth(c.pass_at(10min)), (Growths{{"web", 1}}))
        << "the deadline of the request moves";
    EXPECT_EQ(growth(c.pass_at(15min + 20s, stale)), Growths());
    EXPECT_EQ(c.backoff(), nullptr);
    c.pass_at(15min + 30s);
    ASSERT_NE(c.backoff(), nullptr);
    EXPECT_EQ(c.backoff()->because, "machine late: did not join within 15m");
}

TEST(StaleViewPass, DoesNotRepeatTheFailureOfALateMachine) {
    StaleViewCase c;
    ++*c.test_cluster.change_group("web").group.target;
    c.test_cluster.machine("web", "late");
    c.pass_at(0s);
    c.pass_at(16min);
    ASSERT_NE(c.backoff(), nullptr);
    ++*c.test_cluster.change_group("web").group.target;
    c.memory.requests[NodeGroupId("web")] = {
        .since = noon + 22min, .deadline = noon + 37min, .increase = 1};
    c.pass_at(23min, stale);
    c.pass_at(24min);
    EXPECT_EQ(c.backoff()->last_failure, noon + 16min);
}

TEST(StaleViewPass, BacksOffAGroupWithAFailedMachine) {
    StaleViewCase c;
    c.pods("web", 1, 1000);
    c.pass_at(0s);
    c.test_cluster.machine("web", "m").error = Error{ErrorCode::out_of_capacity, "none are left"};
    c.pass_at(10s, stale);
    ASSERT_NE(c.backoff(), nullptr);
    EXPECT_EQ(c.backoff()->code, ErrorCode::out_of_capacity);
}

TEST(StaleViewPass, RemovesMarks) {
    StaleViewCase c;
    c.removing("n1", RemovalPhase::undoing);
    c.test_cluster.change_node("n1").taints = {{.key = std::string(to_be_deleted_taint)}};
    c.pass_at(10s, stale);
    ASSERT_EQ(c.decision.node_changes.size(), 1u);
    const NodeChange& change = c.decision.node_changes[0];
    EXPECT_EQ(change.node, "n1");
    EXPECT_THAT(change.drop_taints, ::testing::Contains(std::string(to_be_deleted_taint)));
    EXPECT_EQ(change.unschedulable, false);
    EXPECT_THAT(c.decision.notes, ElementsAre("node n1 is not removed: unneeded"));
}

TEST(StaleViewPass, DoesNotCountAsUnneededTime) {
    StaleViewCase c;
    c.node("n1");
    c.pass_at(0s);
    c.pass_at(4min, stale);
    c.pass_at(6min, stale);
    EXPECT_EQ(c.unneeded_since("n1"), noon);
    EXPECT_EQ(c.memory.unobserved_since, noon + 4min);
    c.pass_at(7min);
    EXPECT_EQ(c.unneeded_since("n1"), noon + 3min);
    EXPECT_EQ(c.memory.unobserved_since, std::nullopt);
    c.pass_at(13min);
    EXPECT_THAT(c.marked(), IsEmpty());
    c.pass_at(13min + 1s);
    EXPECT_THAT(c.marked(), ElementsAre("n1"));
}

TEST(StaleViewPass, StartsTheUnneededTimeWithTheNextFreshView) {
    StaleViewCase c;
    c.pass_at(0s, stale);
    c.node("n1");
    c.pass_at(3min, stale);
    EXPECT_EQ(c.unneeded_since("n1"), noon + 3min);
    c.pass_at(5min);
    EXPECT_EQ(c.unneeded_since("n1"), noon + 5min);
}

TEST(StaleViewPass, AddsNodesForPendingPods) {
    StaleViewCase c;
    c.pods("web", 9, 1300);
    c.pass_at(0s, stale);
    EXPECT_EQ(growth(c.decision), (Growths{{"web", 3}}));
}

TEST(StaleViewPass, DoesNotDetectRefusedPods) {
    StaleViewCase c;
    c.pods("web", 1, 1000);
    c.pass_at(0s);
    // Not node(): the machine was already requested.
    snapshot::NodeObject& node = c.test_cluster.node("web-1", "web");
    node.taints = {{.key = "quarantine"}};
    node.created = noon + 70s;
    node.ready_since = noon + 80s;
    c.pass_at(80s);
    c.pass_at(140s, stale);
    EXPECT_THAT(c.memory.templates.at(NodeGroupId("web")).refused, IsEmpty());
    c.pass_at(140s);
    EXPECT_THAT(c.memory.templates.at(NodeGroupId("web")).refused, SizeIs(1));
}

}  // namespace
}  // namespace capstan::engine::pass
