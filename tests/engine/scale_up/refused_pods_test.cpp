#include "engine/scale_up/refused_pods.hpp"

#include <gmock/gmock.h>

#include "../pass_case.hpp"

namespace capstan::engine::scale_up {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

/// A pending pod "web-0" and a group "a". Templates come from the cloud.
struct RefusedPodsCase : PassCase {
    explicit RefusedPodsCase(const Labels& selector = {}) {
        add_group("a");
        pods("web", 1, 1000, [&](snapshot::PodObject& pod) { pod.spec.node_selector = selector; });
    }

    void add_group(const std::string& id) {
        Group& group = test_cluster.group(id, 0);
        group.group.max = 10;
        group.group.template_fingerprint = "1";
        test_cluster.describe(id, amounts(4000)).labels = {{"disk", "ssd"}};
    }
    void set_max(int max) { test_cluster.change_group("a").group.max = max; }
    /// Runs a pass; the clouds accept all increases.
    void pass_at(Duration since_noon) {
        call_context.now = noon + since_noon;
        pass::Outcome outcome = run();
        Results results;
        results.increases.resize(outcome.decision.increases.size());
        for (const Increase& increase : outcome.decision.increases) {
            *test_cluster.change_group(increase.group.value()).group.target += increase.by;
            ++increases;
        }
        wake_at = outcome.wake_at;
        decision = outcome.decision;
        memory = pass::remember_results(std::move(outcome.memory), outcome.decision, results,
                                        settings, call_context.now);
    }
    snapshot::NodeObject& join(const std::string& name, Duration since_noon,
                               std::vector<Taint> taints = {{.key = "quarantine"}},
                               const std::string& group = "a") {
        snapshot::NodeObject& node = test_cluster.node(name, group);
        node.labels = {{"disk", "ssd"}};
        node.taints = std::move(taints);
        node.created = noon + since_noon - 10s;
        node.ready_since = noon + since_noon;
        return node;
    }
    void leave(const std::string& name) {
        test_cluster.drop_node(name, "a");
        --*test_cluster.change_group("a").group.target;
    }
    /// A node is requested at once and is ready after 80s, but the pod does not fit.
    void scale_up_and_join() {
        pass_at(0s);
        join("a-1", 80s);
        pass_at(80s);
        ASSERT_EQ(increases, 1) << "the taint may be removed within a minute";
    }
    /// Why the group's nodes refused pods; empty: they have not.
    std::string refused(const std::string& group = "a") const {
        const auto& records = memory.templates.at(NodeGroupId(group)).refused;
        return records.empty() ? "" : records.begin()->second.refusal.sentence;
    }
    std::string refused_after_pass_at(Duration since_noon) {
        pass_at(since_noon);
        return refused();
    }
    std::string reason() const {
        return decision.unschedulable.empty() ? "" : decision.unschedulable.front().reason.sentence;
    }

