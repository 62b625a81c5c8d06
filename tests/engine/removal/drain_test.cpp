#include "removal_case.hpp"

namespace capstan::engine::removal {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using enum RemovalPhase;

const char* const announce = "n1: +BeingDeleted";
const char* const remove = "remove n1 of a";

struct Drain : RemovalCase {
    Drain() {
        node("n1");
        removing("n1", draining);
    }
    std::optional<Duration> grace_of(const std::string& pod) {
        for (const Eviction& eviction : decide().evictions)
            if (eviction.pod == pod) return eviction.grace;
        ADD_FAILURE() << pod << " is not evicted";
        return {};
    }
};

TEST_F(Drain, EvictsAllPodsAtOnce) {
    pod("web-2", "n1");
    pod("web-1", "n1");
    pod("elsewhere", "n2");
    const Decision decision = decide();
    ASSERT_EQ(decision.evictions.size(), 2u);
    EXPECT_EQ(decision.evictions[0], (Eviction{.ns = "default",
                                               .pod = "web-1",
                                               .uid = "web-1-uid",
                                               .node = "n1",
                                               .because = "unneeded"}));
    EXPECT_THAT(pass(), ElementsAre("evict web-1", "evict web-2"));
    EXPECT_THAT(pass(), ElementsAre(announce, remove));
}

TEST_F(Drain, RetriesRefusedEvictions) {
    pod("web-1", "n1");
    errors["web-1"] = refused;
    EXPECT_THAT(pass(), ElementsAre("evict web-1"));
    now += 9s;
    EXPECT_THAT(pass(), IsEmpty());
    EXPECT_EQ(steps.wake_at, noon + 10s);
    now += 1s;
    EXPECT_THAT(pass(), ElementsAre("evict web-1"));
}

TEST_F(Drain, DoesNotExceedABudget) {
    pod("web-1", "n1");
    pod("web-2", "n1");
    budget(1);
    EXPECT_THAT(pass(), ElementsAre("evict web-1"));
    EXPECT_EQ(memory.removals.at("n1").evictions.at("default/web-2/web-2-uid").refused, now);
    budget(0);
    now += 10s;
    EXPECT_THAT(pass(), IsEmpty());
    budget(1);
    now += 10s;
    EXPECT_THAT(pass(), ElementsAre("evict web-2"));
}

TEST_F(Drain, GivesABudgetToTheOldestRemoval) {
    node("n0");
    removing("n0", draining).since = now + 1s;
    pod("web-0", "n0");
    pod("web-1", "n1");
    budget(1);
    EXPECT_THAT(pass(), ElementsAre("evict web-1"));
}

TEST_F(Drain, TreatsARecreatedPodAsAnotherPod) {
    pod("web-1", "n1");
    errors["web-1"] = refused;
    pass();
    pods.at("web-1").uid = "reborn";
    EXPECT_THAT(pass(), ElementsAre("evict web-1"));
    EXPECT_THAT(memory.removals.at("n1").evictions,
                ElementsAre(::testing::Key("default/web-1/reborn")));
}

TEST_F(Drain, TimesOutAndNamesTheRemainingPods) {
    pod("web-1", "n1");
    pod("web-2", "n1");
    errors["web-2"] = refused;
    pass();
    now += 59min + 59s;
    pass();
    EXPECT_EQ(phase("n1"), draining);
    now += 1s;
    EXPECT_THAT(pass(), ElementsAre(unmark));
    EXPECT_THAT(steps.notes,
                ElementsAre("node n1 is not removed: not drained within 1h: 1 pod left: "
                            "default/web-2 (the budget web allows no disruption)"));
    EXPECT_EQ(memory.last.failed_removal, now);
}

TEST_F(Drain, UsesTheTimeoutOfTheGroup) {
    pod("web-1", "n1");
    errors["web-1"] = refused;
    group("a").options.drain_timeout = 3min;
    pass();
    now += 3min;
    EXPECT_THAT(pass(), ElementsAre(unmark));
}

TEST_F(Drain, EndsAfterTwoMinutesOfPermanentRefusals) {
    pod("web-1", "n1");
    errors["web-1"] = {ErrorCode::permission, "a policy denies it"};
    pass();
    now += 1min;
    errors["web-1"] = {ErrorCode::unavailable, "the API server is away"};
    pass();
    now += 1min;
    errors["web-1"] = {ErrorCode::permission, "a policy denies it"};
    pass();
    EXPECT_EQ(phase("n1"), draining) << "the two minutes start again";
    now += 1min + 59s;
    pass();
    EXPECT_EQ(phase("n1"), draining);
    now += 1s;
    EXPECT_THAT(pass(), ElementsAre(unmark));
}

TEST_F(Drain, WaitsForABudgetAfterAPermanentRefusal) {
    pod("web-1", "n1");
    errors["web-1"] = {ErrorCode::permission, "a policy denies it"};
    pass();
    errors.clear();
    budget(0);
    for (int i = 0; i < 3; ++i) {
        now += 1min;
        pass();
    }
    EXPECT_EQ(phase("n1"), draining) << "a budget can change";
}

TEST_F(Drain, CountsConsecutiveRefusals) {
    pod("web-1", "n1");
    errors["web-1"] = refused;
    for (int i = 0; i < 3; ++i, now += 10s) pass();
    const NodeRemoval::Eviction& of_pod =
        memory.removals.at("n1").evictions.at("default/web-1/web-1-uid");
    EXPECT_EQ(of_pod.refused_since, noon);
    EXPECT_EQ(of_pod.refusals, 3);
    EXPECT_EQ(of_pod.refused_code, ErrorCode::throttled);
}

TEST_F(Drain, WaitsForTheGracePeriodOfEvictedPods) {
    pod("web-1", "n1").spec.termination_grace = 1min;
    decide();
    pods.at("web-1").deleted = now + 1min;
    memory.removals.at("n1").evictions["default/web-1/web-1-uid"].agreed = now;
    now += 89s;
    EXPECT_THAT(pass(), IsEmpty());
    EXPECT_EQ(steps.wake_at, noon + 90s);
    now += 1s;
    EXPECT_THAT(pass(), ElementsAre(unmark));
    EXPECT_THAT(steps.notes[0],
                HasSubstr("pod default/web-1 still exists 1m30s after its eviction"));
}

TEST_F(Drain, WaitsForPodsThatAreBeingDeleted) {
    pod("web-1", "n1").deleted = now;
    EXPECT_THAT(pass(), IsEmpty());
    now += 1min;
    EXPECT_THAT(pass(), IsEmpty());
    EXPECT_EQ(steps.wake_at, now + 1ns) << "a grace period of 30s plus 30s";
    pods.clear();
    EXPECT_THAT(pass(), ElementsAre(announce, remove));
}

TEST_F(Drain, LimitsTheGracePeriod) {
    pod("usual", "n1");
    pod("quick", "n1").spec.termination_grace = 1s;
    pod("slow", "n1").spec.termination_grace = 1h;
    EXPECT_EQ(grace_of("usual"), std::nullopt) << "the grace period of the pod";
    EXPECT_EQ(grace_of("quick"), std::nullopt);
    EXPECT_EQ(grace_of("slow"), 10min);
    settings.scale_down.max_graceful_termination = 5s;
    EXPECT_EQ(grace_of("usual"), 5s);
    EXPECT_EQ(grace_of("quick"), std::nullopt);
}

TEST_F(Drain, EvictsTheLowestPriorityFirst) {
    settings.scale_down.drain_priorities = {{.priority = 0, .grace = 20s},
                                            {.priority = 100, .grace = 5s}};
    pod("below", "n1").spec.priority = -5;
    pod("low", "n1").spec.priority = 99;
    pod("high", "n1").spec.priority = 100;
    daemon("agent", "n1").spec.priority = 1000;
    EXPECT_EQ(grace_of("low"), 20s);
    EXPECT_THAT(pass(), ElementsAre("evict below", "evict low"));
    EXPECT_EQ(grace_of("high"), 5s);
    EXPECT_THAT(pass(), ElementsAre("evict agent", "evict high"));
    daemon("agent-again", "n1").created = now + 1s;
    EXPECT_THAT(pass(), ElementsAre(announce, remove))
        << "recreated DaemonSet pods are not evicted";
}

TEST_F(Drain, FinishesEachPriorityBeforeTheNext) {
    settings.scale_down.drain_priorities = {{.priority = 0, .grace = 20s},
                                            {.priority = 100, .grace = 5s}};
    pod("high", "n1").spec.priority = 100;
    snapshot::PodObject& low = pod("low", "n1");
    low.deleted = now;
    EXPECT_THAT(pass(), IsEmpty());
}

struct DaemonRow {
    bool empty, empty_setting, occupied_setting;
    const char* annotation;
    bool evicted;
};

TEST_F(Drain, EvictsDaemonSetPodsAsConfigured) {
    const std::vector<DaemonRow> table = {
        {true, false, true, "", false},     {true, true, false, "", true},
        {false, false, true, "", true},     {false, true, false, "", false},
        {true, false, false, "true", true}, {false, true, true, "false", false},
    };
    for (const DaemonRow& row : table) {
        SCOPED_TRACE(::testing::PrintToString(row.empty) + row.annotation);
        memory = {.started = true};
        removing("n1", draining, row.empty);
        settings.scale_down.daemonset_eviction_for_empty_nodes = row.empty_setting;
        settings.scale_down.daemonset_eviction_for_occupied_nodes = row.occupied_setting;
        daemon("agent", "n1").annotations = {
            {"cluster-autoscaler.kubernetes.io/enable-ds-eviction", row.annotation}};
        EXPECT_EQ(decide().evictions.size(), row.evicted ? 1u : 0u);
    }
}

TEST_F(Drain, EvictsDaemonSetPodsOnceTheOthersAreGone) {
    daemon("csi", "n1");
    snapshot::PodObject user = pod("user", "n1");
    EXPECT_THAT(pass(), ElementsAre("evict user"));
    user.deleted = now;
    pods["user"] = user;
    EXPECT_THAT(pass(), IsEmpty()) << "it may still use the other pod";
    pods.erase("user");
    EXPECT_THAT(pass(), ElementsAre("try to evict csi"));
    EXPECT_THAT(pass(), ElementsAre(announce, remove));
}

TEST_F(Drain, DoesNotWaitForDaemonSetPods) {
    daemon("agent", "n1");
    errors["agent"] = refused;
    EXPECT_THAT(pass(), ElementsAre("try to evict agent"));
    EXPECT_THAT(pass(), ElementsAre(announce, remove));
}

TEST_F(Drain, IgnoresMirrorPods) {
    pod("static", "n1").annotations = {{"kubernetes.io/config.mirror", "x"}};
    EXPECT_THAT(pass(), ElementsAre(announce, remove));
}

}  // namespace
}  // namespace capstan::engine::removal
