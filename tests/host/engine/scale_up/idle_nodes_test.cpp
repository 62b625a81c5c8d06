#include "engine/scale_up/idle_nodes.hpp"

#include <gmock/gmock.h>

#include "../pass_case.hpp"
#include "engine/health/backoff.hpp"

namespace capstan::engine::scale_up {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;

/// One pod "web-0" that waits, and a group "a". Templates are the cloud's.
struct OrderingCase : PassCase {
    explicit OrderingCase(const Labels& selector = {}) {
        add_group("a");
        pods("web", 1, 1000, [&](snapshot::PodObject& pod) { pod.spec.node_selector = selector; });
    }

    void add_group(const std::string& id) {
        Group& group = world.group(id, 0);
        group.group.max = 10;
        group.group.template_fingerprint = "1";
        world.describe(id, amounts(4000)).labels = {{"disk", "ssd"}};
    }
    void set_max(int max) { world.change_group("a").group.max = max; }
    /// The clouds agree to everything.
    void pass_at(Duration since_noon) {
        call_context.now = noon + since_noon;
        pass::Outcome outcome = run();
        Results results;
        results.increases.resize(outcome.decision.increases.size());
        for (const Increase& increase : outcome.decision.increases) {
            *world.change_group(increase.group.value()).group.target += increase.by;
            ++increases;
        }
        wake_at = outcome.wake_at;
        memory = pass::remember_results(std::move(outcome.memory), outcome.decision, results,
                                        settings, call_context.now);
    }
    snapshot::NodeObject& join(const std::string& name, Duration since_noon,
                               std::vector<Taint> taints = {{.key = "quarantine"}},
                               const std::string& group = "a") {
        snapshot::NodeObject& node = world.node(name, group);
        node.labels = {{"disk", "ssd"}};
        node.taints = std::move(taints);
        node.created = noon + since_noon - 10s;
        node.ready_since = noon + since_noon;
        return node;
    }
    /// Ordered at once, ready at 80 s, and of no use; the next one is on its way.
    void order_and_join() {
        pass_at(0s);
        join("a-1", 80s);
        pass_at(80s);
        ASSERT_EQ(increases, 2);
    }
    /// The group may have one node, which is ordered at once, ready at 80 s, and of no use.
    void order_and_join_the_only_one() {
        set_max(1);
        pass_at(0s);
        join("a-1", 80s);
        pass_at(80s);
    }
    const Backoff* backoff(const std::string& group = "a") const {
        return health::find_backoff(memory, NodeGroupId(group), call_context.now);
    }
    /// The length of the back-off after a pass at this time; zero: there is none.
    Duration backoff_after_pass_at(Duration since_noon) {
        pass_at(since_noon);
        return backoff() == nullptr ? 0s : backoff()->length;
    }

