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

Memory failed(Memory memory, Time now, const Error& error = no_capacity()) {
    return remember_failure(std::move(memory), web, error, Settings(), now);
}

/// Memory after the start of a pass at `now`.
Memory passed(Memory memory, const World& world, Time now, const Settings& settings = {}) {
    const Snapshot snapshot = world.snapshot();
    return remember(std::move(memory), snapshot, templates::make_membership(snapshot), settings,
                    now);
}

/// How long web is backed off from `now` on; zero: it is not.
Duration alone_for(const Memory& memory, Time now) {
    const Backoff* backoff = find_backoff(memory, web, now);
    return backoff == nullptr ? Duration(0) : backoff->until.value_or(Time::max()) - now;
}

TEST(Backoff, IncludesItsLastInstant) {
    const Memory memory = failed({}, noon);
    EXPECT_EQ(alone_for(memory, noon), 5min);
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
        memory = failed(std::move(memory), now);
        EXPECT_EQ(alone_for(memory, now), expected);
        now += expected + 1ns;
    }
}

TEST(Backoff, RestartsWithTheSameLengthOnAFailureDuringTheBackoff) {
    Memory memory = failed({}, noon);
    memory = failed(std::move(memory), noon + 5min, no_capacity("still none"));
    EXPECT_EQ(alone_for(memory, noon + 5min), 5min);
    EXPECT_EQ(memory.backoffs.at(web).because, "still none");
    memory = failed(std::move(memory), noon + 10min + 1ns);
    EXPECT_EQ(alone_for(memory, noon + 10min + 1ns), 10min);
}

TEST(Backoff, IsForgottenAfterTheResetTime) {
    struct Case {
        Duration later, length;
    };
    for (const Case& c : {Case{3h, 10min}, Case{3h + 1ns, 5min}}) {
        const Memory memory = failed(failed({}, noon), noon + c.later);
        EXPECT_EQ(alone_for(memory, noon + c.later), c.length);
    }
    EXPECT_FALSE(passed(failed({}, noon), World(), noon + 3h).backoffs.empty());
    EXPECT_TRUE(passed(failed({}, noon), World(), noon + 3h + 1ns).backoffs.empty());
}

TEST(Backoff, IsNotForgottenBeforeItEnds) {
    const Settings settings{.backoff_reset = 1min};
    Memory memory = remember_failure({}, web, no_capacity(), settings, noon);
    memory = passed(std::move(memory), World(), noon + 5min, settings);
    EXPECT_NE(find_backoff(memory, web, noon + 5min), nullptr);
    memory = passed(std::move(memory), World(), noon + 5min + 1ns, settings);
    EXPECT_TRUE(memory.backoffs.empty());
}

TEST(Backoff, HonoursRetryAfterWithinLimits) {
    struct Case {
        Duration asked, alone;
    };
    for (const Case& c : {Case{1min, 5min}, Case{12min, 12min}, Case{24h, 30min}}) {
        Error error = no_capacity();
        error.retry_after = c.asked;
        EXPECT_EQ(alone_for(failed({}, noon, error), noon), c.alone);
        EXPECT_EQ(failed({}, noon, error).backoffs.at(web).length, 5min);
    }
}

TEST(Backoff, IgnoresErrorsThatAreNotAboutTheGroup) {
    for (const ErrorCode code :
         {ErrorCode::conflict, ErrorCode::cancelled, ErrorCode::busy, ErrorCode::unauthenticated}) {
        EXPECT_EQ(failed({}, noon, {.code = code, .message = "no"}), Memory()) << name_of(code);
    }
    for (const ErrorCode code : {ErrorCode::quota, ErrorCode::permission, ErrorCode::internal,
                                 ErrorCode::invalid_argument, ErrorCode::invalid_config}) {
        EXPECT_EQ(alone_for(failed({}, noon, {.code = code, .message = "no"}), noon), 5min)
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
            memory = failed(std::move(memory), now, {.code = code, .message = "no"});
            EXPECT_GE(alone_for(memory, now), length);
            EXPECT_LE(alone_for(memory, now), length + length / 4);
            now += alone_for(memory, now) + 1ns;
        }
        memory = failed(std::move(memory), now + 11min, {.code = code, .message = "no"});
        EXPECT_EQ(alone_for(memory, now + 11min), 0s) << "that was long ago";
        memory = failed(std::move(memory), now + 12min);
        EXPECT_EQ(alone_for(memory, now + 12min), 5min) << "no failure of the group was before";
    }
}