    int increases = 0;
    Decision decision{};
    std::optional<Time> wake_at{};
};

constexpr auto taint_sentence = "node(s) had untolerated taint {quarantine: }";

TEST(RefusedPods, GetNoOtherNodeAfterTheirNodeHasSettled) {
    RefusedPodsCase c;
    c.scale_up_and_join();
    EXPECT_EQ(c.wake_at, noon + 140s);
    EXPECT_EQ(c.refused_after_pass_at(130s), "");
    EXPECT_EQ(c.refused_after_pass_at(140s), taint_sentence);
    EXPECT_EQ(
        c.reason(),
        "group a: node(s) had untolerated taint {quarantine: }; node a-1 of the same template has "
        "taint quarantine:NoSchedule and did not take the pod; list the taint in "
        "scale_up.startup_taint if it is removed after startup");
    EXPECT_THAT(c.decision.warnings,
                ElementsAre(HasSubstr("group a: no new node for pod default/web-0: node(s) had")));
    c.pass_at(160s);
    EXPECT_EQ(c.increases, 1);
}

TEST(RefusedPods, GetNoOtherNodeAfterTheirNodeIsRemoved) {
    RefusedPodsCase c;
    c.pass_at(0s);
    c.join("a-1", 80s, {}).allocatable = amounts(900);
    EXPECT_EQ(c.refused_after_pass_at(80s), "Insufficient cpu: needs 1, 900m of 900m are free");
    c.leave("a-1");
    for (const int minutes : {2, 20, 300, 1400}) c.pass_at(std::chrono::minutes(minutes));
    EXPECT_EQ(c.increases, 1) << "neither the template nor the pod has changed";
    c.pass_at(25h);
    EXPECT_EQ(c.increases, 2) << "one node per day is tried";
}

TEST(RefusedPods, AreRefusedForLabelsAndResources) {
    const auto refused = [](auto change) {
        RefusedPodsCase c(Labels{{"disk", "ssd"}});
        c.pass_at(0s);
        change(c.join("a-1", 80s, {}));
        c.pass_at(80s);
        c.pass_at(140s);
        return c.reason();
    };
    EXPECT_THAT(refused([](snapshot::NodeObject& node) { node.labels.clear(); }),
                HasSubstr("node a-1 of the same template lacks label disk=ssd"));
    EXPECT_THAT(refused([](snapshot::NodeObject& node) { node.allocatable = amounts(900); }),
                HasSubstr("Insufficient cpu: needs 1, 900m of 900m are free; node a-1 of the same "
                          "template has 900m of cpu instead of 4 and did not take the pod"));
    EXPECT_EQ(refused([](snapshot::NodeObject&) {}), "") << "the pod fits";
}

TEST(RefusedPods, DoNotBlockOtherPods) {
    RefusedPodsCase c;
    c.scale_up_and_join();
    c.pass_at(140s);
    c.leave("a-1");
    c.pods("tolerant", 1, 1000, [](snapshot::PodObject& pod) {
        pod.spec.tolerations = {{.key = "quarantine", .op = Toleration::Op::exists}};
    });
    c.pass_at(160s);
    EXPECT_EQ(c.increases, 2);
}

TEST(RefusedPods, AreDetectedOnANodeWithOtherPods) {
    RefusedPodsCase c;
    c.scale_up_and_join();
    c.test_cluster.pod("other", "a-1");
    EXPECT_EQ(c.refused_after_pass_at(140s), taint_sentence);
}

TEST(RefusedPods, AreNotDetectedOnAFullNode) {
    RefusedPodsCase c;
    c.pass_at(0s);
    c.join("a-1", 80s, {});
    c.test_cluster.pod("other", "a-1").spec.requests = {{"cpu", 3500}};
    EXPECT_EQ(c.refused_after_pass_at(80s), "");
    EXPECT_EQ(c.increases, 2);
}

TEST(RefusedPods, AreNotDetectedOnOlderNodesOrTemplates) {
    RefusedPodsCase older;
    older.join("a-0", -1h);
    *older.test_cluster.change_group("a").group.target = 1;
    older.pass_at(0s);
    EXPECT_EQ(older.refused_after_pass_at(140s), "");
    RefusedPodsCase other;
    other.pass_at(0s);
    other.join("a-1", 80s);
    other.test_cluster.change_group("a").group.template_fingerprint = "2";
    other.pass_at(80s);
    EXPECT_EQ(other.refused_after_pass_at(140s), "");
}

TEST(RefusedPods, AreDetectedEvenIfTheGroupIsAtMaxSize) {
    RefusedPodsCase c;
    c.set_max(1);
    c.pass_at(0s);
    c.join("a-1", 80s);
    c.pass_at(80s);
    EXPECT_EQ(c.refused_after_pass_at(140s), taint_sentence);
}

TEST(RefusedPods, GetOneNodeOfEachSimilarGroup) {
    RefusedPodsCase c;
    c.add_group("b");
    c.pass_at(0s);
    c.join("a-1", 80s);
    c.pass_at(80s);
    c.pass_at(140s);
    EXPECT_EQ(c.refused("a"), taint_sentence);
    ASSERT_EQ(*c.test_cluster.change_group("b").group.target, 1)
        << "the next increase is of the other group";
    c.join("b-1", 220s, {{.key = "quarantine"}}, "b");
    c.pass_at(220s);
    c.pass_at(280s);
    EXPECT_EQ(c.refused("b"), taint_sentence);
    for (const Duration at : {300s, 450s, 600s}) c.pass_at(at);
    EXPECT_EQ(c.increases, 2);
}

TEST(RefusedPods, AreNotDetectedWithAStaleView) {
    RefusedPodsCase c;
    c.set_max(1);
    c.pass_at(0s);
    c.join("a-1", 80s);
    c.pass_at(80s);
    c.call_context.unobserved_because = "the watch of pods is broken";
    EXPECT_EQ(c.refused_after_pass_at(140s), "");
    c.call_context.unobserved_because.clear();
    EXPECT_EQ(c.refused_after_pass_at(150s), taint_sentence);
}

TEST(RefusedPods, AreForgottenWithTheTemplate) {
    RefusedPodsCase c;
    c.scale_up_and_join();
    c.pass_at(140s);
    c.leave("a-1");
    c.test_cluster.change_group("a").group.template_fingerprint = "2";
    EXPECT_EQ(c.refused_after_pass_at(150s), "");
    EXPECT_EQ(c.increases, 2);
}

TEST(RefusedPods, AreForgottenIfALaterNodeAcceptsThem) {
    RefusedPodsCase c;
    c.scale_up_and_join();
    c.pass_at(140s);
    c.join("a-2", 200s, {});
    EXPECT_EQ(c.refused_after_pass_at(200s), "");
}

TEST(RefusedPods, AreForgottenIfTheSameNodeAcceptsThem) {
    RefusedPodsCase c;
    c.scale_up_and_join();
    ASSERT_EQ(c.refused_after_pass_at(140s), taint_sentence);
    c.test_cluster.change_node("a-1").taints.clear();
    EXPECT_EQ(c.refused_after_pass_at(200s), "");
}

TEST(RefusedPods, AreNotDetectedIfAnotherNodeAcceptsThem) {
    RefusedPodsCase c;
    c.pods("other", 1, 3500);
    c.pass_at(0s);
    c.join("a-1", 80s, {});
    c.join("a-2", 80s);
    EXPECT_EQ(c.refused_after_pass_at(140s), "") << "only one of two nodes is tainted";
}

TEST(RefusedPods, AreNotDetectedOnANodeUnderPressure) {
    RefusedPodsCase c;
    c.pass_at(0s);
    c.join("a-1", 80s, {{.key = "node.kubernetes.io/disk-pressure"}});
    c.pass_at(80s);
    EXPECT_EQ(c.refused_after_pass_at(140s), "");
}

TEST(RefusedPods, AreNotDetectedOnANodeFilledByADaemonSet) {
    RefusedPodsCase c;
    c.pass_at(0s);
    c.join("a-1", 80s, {});
    c.test_cluster.daemon_set("agent");
    c.test_cluster.daemon("agent", "agent-1", "a-1").spec.requests = {{"cpu", 3500}};
    EXPECT_EQ(c.refused_after_pass_at(80s), "");
}

TEST(RefusedPods, IncludeOtherPodsThatDoNotTolerateTheTaint) {
    RefusedPodsCase c;
    c.scale_up_and_join();
    c.pods("other", 1, 500);
    c.pass_at(140s);
    EXPECT_EQ(c.memory.templates.at(NodeGroupId("a")).refused.size(), 2u);
}

TEST(RefusedPods, AreForgottenADayAfterTheyWerePending) {
    RefusedPodsCase c;
    c.scale_up_and_join();
    c.pass_at(140s);
    c.test_cluster.drop_pod("web-0");
    EXPECT_EQ(c.refused_after_pass_at(23h), taint_sentence);
    EXPECT_EQ(c.refused_after_pass_at(25h), "");
}

}  // namespace
}  // namespace capstan::engine::scale_up
