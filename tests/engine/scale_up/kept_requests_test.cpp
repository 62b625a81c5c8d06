// Requests of groups that are backed off until a machine joins, while limits leave no room for
// other nodes.
#include "engine/scale_up/kept_requests.hpp"

#include <gmock/gmock.h>

#include "../pass_case.hpp"
#include "engine/health/backoff.hpp"

namespace capstan::engine::scale_up {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

/// Groups with a kept request, and a group "well" that is not backed off.
struct KeptCase : PassCase {
    KeptCase() {
        settings.backoff = BackoffPolicy::until_joined;
        group("well", 0, 9);
    }
    Backoff& backoff(const std::string& id) { return memory.backoffs[NodeGroupId(id)]; }
    /// A group that has been backed off for `length`, with one requested machine.
    Group& exhausted(const std::string& id, Duration length,
                     const Resources& machine = amounts(4000)) {
        Group& out = group(id, 0, 9, machine);
        out.group.target = 1;
        test_cluster.machine(id, id + "-1", MachineState::requested);
        backoff(id) = {.since = noon - length,
                       .last_failure = noon - length,
                       .code = ErrorCode::deadline,
                       .because = "did not join"};
        return out;
    }
    /// Applies the decision as the clouds would.
    void apply(const pass::Outcome& outcome) {
        Results results;
        for (const Decrease& d : outcome.decision.decreases) {
            Group& group = test_cluster.change_group(d.group.value());
            *group.group.target -= d.by;
            group.machines.clear();
            results.decreases.emplace_back();
        }
        for (const Increase& i : outcome.decision.increases) {
            *test_cluster.change_group(i.group.value()).group.target += i.by;
            results.increases.emplace_back();
        }
        memory = pass::remember_results(outcome.memory, outcome.decision, results, settings,
                                        call_context.now);
    }
    /// Runs a pass and applies it; returns its changes: "well +1", "a -1".
    std::vector<std::string> pass() {
        call_context.now += 10s;
        const pass::Outcome outcome = run();
        std::vector<std::string> out;
        for (const Decrease& d : outcome.decision.decreases)
            out.push_back(d.group.value() + " -" + std::to_string(d.by));
        for (const Increase& i : outcome.decision.increases)
            out.push_back(i.group.value() + " +" + std::to_string(i.by));
        apply(outcome);
        return out;
    }
    bool is_backed_off_until_joined(const std::string& id) {
        const auto at = memory.backoffs.find(NodeGroupId(id));
        return at != memory.backoffs.end() && !at->second.until;
    }
};

/// The request of group "a" uses the whole limit of nodes, and a pod is pending.
struct OneBlockingRequest : KeptCase {
    OneBlockingRequest() {
        exhausted("a", 1h);
        settings.nodes.max = 1;
        pods("web", 1, 3000);
    }
};

TEST(KeptRequests, AreReleasedOldestFirstForEachNodeBlockedByALimit) {
    KeptCase c;
    c.exhausted("a", 1h);
    c.exhausted("b", 3h);
    c.exhausted("c", 2h);
    c.settings.nodes.max = 4;
    c.pods("web", 3, 3000);
    EXPECT_THAT(c.pass(), ElementsAre("b -1", "c -1", "well +1"));
    EXPECT_THAT(c.pass(), ElementsAre("well +2"));
    EXPECT_THAT(c.pass(), IsEmpty());
    for (const char* id : {"a", "b", "c"}) EXPECT_TRUE(c.is_backed_off_until_joined(id)) << id;
    EXPECT_EQ(c.backoff("a").given_back, std::nullopt);
    EXPECT_EQ(c.backoff("b").given_back, 0);
}

TEST(KeptRequests, LeaveTheRoomInALimitToTheFourthGroupAfterThreeTimedOut) {
    KeptCase c;
    c.settings.balance_similar = false;
    c.settings.max_node_provision_time = 7min;
    c.settings.nodes.max = 4;
    for (const char* id : {"ng-1", "ng-2", "ng-3"}) c.group(id, 0, 10);
    c.expander = PreferenceExpander({"ng-1", "ng-2", "ng-3", "well"});
    c.pods("web", 4, 3000);
    std::vector<std::string> commands;
    while (c.call_context.now < noon + 25min)
        for (std::string& command : c.pass()) commands.push_back(std::move(command));
    EXPECT_THAT(commands, ElementsAre("ng-1 +4", "ng-1 -3", "ng-1 -1", "ng-2 +3", "ng-2 +1",
                                      "ng-2 -3", "ng-2 -1", "ng-3 +3", "ng-3 +1", "ng-3 -3",
                                      "ng-3 -1", "well +3", "well +1"));
    for (const char* id : {"ng-1", "ng-2", "ng-3"})
        EXPECT_TRUE(c.is_backed_off_until_joined(id)) << id;
    EXPECT_FALSE(c.is_backed_off_until_joined("well"));
}

TEST(KeptRequests, StayWhileTheListLags) {
    OneBlockingRequest c;
    c.memory.answered_targets[NodeGroupId("a")] = {
        .target = 2, .since = noon, .deadline = noon + 2min, .agreed = true};
    EXPECT_THAT(c.decide().decreases, IsEmpty());
    c.memory.answered_targets.clear();
    EXPECT_EQ(c.decide().decreases.size(), 1U);
}

TEST(KeptRequests, ExplainWhyTheyAreReleased) {
    OneBlockingRequest c;
    EXPECT_THAT(
        c.decide().decreases,
        ElementsAre(Decrease{
            .group = NodeGroupId("a"),
            .cloud = PluginInstanceId("cloud"),
            .from = 1,
            .by = 1,
            .listed = 1,
            .kept_one_too = true,
            .because =
                "request cancelled (its group stays backed off) so that group well can grow for "
                "pending pods: max cluster nodes limit reached: 1 of 1 used, a new node needs 1"}));
    c.pass();
    EXPECT_THAT(
        health::why_backed_off(c.backoff("a"), noon),
        HasSubstr("joins (no machine is requested while a limit is reached): did not join"));
}

struct LimitCase {
    const char* about;
    void (*limit)(Settings&);
    Resources exhausted{};  ///< a machine of each of two groups
    std::vector<std::string> commands{};
};

class KeptRequestsAtLimit : public ::testing::TestWithParam<LimitCase> {};

TEST_P(KeptRequestsAtLimit, AreReleasedIfTheyMakeRoomForANode) {
    KeptCase c;
    c.exhausted("a", 2h, GetParam().exhausted);
    c.exhausted("b", 1h, GetParam().exhausted);
    GetParam().limit(c.settings);
    c.pods("web", 1, 3000);  // needs a node of 4 cores and 16Gi
    EXPECT_EQ(c.pass(), GetParam().commands);
}

INSTANTIATE_TEST_SUITE_P(
    Limits, KeptRequestsAtLimit,
    ::testing::Values(
        LimitCase{"OneOfFourCores", [](Settings& s) { s.cpu.max = 8000; }, amounts(4000), {"a -1"}},
        LimitCase{"BothOfTwoCores",
                  [](Settings& s) { s.cpu.max = 4000; },
                  amounts(2000),
                  {"a -1", "b -1"}},
        LimitCase{"NoneIfBothAreTooFew", [](Settings& s) { s.cpu.max = 3999; }, amounts(1000), {}},
        LimitCase{"MemoryOfOne",
                  [](Settings& s) { s.memory.max = std::int64_t{32} << 30; },
                  amounts(1000, 16384),
                  {"a -1"}},
        LimitCase{"MemoryOfBoth",
                  [](Settings& s) { s.memory.max = std::int64_t{16} << 30; },
                  amounts(1000, 8192),
                  {"a -1", "b -1"}},
        LimitCase{"CoresAndNodes",
                  [](Settings& s) {
                      s.cpu.max = 7000;
                      s.nodes.max = 2;
                  },
                  amounts(2000),
                  {"a -1"}},
        LimitCase{"EnoughRoom", [](Settings& s) { s.nodes.max = 3; }, amounts(4000), {"well +1"}}),
    [](const auto& limit) { return std::string(limit.param.about); });

TEST(KeptRequests, StayIfAReleaseDoesNotHelpOrIsNotAllowed) {
    struct Reason {
        const char* about;
        void (*change)(KeptCase&);
    };
    for (const auto& [about, change] : {
             Reason{"group well is at max size",
                    [](KeptCase& c) { c.test_cluster.change_group("well").group.max = 0; }},
             Reason{"group well is unhealthy",
                    [](KeptCase& c) { c.test_cluster.change_group("well").group.healthy = false; }},
             Reason{"group well is backed off too",
                    [](KeptCase& c) {
                        c.backoff("well") = {.until = noon + 1h, .last_failure = noon};
                    }},
             Reason{"a new node has no room for the pod",
                    [](KeptCase& c) { c.test_cluster.describe("well", amounts(2000)); }},
             Reason{"group a is at min size",
                    [](KeptCase& c) { c.test_cluster.change_group("a").group.min = 1; }},
             Reason{
                 "group a is unreadable",
                 [](KeptCase& c) { c.test_cluster.change_group("a").unreadable_because = "down"; }},
             Reason{"the back-off of group a has an end time",
                    [](KeptCase& c) { c.backoff("a").until = noon + 1h; }},
             Reason{
                 "the view of the cluster is stale",
                 [](KeptCase& c) { c.call_context.unobserved_because = "the API server is down"; }},
         }) {
        KeptCase c;
        c.exhausted("a", 1h);
        c.settings.nodes.max = 1;
        c.pods("web", 1, 3000);
        change(c);
        EXPECT_THAT(c.pass(), IsEmpty()) << about;
    }
}

TEST(KeptRequests, AreRequestedAgainOneByOne) {
    KeptCase c;
    c.exhausted("a", 1h);
    c.exhausted("b", 2h);
    c.settings.nodes.max = 2;
    c.pods("web", 2, 3000);
    EXPECT_THAT(c.pass(), ElementsAre("a -1", "b -1"));
    EXPECT_THAT(c.pass(), ElementsAre("well +2"));
    *c.test_cluster.change_group("well").group.target -= 1;
    c.memory.answered_targets.clear();
    c.test_cluster.drop_pod("web-1");
    EXPECT_THAT(c.pass(), ElementsAre("b +1")) << "backed off first";
    EXPECT_THAT(c.pass(), IsEmpty());
    EXPECT_TRUE(c.is_backed_off_until_joined("a"));
    EXPECT_TRUE(c.is_backed_off_until_joined("b"));
    EXPECT_TRUE(c.memory.requests.find(NodeGroupId("b")) == c.memory.requests.end())
        << "the new request has no deadline";

    c.pods("more", 1, 3000);
    EXPECT_THAT(c.pass(), ElementsAre("b -1")) << "released again";
    EXPECT_THAT(c.pass(), ElementsAre("well +1"));
}

TEST(KeptRequests, EndTheBackoffIfAMachineJoinsAfterTheRelease) {
    OneBlockingRequest c;
    EXPECT_THAT(c.pass(), ElementsAre("a -1"));
    c.test_cluster.node("a-1", "a");  // the release came too late for this machine
    c.pass();
    EXPECT_FALSE(c.is_backed_off_until_joined("a"));
}

TEST(KeptRequests, ReleaseNoOtherRequestWhileTheListLags) {
    KeptCase c;
    c.exhausted("a", 2h);
    c.exhausted("b", 1h);
    c.settings.nodes.max = 2;
    c.pods("web", 1, 3000);
    EXPECT_THAT(c.pass(), ElementsAre("a -1"));
    c.test_cluster.change_group("a").group.target = 1;
    EXPECT_THAT(c.pass(), IsEmpty());
    EXPECT_TRUE(c.is_backed_off_until_joined("a"));
    c.test_cluster.change_group("a").group.target = 0;
    EXPECT_THAT(c.pass(), ElementsAre("well +1"));
    EXPECT_TRUE(c.is_backed_off_until_joined("a"));
}

TEST(KeptRequests, AreReleasedAfterARestart) {
    OneBlockingRequest c;
    c.memory = pass::remember_plan(c.memory, c.run(), c.settings, noon);
    EXPECT_THAT(c.pass(), IsEmpty()) << "the request may have been sent";
    c.call_context.now += 15min;
    EXPECT_THAT(c.pass(), ElementsAre("a -1"));
    EXPECT_THAT(c.pass(), ElementsAre("well +1"));
    EXPECT_TRUE(c.is_backed_off_until_joined("a"));
}

/// A group whose request was released, and whose cloud refuses each new one.
struct RefusedCase : KeptCase {
    RefusedCase() {
        exhausted("a", 1h).group.target = 0;
        test_cluster.change_group("a").machines.clear();
        backoff("a").given_back = 0;
        settings.nodes.max = 1;
    }
    /// The seconds after noon at which an increase is requested, with a pass every ten seconds.
    std::vector<int> requests_until(int until, std::optional<Duration> retry_after) {
        std::vector<int> out;
        for (int second = 0; second < until; second += 10) {
            call_context.now = noon + std::chrono::seconds(second);
            const pass::Outcome outcome = run();
            Results results;
            for (std::size_t i = 0; i < outcome.decision.increases.size(); ++i) {
                out.push_back(second);
                results.increases.push_back(Error{.code = ErrorCode::out_of_capacity,
                                                  .message = "none left",
                                                  .retry_after = retry_after});
            }
            memory = pass::remember_results(outcome.memory, outcome.decision, results, settings,
                                            call_context.now);
        }
        return out;
    }
};

TEST(KeptRequests, AreRetriedWithIncreasingIntervals) {
    RefusedCase c;
    EXPECT_THAT(c.requests_until(400, std::nullopt), ElementsAre(0, 30, 60, 110, 200, 370));
    EXPECT_TRUE(c.is_backed_off_until_joined("a"));
}

TEST(KeptRequests, HonourRetryAfter) {
    RefusedCase c;
    EXPECT_THAT(c.requests_until(1250, 10min), ElementsAre(0, 610, 1220));
}

TEST(KeptRequests, LimitRetryAfterToTheMaximumBackoff) {
    RefusedCase c;
    c.settings.backoff_max = 2min;
    EXPECT_THAT(c.requests_until(300, 10h), ElementsAre(0, 130, 260));
}

TEST(KeptRequests, HonourRetryAfterOfTheFailureBeforeTheRelease) {
    RefusedCase c;
    c.memory.requests[NodeGroupId("a")] = {};
    c.memory.backoffs.clear();
    c.memory = health::remember_failure(
        c.memory, NodeGroupId("a"),
        {.code = ErrorCode::out_of_capacity, .message = "none left", .retry_after = 10min},
        c.settings, noon);
    c.memory.requests.clear();
    c.backoff("a").given_back = 0;
    EXPECT_THAT(c.requests_until(700, std::nullopt), ElementsAre(610, 640, 670));
}

}  // namespace
}  // namespace capstan::engine::scale_up
