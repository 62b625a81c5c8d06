// Running expendable pods can be preempted, so their room counts as free.
#include <gmock/gmock.h>

#include "../pass_case.hpp"
#include "engine/pass_context/pass_context.hpp"
#include "engine/scheduling/placement.hpp"

namespace capstan::engine::pass_context {
namespace {

using ::testing::IsEmpty;

/// Fills a node of 4 cores with expendable pods.
void fill_with_expendables(PassCase& c, const std::string& node, std::int32_t priority = -11,
                           bool never_preempts = false) {
    for (int n = 0; n < 4; ++n) {
        snapshot::PodObject& pod = c.test_cluster.pod("spare-" + std::to_string(n), node);
        pod.labels = {{"app", "web"}};
        pod.spec.requests = {{"cpu", 1000}};
        pod.spec.priority = priority;
        pod.spec.never_preempts = never_preempts;
    }
}

TEST(ExpendablePods, LeaveTheirRoomToOtherPods) {
    PassCase c;
    c.group("a", 0, 10);
    c.test_cluster.node("n");
    fill_with_expendables(c, "n");
    c.pods("web", 4, 1000);
    const Decision decision = c.decide();
    EXPECT_THAT(decision.increases, IsEmpty());
    EXPECT_EQ(skipped(decision, "fit on existing or upcoming nodes"), 4);
}

void never_preempts(snapshot::PodObject& pod) { pod.spec.never_preempts = true; }

TEST(ExpendablePods, KeepTheirRoomFromPodsThatNeverPreempt) {
    PassCase c;
    c.group("a", 0, 10);
    c.test_cluster.node("n");
    fill_with_expendables(c, "n");
    c.pods("web", 4, 1000, never_preempts);
    EXPECT_EQ(growth(c.decide()), (Growths{{"a", 1}}));
}

TEST(ExpendablePods, AreNamedIfTheyKeepTheirRoom) {
    PassCase c;
    c.test_cluster.node("n");
    fill_with_expendables(c, "n");
    c.pods("web", 1, 1000, never_preempts);
    const Snapshot snapshot = c.test_cluster.snapshot();
    const pass_context::PassContext context =
        pass_context::make_pass_context(snapshot, c.memory, c.settings, noon);
    const scheduling::Placement placement(*context.predicates);
    EXPECT_EQ(placement.why_not(0, 0).sentence,
              "Insufficient cpu: needs 1, 0 of 4 are free; expendable pods are not preempted "
              "(preemptionPolicy Never)");
}

TEST(ExpendablePods, LeaveTheOtherRoomToPodsThatNeverPreempt) {
    PassCase c;
    c.group("a", 0, 10);
    c.test_cluster.node("m");
    snapshot::PodObject& spare = c.test_cluster.pod("spare", "m");
    spare.spec.requests = {{"cpu", 1000}};
    spare.spec.priority = -11;
    c.pods("web", 4, 1000, never_preempts);
    const Decision decision = c.decide();
    EXPECT_EQ(growth(decision), (Growths{{"a", 1}}));
    EXPECT_EQ(skipped(decision, "fit on existing or upcoming nodes"), 3);
}

TEST(ExpendablePods, DoNotIncludePodsThatNeverPreempt) {
    PassCase c;
    c.group("a", 0, 10);
    c.test_cluster.node("n");
    fill_with_expendables(c, "n", -11, true);
    c.pods("web", 4, 1000);
    EXPECT_EQ(growth(c.decide()), (Growths{{"a", 1}}));
}

TEST(ExpendablePods, DoNotIncludePodsAtTheCutoff) {
    PassCase c;
    c.group("a", 0, 10);
    c.test_cluster.node("n");
    fill_with_expendables(c, "n", -10);
    c.pods("web", 4, 1000);
    EXPECT_EQ(growth(c.decide()), (Growths{{"a", 1}}));
}

TEST(ExpendablePods, LeaveAtMostTheRoomOfTheNode) {
    PassCase c;
    c.group("a", 0, 10);
    c.test_cluster.node("n");
    fill_with_expendables(c, "n");
    snapshot::PodObject& other = c.test_cluster.pod("stays", "n");
    other.spec.requests = {{"cpu", 500}};
    c.pods("web", 4, 1000);
    EXPECT_EQ(growth(c.decide()), (Growths{{"a", 1}}));
}

TEST(ExpendablePods, AreIgnoredByAntiAffinityOfOtherPods) {
    PassCase c;
    c.group("a", 0, 10);
    c.test_cluster.node("n").labels[hostname_key] = "n";
    fill_with_expendables(c, "n");
    c.pods("web", 1, 1000, apart_on(hostname_key));
    EXPECT_THAT(c.decide().increases, IsEmpty());
}

TEST(ExpendablePods, DoNotExcludeOtherPodsByAntiAffinity) {
    PassCase c;
    c.group("a", 0, 10);
    c.test_cluster.node("n").labels[hostname_key] = "n";
    snapshot::PodObject& spare = c.test_cluster.pod("spare", "n");
    spare.labels = {{"app", "web"}};
    spare.spec.priority = -11;
    apart_on(hostname_key)(spare);
    c.pods("web", 1, 1000);
    EXPECT_THAT(c.decide().increases, IsEmpty());
}

TEST(ExpendablePods, AreNotSubtractedFromCountsOnAClosedNode) {
    PassCase c;
    c.test_cluster.node("n").labels = {{hostname_key, "n"}, {zone_key, "za"}};
    c.test_cluster.node("m").labels = {{hostname_key, "m"}, {zone_key, "zb"}};
    fill_with_expendables(c, "n");
    c.pods("web", 2, 1000, spread_over(zone_key));
    const Snapshot snapshot = c.test_cluster.snapshot();
    const pass_context::PassContext context =
        pass_context::make_pass_context(snapshot, c.memory, c.settings, noon);
    scheduling::Placement placement(*context.predicates);
    const auto count_in = [&](std::size_t domain) {
        return placement.spread(0)->domains[domain].count;
    };
    const scheduling::Placement::Mark mark = placement.mark();
    EXPECT_EQ(count_in(0), 0);
    placement.close(*snapshot.cluster.find_node("n"));
    EXPECT_EQ(count_in(0), 0);
    placement.undo(mark);
    EXPECT_EQ(count_in(0), 0);
}

}  // namespace
}  // namespace capstan::engine::pass_context
