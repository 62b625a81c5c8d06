#include "autoscaler/daemon/event_reporter.hpp"

#include <gmock/gmock.h>

#include <string>
#include <vector>

#include "engine/snapshot/cluster_builder.hpp"

namespace capstan::autoscaler::daemon {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using namespace std::chrono_literals;

/// Passes over equal unbound pods of the namespace shop, and the events of the pods.
struct PodEventsTest : ::testing::Test {
    PodEvents events;
    std::vector<std::string> pods{"a", "b", "c", "d"};  ///< unbound
    Time now{};
    std::vector<std::string> triggered;  ///< pods with their first scale-up in the last pass

    PassReport pass() {
        engine::snapshot::ClusterBuilder builder;
        for (auto at = pods.rbegin(); at != pods.rend(); ++at)
            builder.set(engine::snapshot::PodObject{.ns = "shop", .name = *at, .uid = *at});
        const engine::Group group{.group = {.id = NodeGroupId("web"), .max = 10, .target = 3}};
        PassReport out(
            PassInput{.snapshot = {builder.build(),
                                   std::make_shared<const std::vector<engine::Group>>(1, group)}});
        out.at = now += 10s;
        return out;
    }
    static engine::PodGroupId equivalence_group_of(const PassReport& pass) {
        return pass.input.snapshot.cluster.equivalence_group_of(0);
    }
    /// The events, such as "a: TriggeredScaleUp", of a pass with a scale-up for `schedulable` pods
    /// and with `unschedulable` other pods.
    std::vector<std::string> reported(std::uint32_t schedulable, std::uint32_t unschedulable,
                                      std::size_t room = 100) {
        PassReport report = pass();
        engine::Decision& decision = report.result.outcome.decision;
        if (schedulable > 0) {
            decision.options = {{.group = NodeGroupId("web"),
                                 .pods = {{equivalence_group_of(report), "shop/a", schedulable}}}};
            decision.increases = {{.group = NodeGroupId("web"), .from = 3, .by = 1}};
            report.results.increases = {std::nullopt};
        }
        if (unschedulable > 0)
            decision.unschedulable = {
                {.pods = {equivalence_group_of(report), "shop/a", unschedulable},
                 .reason = {.sentence = "no"}}};
        return take(report, room);
    }
    std::vector<std::string> take(const PassReport& report, std::size_t room = 100) {
        triggered.clear();
        for (const auto& pod : events.update(report)) triggered.push_back(pod.name);
        std::vector<std::string> out;
        for (const kubernetes::client::EventNote& note : events.take(room))
            out.push_back(note.about.name + ": " + note.reason);
        return out;
    }
};

TEST_F(PodEventsTest, ReportScaleUpsAndReasonsForNone) {
    PassReport report = pass();
    const engine::PodGroupId pod_group = equivalence_group_of(report);
    engine::Decision& decision = report.result.outcome.decision;
    decision.options = {{.group = NodeGroupId("web"), .pods = {{pod_group, "shop/a", 2}}}};
    decision.increases = {{.group = NodeGroupId("web"), .from = 3, .by = 1}};
    report.results.increases = {std::nullopt};
    decision.unschedulable = {
        {.pods = {pod_group, "shop/c", 2},
         .groups = {{{NodeGroupId("web")}, {.sentence = "is at its maximum"}},
                    {{NodeGroupId("x"), NodeGroupId("y")}, {.sentence = "is backed off"}}}}};
    decision.no_new_group_reason.sentence =
        "no group could be created: limit of cpu: 8 are left, a node takes 16";
    events.update(report);
    std::vector<std::string> lines;
    for (const kubernetes::client::EventNote& note : events.take(3))
        lines.push_back(note.about.ns + "/" + note.about.name + ": " + note.reason + ": " +
                        note.message);
    EXPECT_THAT(lines, ElementsAre("shop/a: TriggeredScaleUp: pod triggered scale-up: [{web 3->4 "
                                   "(max: 10)}]",
                                   "shop/b: TriggeredScaleUp: pod triggered scale-up: [{web 3->4 "
                                   "(max: 10)}]",
                                   "shop/c: NotTriggerScaleUp: pod didn't trigger scale-up: 1 is "
                                   "at its maximum (group web), 2 is backed off; no group could be "
                                   "created: limit of cpu: 8 are left, a node takes 16"));
}

TEST_F(PodEventsTest, SeparateReasonsWithCommasBySemicolons) {
    PassReport report = pass();
    engine::Decision& decision = report.result.outcome.decision;
    decision.unschedulable = {
        {.pods = {equivalence_group_of(report), "shop/a", 1},
         .reason = {.sentence = "no group could be created: quota; 0 of 2 ..."},
         .groups = {{{NodeGroupId("web")}, {.sentence = "Insufficient cpu: needs 12, 4 are free"}},
                    {{NodeGroupId("x")}, {.sentence = "max node group size reached (2)"}}}}};
    decision.no_new_group_reason.sentence = "no group could be created: quota";
    events.update(report);
    EXPECT_EQ(events.take(1).at(0).message,
              "pod didn't trigger scale-up: no group could be created: quota; 1 Insufficient cpu: "
              "needs 12, 4 are free (group web); 1 max node group size reached (2)");
}

TEST_F(PodEventsTest, AreForPodsWithoutAnEarlierScaleUp) {
    EXPECT_THAT(reported(2, 0), ElementsAre("a: TriggeredScaleUp", "b: TriggeredScaleUp"));
    EXPECT_THAT(triggered, ElementsAre("a", "b"));
    pods.insert(pods.begin(), "Z");
    EXPECT_THAT(reported(2, 0), ElementsAre("Z: TriggeredScaleUp", "c: TriggeredScaleUp"))
        << "a and b are waiting for their node";
    EXPECT_THAT(reported(3, 0), ElementsAre("d: TriggeredScaleUp"))
        << "the two others have a recent event";
    EXPECT_THAT(triggered, ElementsAre("d"));
}

TEST_F(PodEventsTest, AreRepeatedForAnotherScaleUpAfterFiveMinutes) {
    EXPECT_THAT(reported(2, 0, 1), ElementsAre("a: TriggeredScaleUp"));
    now += 5min;
    EXPECT_THAT(reported(4, 0), ElementsAre("b: TriggeredScaleUp", "c: TriggeredScaleUp",
                                            "d: TriggeredScaleUp", "a: TriggeredScaleUp"));
    EXPECT_THAT(triggered, ElementsAre("c", "d"));
}

TEST_F(PodEventsTest, AreReportedLaterIfThereIsNoRoom) {
    EXPECT_THAT(reported(4, 0, 1), ElementsAre("a: TriggeredScaleUp"));
    EXPECT_EQ(events.waiting(), 3u);
    EXPECT_THAT(reported(0, 0, 2), ElementsAre("b: TriggeredScaleUp", "c: TriggeredScaleUp"));
    EXPECT_THAT(reported(0, 0, 2), ElementsAre("d: TriggeredScaleUp"));
    EXPECT_THAT(reported(0, 0, 2), IsEmpty());
    EXPECT_EQ(events.unreported(), 0u);
}

TEST_F(PodEventsTest, CountUnreportedPodsThatAreNoLongerPending) {
    reported(4, 0, 1);
    pods = {"a", "d"};
    EXPECT_THAT(reported(0, 0), ElementsAre("d: TriggeredScaleUp"));
    EXPECT_EQ(events.unreported(), 2u) << "b and c are bound";
    pods.clear();
    reported(0, 0);
    EXPECT_EQ(events.unreported(), 2u);
}

TEST_F(PodEventsTest, RotateOverUnschedulablePodsEveryFiveMinutes) {
    EXPECT_THAT(reported(0, 4, 2), ElementsAre("a: NotTriggerScaleUp", "b: NotTriggerScaleUp"));
    EXPECT_THAT(reported(0, 4, 2), ElementsAre("c: NotTriggerScaleUp", "d: NotTriggerScaleUp"));
    EXPECT_THAT(reported(0, 4, 2), IsEmpty());
    now += 5min;
    EXPECT_THAT(reported(0, 4, 1), ElementsAre("a: NotTriggerScaleUp"));
}

TEST_F(PodEventsTest, AreEmptyIfTheScaleUpFailed) {
    PassReport report = pass();
    engine::Decision& decision = report.result.outcome.decision;
    decision.options = {
        {.group = NodeGroupId("web"), .pods = {{equivalence_group_of(report), "shop/a", 2}}}};
    decision.increases = {{.group = NodeGroupId("web"), .from = 3, .by = 1}};
    report.results.increases = {Error{ErrorCode::quota, "no more machines"}};
    EXPECT_THAT(take(report), IsEmpty());
    EXPECT_THAT(triggered, IsEmpty());
}

TEST_F(PodEventsTest, AreEmptyForADryRunOrADroppedDecision) {
    for (const bool is_dry : {true, false}) {
        PassReport report = pass();
        report.result.outcome.decision.unschedulable = {
            {.pods = {equivalence_group_of(report), "shop/a", 3}, .reason = {.sentence = "no"}}};
        report.input.call_context.dry_run = is_dry;
        if (!is_dry) report.dropped_because = "no longer the leader";
        EXPECT_THAT(take(report), IsEmpty());
    }
}

}  // namespace
}  // namespace capstan::autoscaler::daemon