    int increases = 0;
    std::optional<Time> wake_at{};
};

TEST(IdleNodes, BackTheirGroupOffOnceTheyHadAMinuteToTakeThePodsTheyCameFor) {
    OrderingCase c;
    c.order_and_join();
    EXPECT_EQ(c.wake_at, noon + 140s);
    c.pass_at(130s);
    EXPECT_EQ(c.backoff(), nullptr);
    c.pass_at(140s);
    ASSERT_NE(c.backoff(), nullptr);
    EXPECT_EQ(health::why_backed_off(*c.backoff(), c.call_context.now),
              "backed off for 5m more: node a-1 took none of the pods it came for: node(s) had "
              "untolerated taint {quarantine: }; unlike its template it has taint "
              "quarantine:NoSchedule");
    c.pass_at(160s);
    EXPECT_EQ(c.increases, 2);
}

TEST(IdleNodes, OfWhichTwoAreInTheirFirstMinuteHaveTheirGroupWaitForThem) {
    OrderingCase c;
    c.order_and_join();
    c.join("a-2", 90s);
    for (const Duration at : {90s, 100s, 130s}) c.pass_at(at);
    EXPECT_EQ(c.increases, 2);
    EXPECT_EQ(c.backoff(), nullptr) << "a taint may go yet";
    EXPECT_EQ(c.wake_at, noon + 140s);
    c.pass_at(140s);
    EXPECT_NE(c.backoff(), nullptr);
}

TEST(IdleNodes, AreToldByTheLabelOrTheRoomTheyLack) {
    const auto told = [](auto change) {
        OrderingCase c(Labels{{"disk", "ssd"}});
        c.pass_at(0s);
        change(c.join("a-1", 80s, {}));
        c.pass_at(80s);
        c.pass_at(140s);
        return c.backoff() == nullptr ? "" : c.backoff()->because;
    };
    EXPECT_THAT(told([](snapshot::NodeObject& node) { node.labels.clear(); }),
                HasSubstr("unlike its template it lacks label disk=ssd"));
    EXPECT_THAT(
        told([](snapshot::NodeObject& node) { node.allocatable = amounts(900); }),
        HasSubstr("Insufficient cpu: needs 1, 900m of 900m are free; unlike its template it "
                  "has 900m of cpu instead of 4"));
    EXPECT_EQ(told([](snapshot::NodeObject&) {}), "") << "the pod has room there";
}

TEST(IdleNodes, AreNoneThatHavePods) {
    OrderingCase c;
    c.order_and_join();
    c.world.pod("other", "a-1");
    c.pass_at(140s);
    EXPECT_EQ(c.backoff(), nullptr);
}

TEST(IdleNodes, AreNoneThatCameBeforeThePodsOrOfAnOlderTemplate) {
    OrderingCase older;
    older.join("a-0", -1h);
    *older.world.change_group("a").group.target = 1;
    older.pass_at(0s);
    older.pass_at(140s);
    EXPECT_EQ(older.backoff(), nullptr);
    OrderingCase other;
    other.pass_at(0s);
    other.join("a-1", 80s);
    other.world.change_group("a").group.template_fingerprint = "2";
    other.pass_at(80s);
    other.pass_at(140s);
    EXPECT_EQ(other.backoff(), nullptr);
}

// It stands for the cloud's template: the pod waits, and others may have more of it.
TEST(IdleNodes, AreTheTemplateWhereTheyMayBe) {
    OrderingCase c;
    c.settings.template_source = TemplateSource::mixed;
    c.order_and_join();
    c.pass_at(140s);
    c.pass_at(160s);
    EXPECT_EQ(c.backoff(), nullptr);
    EXPECT_EQ(c.increases, 2);
}

TEST(IdleNodes, KeepTheirGroupAloneForLongerEachTime) {
    for (const BackoffPolicy policy : {BackoffPolicy::exponential, BackoffPolicy::until_joined}) {
        OrderingCase c;
        c.settings.backoff = policy;
        c.order_and_join();
        c.pass_at(140s);
        c.join("a-2", 150s);
        EXPECT_EQ(c.backoff_after_pass_at(150s), 5min);
        EXPECT_EQ(c.backoff_after_pass_at(450s), 10min);
        EXPECT_EQ(c.increases, 2) << "the nodes that are there tell enough";
        for (const char* gone : {"a-1", "a-2"}) c.world.change_node(gone).ready = false;
        c.pass_at(1060s);
        EXPECT_EQ(c.increases, 3);
        c.join("a-3", 1140s);
        EXPECT_EQ(c.backoff_after_pass_at(1140s), 20min) << "without a minute";
        EXPECT_EQ(c.increases, 3);
    }
}

TEST(IdleNodes, BackTheirGroupOffThoughItIsAtItsMaximumAndOrdersNoFurtherNode) {
    OrderingCase c;
    c.order_and_join_the_only_one();
    EXPECT_EQ(c.wake_at, noon + 140s);
    EXPECT_EQ(c.backoff_after_pass_at(110s), 0s) << "the node has its minute";
    EXPECT_EQ(c.backoff_after_pass_at(140s), 5min);
    EXPECT_EQ(c.backoff_after_pass_at(450s), 10min) << "the node is there still";
    EXPECT_EQ(c.increases, 1);
}

TEST(IdleNodes, OfSimilarGroupsBackEachOfThemOff) {
    OrderingCase c;
    c.add_group("b");
    c.pass_at(0s);
    c.join("a-1", 80s);
    c.pass_at(80s);
    ASSERT_EQ(*c.world.change_group("b").group.target, 1) << "the next order is the other's";
    c.pass_at(110s);
    c.pass_at(140s);
    EXPECT_NE(c.backoff("a"), nullptr);
    EXPECT_EQ(c.backoff("b"), nullptr);
    c.join("b-1", 160s, {{.key = "quarantine"}}, "b");
    c.pass_at(160s);
    c.pass_at(220s);
    EXPECT_NE(c.backoff("b"), nullptr);
    c.join("b-2", 240s, {{.key = "quarantine"}}, "b");
    for (const Duration at : {240s, 450s, 530s}) c.pass_at(at);
    EXPECT_EQ(c.increases, 3) << "the nodes that are there tell enough of either group";
}

TEST(IdleNodes, AreRememberedWhileTheirGroupIsBackedOffForAnotherFailure) {
    OrderingCase c;
    c.order_and_join_the_only_one();
    c.memory.backoffs[NodeGroupId("a")] = {
        .until = noon + 200s, .length = 2min, .last_failure = noon + 80s, .code = ErrorCode::quota};
    EXPECT_EQ(c.backoff_after_pass_at(140s), 2min);
    c.pass_at(201s);
    ASSERT_NE(c.backoff(), nullptr);
    EXPECT_THAT(c.backoff()->because, HasSubstr("node a-1 took none of the pods it came for"));
}

TEST(IdleNodes, AreRememberedWhileTheClusterIsNotSeen) {
    OrderingCase c;
    c.order_and_join_the_only_one();
    c.call_context.unobserved_because = "the watch of pods is broken";
    c.pass_at(110s);
    c.pass_at(140s);
    EXPECT_EQ(c.backoff(), nullptr);
    c.call_context.unobserved_because.clear();
    c.pass_at(150s);
    EXPECT_NE(c.backoff(), nullptr);
}

TEST(IdleNodes, EndTheBackoffWhenTheyTakeAPod) {
    OrderingCase c;
    c.order_and_join();
    ASSERT_EQ(c.backoff_after_pass_at(140s), 5min);
    c.world.pod("tolerates", "a-1");
    c.pass_at(150s);
    EXPECT_EQ(c.backoff(), nullptr);
    EXPECT_THAT(c.memory.templates.at(NodeGroupId("a")).idle_node, IsEmpty());
}

TEST(IdleNodes, EndNoBackoffThatLastsUntilAMachineJoins) {
    OrderingCase c;
    c.settings.backoff = BackoffPolicy::until_joined;
    c.order_and_join();
    c.pass_at(140s);
    c.memory.backoffs[NodeGroupId("a")] = {.last_failure = noon + 145s,
                                           .code = ErrorCode::out_of_capacity};
    c.world.pod("tolerates", "a-1");
    c.pass_at(150s);
    EXPECT_NE(c.backoff(), nullptr);
    EXPECT_THAT(c.memory.templates.at(NodeGroupId("a")).idle_node, IsEmpty());
}

TEST(IdleNodes, AreForgottenWithTheTemplateThatWasWrong) {
    OrderingCase c;
    c.order_and_join();
    ASSERT_EQ(c.backoff_after_pass_at(140s), 5min);
    c.world.change_group("a").group.template_fingerprint = "2";
    c.pass_at(150s);
    EXPECT_EQ(c.backoff(), nullptr);
}

}  // namespace
}  // namespace capstan::engine::scale_up