TEST(Backoff, LastsAtMost30SecondsAfterAThrottledIncrease) {
    Memory memory;
    Time now = noon;
    for (int i = 0; i < 10; ++i) {
        memory = failed(std::move(memory), now, {.code = ErrorCode::throttled, .message = "no"});
        EXPECT_GE(alone_for(memory, now), 20s);
        EXPECT_LE(alone_for(memory, now), 30s);
        now += alone_for(memory, now) + 1ns;
    }
}

TEST(Backoff, LastsADayAfterAnUnsupportedIncrease) {
    const Memory memory =
        failed({}, noon, {.code = ErrorCode::unsupported, .message = "its size is fixed"});
    EXPECT_EQ(alone_for(memory, noon), 24h);
}

TEST(Backoff, ReportsItsEndAndCause) {
    const Memory memory = failed({}, noon);
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
        EXPECT_EQ(alone_for(memory, now), expected);
        now += expected + 1ns;
    }
    Results taken;
    taken.increases = {std::nullopt};
    memory = remember_sizes(std::move(memory), {.increases = {{.group = web, .by = 1}}}, taken,
                            settings, now);
    EXPECT_TRUE(memory.backoffs.empty());
}

TEST(UntilJoinedBackoff, EndsByTimeWithoutARequest) {
    // Nothing could join to end it.
    const Memory memory = remember_failure({}, web, no_capacity(), until_joined(), noon);
    EXPECT_EQ(alone_for(memory, noon), 5min);
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
    memory = passed(std::move(memory), World(), noon + 3h, until_joined());
    EXPECT_FALSE(memory.backoffs.empty());
    memory = passed(std::move(memory), World(), noon + 3h + 1ns, until_joined());
    EXPECT_TRUE(memory.backoffs.empty());
}

class FailedMachines : public ::testing::Test {
protected:
    FailedMachines() { world.group("web"); }
    void fail_machine(const std::string& id) {
        world.machine("web", id, MachineState::creating).error = no_capacity();
    }
    void look(Time now) { memory = passed(std::move(memory), world, now); }
    World world;
    Memory memory;
};

TEST_F(FailedMachines, BackTheirGroupOffOnce) {
    fail_machine("i-1");
    for (const Duration later : {0s, 10s, 20s}) look(noon + later);
    EXPECT_EQ(alone_for(memory, noon), 5min);
    look(noon + 1h);
    EXPECT_EQ(find_backoff(memory, web, noon + 1h), nullptr);
}

TEST_F(FailedMachines, DoubleTheBackoffIfOneFailsAfterIt) {
    fail_machine("i-1");
    look(noon);
    fail_machine("i-2");
    look(noon + 6min);
    EXPECT_EQ(alone_for(memory, noon + 6min), 10min);
}

TEST_F(FailedMachines, CountAsOneFailurePerPass) {
    for (const char* id : {"i-2", "i-1", "i-3"}) fail_machine(id);
    look(noon);
    EXPECT_EQ(alone_for(memory, noon), 5min);
    EXPECT_EQ(memory.backoffs.at(web).because, "machine i-1, the first of 3 machines: no capacity");
    EXPECT_EQ(memory.backoffs.at(web).code, ErrorCode::out_of_capacity);
}

TEST_F(FailedMachines, CountEvenWithoutAnError) {
    world.machine("web", "i-1", MachineState::failed);
    look(noon);
    EXPECT_EQ(memory.backoffs.at(web).because, "machine i-1: the cloud could not create it");
}

TEST_F(FailedMachines, AreForgottenWithTheirMachines) {
    fail_machine("i-1");
    look(noon);
    world = World();
    world.group("web");
    look(noon + 1min);
    EXPECT_TRUE(memory.failed_machines.empty());
    fail_machine("i-1");
    look(noon + 6min);
    EXPECT_EQ(alone_for(memory, noon + 6min), 10min);
}

TEST_F(FailedMachines, DoNotIncludeJoinedOrDeletedMachines) {
    world.node("joined");
    fail_machine("joined");
    world.machine("web", "going", MachineState::deleting).error = no_capacity();
    look(noon);
    EXPECT_EQ(memory, Memory());
}

}  // namespace
}  // namespace capstan::engine::health
