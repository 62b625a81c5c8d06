#include "engine/health/backoff.hpp"

#include <gmock/gmock.h>

#include "../test_cluster.hpp"
#include "engine/health/requests.hpp"

namespace capstan::engine::health {
namespace {

const NodeGroupId web("web");

Error no_capacity(std::string message = "no capacity") {
    return {.code = ErrorCode::out_of_capacity, .message = std::move(message)};
}

Memory after_failure(Memory memory, Time now, const Error& error = no_capacity()) {
    return remember_failure(std::move(memory), web, error, Settings(), now);
}

/// The memory after a pass at `now`.
Memory after_pass(Memory memory, const TestCluster& test_cluster, Time now,
                  const Settings& settings = {}) {
    const Snapshot snapshot = test_cluster.snapshot();
    return remember(std::move(memory), snapshot, templates::make_membership(snapshot), settings,
                    now);
}

/// How long group web stays backed off; zero if it is not.
Duration backoff_left(const Memory& memory, Time now) {
    const Backoff* backoff = find_backoff(memory, web, now);
    return backoff == nullptr ? Duration(0) : backoff->until.value_or(Time::max()) - now;
}

TEST(Backoff, IncludesItsLastInstant) {
    const Memory memory = after_failure({}, noon);
    EXPECT_EQ(backoff_left(memory, noon), 5min);
    EXPECT_NE(find_backoff(memory, web, noon + 5min), nullptr);
    EXPECT_EQ(find_backoff(memory, web, noon + 5min + 1ns), nullptr);
    EXPECT_EQ(find_backoff(memory, NodeGroupId("db"), noon), nullptr);
    EXPECT_EQ(next_backoff_end(memory, noon), noon + 5min + 1ns);
    EXPECT_EQ(next_backoff_end(memory, noon + 6min), std::nullopt);
}

TEST(Backoff, DoublesWithEachFailureUpToTheMaximum) {
    Memory memory;
    Time now = noon;
    for (const Duration expected : {5min, 10min, 20min, 30min, 30min}) {
        memory = after_failure(std::move(memory), now);
        EXPECT_EQ(backoff_left(memory, now), expected);
        now += expected + 1ns;
    }
}

TEST(Backoff, RestartsWithTheSameLengthOnAFailureDuringTheBackoff) {
    Memory memory = after_failure({}, noon);
    memory = after_failure(std::move(memory), noon + 5min, no_capacity("still none"));
    EXPECT_EQ(backoff_left(memory, noon + 5min), 5min);
    EXPECT_EQ(memory.backoffs.at(web).because, "still none");
    memory = after_failure(std::move(memory), noon + 10min + 1ns);
    EXPECT_EQ(backoff_left(memory, noon + 10min + 1ns), 10min);
}

TEST(Backoff, KeepsTheBeginningOfALongMessage) {
    const std::string message(8000, 'x');
    for (const ErrorCode code : {ErrorCode::out_of_capacity, ErrorCode::unsupported,
                                 ErrorCode::throttled, ErrorCode::permission}) {
        const Memory memory = after_failure({}, noon, {.code = code, .message = message});
        EXPECT_EQ(memory.backoffs.at(web).because.text().size(), BriefText::limit);
    }
}

TEST(Backoff, IsForgottenAfterTheResetTime) {
    struct Case {
        Duration later, length;
    };
    for (const Case& c : {Case{3h, 10min}, Case{3h + 1ns, 5min}}) {
        const Memory memory = after_failure(after_failure({}, noon), noon + c.later);
        EXPECT_EQ(backoff_left(memory, noon + c.later), c.length);
    }
    EXPECT_FALSE(after_pass(after_failure({}, noon), TestCluster(), noon + 3h).backoffs.empty());
    EXPECT_TRUE(
        after_pass(after_failure({}, noon), TestCluster(), noon + 3h + 1ns).backoffs.empty());
}

TEST(Backoff, IsNotForgottenBeforeItEnds) {
    const Settings settings{.backoff_reset = 1min};
    Memory memory = remember_failure({}, web, no_capacity(), settings, noon);
    memory = after_pass(std::move(memory), TestCluster(), noon + 5min, settings);
    EXPECT_NE(find_backoff(memory, web, noon + 5min), nullptr);
    memory = after_pass(std::move(memory), TestCluster(), noon + 5min + 1ns, settings);
    EXPECT_TRUE(memory.backoffs.empty());
}

TEST(Backoff, HonoursRetryAfterWithinLimits) {
    struct Case {
        Duration retry_after, expected;
    };
    for (const Case& c : {Case{1min, 5min}, Case{12min, 12min}, Case{24h, 30min}}) {
        Error error = no_capacity();
        error.retry_after = c.retry_after;
        EXPECT_EQ(backoff_left(after_failure({}, noon, error), noon), c.expected);
        EXPECT_EQ(after_failure({}, noon, error).backoffs.at(web).length, 5min);
    }
}

TEST(Backoff, IgnoresErrorsThatAreNotAboutTheGroup) {
    for (const ErrorCode code :
         {ErrorCode::cancelled, ErrorCode::busy, ErrorCode::unauthenticated}) {
        EXPECT_EQ(after_failure({}, noon, {.code = code, .message = "no"}), Memory())
            << name_of(code);
    }
    for (const ErrorCode code : {ErrorCode::quota, ErrorCode::permission, ErrorCode::internal,
                                 ErrorCode::invalid_argument, ErrorCode::invalid_config}) {
        EXPECT_EQ(backoff_left(after_failure({}, noon, {.code = code, .message = "no"}), noon),
                  5min)
            << name_of(code);
    }
}

TEST(Backoff, StartsWithTheSecondTransientErrorAndIsShort) {
    for (const ErrorCode code :
         {ErrorCode::unavailable, ErrorCode::deadline, ErrorCode::not_found}) {
        SCOPED_TRACE(name_of(code));
        Memory memory;
        Time now = noon;
        for (const Duration length : {0s, 20s, 40s, 80s, 160s, 300s, 300s}) {
            memory = after_failure(std::move(memory), now, {.code = code, .message = "no"});
            EXPECT_GE(backoff_left(memory, now), length);
            EXPECT_LE(backoff_left(memory, now), length + length / 4);
            now += backoff_left(memory, now) + 1ns;
        }
        memory = after_failure(std::move(memory), now + 11min, {.code = code, .message = "no"});
        EXPECT_EQ(backoff_left(memory, now + 11min), 0s) << "the last failure was long ago";
        memory = after_failure(std::move(memory), now + 12min);
        EXPECT_EQ(backoff_left(memory, now + 12min), 5min) << "transient failures do not count";
    }
}

TEST(Backoff, LastsAtMost30SecondsFromTheSecondConflictOn) {
    const Error conflict{.code = ErrorCode::conflict, .message = "another client was faster"};
    Memory memory;
    Time now = noon;
    for (const Duration length : {0s, 20s, 20s, 20s, 20s}) {
        memory = after_failure(std::move(memory), now, conflict);
        EXPECT_GE(backoff_left(memory, now), length);
        EXPECT_LE(backoff_left(memory, now), length == 0s ? 0s : 30s);
        now += backoff_left(memory, now) + 1ns;
    }
    memory =
        after_failure(std::move(memory), now, {.code = ErrorCode::unavailable, .message = "no"});
    EXPECT_GE(backoff_left(memory, now), 40s);
    EXPECT_LE(backoff_left(memory, now), 50s) << "conflicts have counted once";
}

TEST(Backoff, LastsAtMost30SecondsAfterAThrottledIncrease) {
    Memory memory;
    Time now = noon;
    for (int i = 0; i < 10; ++i) {
        memory =
            after_failure(std::move(memory), now, {.code = ErrorCode::throttled, .message = "no"});
        EXPECT_GE(backoff_left(memory, now), 20s);
        EXPECT_LE(backoff_left(memory, now), 30s);
        now += backoff_left(memory, now) + 1ns;
    }
}

TEST(Backoff, LastsADayAfterAnUnsupportedIncrease) {
    const Memory memory =
        after_failure({}, noon, {.code = ErrorCode::unsupported, .message = "its size is fixed"});
    EXPECT_EQ(backoff_left(memory, noon), 24h);
}

TEST(Backoff, ReportsItsEndAndCause) {
    const Memory memory = after_failure({}, noon);
    EXPECT_EQ(why_backed_off(memory.backoffs.at(web), noon + 100s + 1ns),
              "in backoff after failed scale-up until 15:11:40Z (3m20s left): no capacity");
}

Settings until_joined() { return {.backoff = BackoffPolicy::until_joined}; }

TEST(UntilJoinedBackoff, GrowsWithRefusedCallsUntilOneIsAccepted) {
    const Settings settings = until_joined();
    const Error refused{.code = ErrorCode::permission, .message = "not allowed"};
    Memory memory;
    Time now = noon;
    for (const Duration expected : {30s, 60s, 120s, 240s, 480s, 960s, 1800s, 1800s}) {
        memory = remember_failure(std::move(memory), web, refused, settings, now);
        EXPECT_EQ(backoff_left(memory, now), expected);
        now += expected + 1ns;
    }
    Results taken;
    taken.increases = {std::nullopt};
    memory = remember_sizes(std::move(memory), {.increases = {{.group = web, .by = 1}}}, taken,
                            settings, now);
    EXPECT_TRUE(memory.backoffs.empty());
}

TEST(UntilJoinedBackoff, EndsByTimeWithoutARequest) {
    // No machine is requested that could join.
    const Memory memory = remember_failure({}, web, no_capacity(), until_joined(), noon);
    EXPECT_EQ(backoff_left(memory, noon), 5min);
}

TEST(UntilJoinedBackoff, IsNotShortenedByARefusedCall) {
    Memory memory;
    memory.requests[web] = {.since = noon, .deadline = noon + 1h, .increase = 1};
    memory = remember_failure(std::move(memory), web, no_capacity(), until_joined(), noon);
    EXPECT_EQ(memory.backoffs.at(web).until, std::nullopt);
    EXPECT_EQ(why_backed_off(memory.backoffs.at(web), noon),
              "in backoff after failed scale-up until a machine joins: no capacity");
    const Memory before = memory;
    memory = remember_failure(std::move(memory), web,
                              {.code = ErrorCode::throttled, .message = "slow down"},
                              until_joined(), noon + 1min);
    EXPECT_EQ(memory.backoffs, before.backoffs);
    EXPECT_EQ(next_backoff_end(memory, noon), std::nullopt);
}

TEST(UntilJoinedBackoff, IsForgottenAfterTheResetTimeIfTheGroupIsRemoved) {
    Memory memory;
    memory.backoffs[web] = {.last_failure = noon};
    memory = after_pass(std::move(memory), TestCluster(), noon + 3h, until_joined());
    EXPECT_FALSE(memory.backoffs.empty());
    memory = after_pass(std::move(memory), TestCluster(), noon + 3h + 1ns, until_joined());
    EXPECT_TRUE(memory.backoffs.empty());
}

class FailedMachines : public ::testing::Test {
protected:
    FailedMachines() { test_cluster.group("web"); }
    void fail_machine(const std::string& id) {
        test_cluster.machine("web", id, MachineState::creating).error = no_capacity();
    }
    void pass_at(Time now) { memory = after_pass(std::move(memory), test_cluster, now); }
    TestCluster test_cluster;
    Memory memory;
};

TEST_F(FailedMachines, BackTheirGroupOffOnce) {
    fail_machine("i-1");
    for (const Duration later : {0s, 10s, 20s}) pass_at(noon + later);
    EXPECT_EQ(backoff_left(memory, noon), 5min);
    pass_at(noon + 1h);
    EXPECT_EQ(find_backoff(memory, web, noon + 1h), nullptr);
}

TEST_F(FailedMachines, DoubleTheBackoffIfAnotherMachineFailsAfterItsEnd) {
    fail_machine("i-1");
    pass_at(noon);
    fail_machine("i-2");
    pass_at(noon + 6min);
    EXPECT_EQ(backoff_left(memory, noon + 6min), 10min);
}

TEST_F(FailedMachines, CountAsOneFailurePerPass) {
    for (const char* id : {"i-2", "i-1", "i-3"}) fail_machine(id);
    pass_at(noon);
    EXPECT_EQ(backoff_left(memory, noon), 5min);
    EXPECT_EQ(memory.backoffs.at(web).because, "machine i-1, the first of 3 machines: no capacity");
    EXPECT_EQ(memory.backoffs.at(web).code, ErrorCode::out_of_capacity);
}

TEST_F(FailedMachines, CountEvenWithoutAnError) {
    test_cluster.machine("web", "i-1", MachineState::failed);
    pass_at(noon);
    EXPECT_EQ(memory.backoffs.at(web).because, "machine i-1: the cloud could not create it");
}

TEST_F(FailedMachines, AreForgottenWithTheirMachines) {
    fail_machine("i-1");
    pass_at(noon);
    test_cluster = TestCluster();
    test_cluster.group("web");
    pass_at(noon + 1min);
    EXPECT_TRUE(memory.failed_machines.empty());
    fail_machine("i-1");
    pass_at(noon + 6min);
    EXPECT_EQ(backoff_left(memory, noon + 6min), 10min);
}

TEST_F(FailedMachines, DoNotIncludeJoinedOrDeletedMachines) {
    test_cluster.node("joined");
    fail_machine("joined");
    test_cluster.machine("web", "going", MachineState::deleting).error = no_capacity();
    pass_at(noon);
    EXPECT_EQ(memory, Memory());
}

}  // namespace
}  // namespace capstan::engine::health
