#include "autoscaler/record/memory_text.hpp"

#include <gtest/gtest.h>

#include <chrono>

#include "autoscaler/pass_clock.hpp"

namespace capstan::autoscaler {
namespace {

using engine::Memory;
using engine::PassTime;
using namespace std::chrono_literals;

constexpr Time noon = time_from_unix_ns(1'750'000'000'000'000'000);

/// Memory of a node that is unneeded since `since` and of a group that is backed off until `until`.
Memory unneeded_since(Time since, Time until = Time()) {
    Memory out;
    out.unneeded["n"].since = since;
    out.backoffs[NodeGroupId("g")].until = until;
    return out;
}
Time since_of(const Memory& memory) { return memory.unneeded.at("n").since; }
Time until_of(const Memory& memory) { return *memory.backoffs.at(NodeGroupId("g")).until; }

TEST(RebaseTimes, KeepsAgesAndAddsTheTimeSinceTheWrite) {
    // Written while the wall clock was 20 minutes ahead of the clock of the passes, and read when
    // the wall clock showed a minute more.
    const Memory read = record::rebase_times(unneeded_since(noon - 5min, noon + 10min),
                                             PassTime(noon, noon + 20min), noon + 21min);
    EXPECT_EQ(since_of(read), noon + 21min - 6min);
    EXPECT_EQ(until_of(read), noon + 21min + 9min);
}

TEST(RebaseTimes, AddsNothingIfTheClockWasSetBack) {
    const PassTime read_at(noon - 2h);
    const Memory read =
        record::rebase_times(unneeded_since(noon - 5min, noon + 10min), noon, read_at);
    EXPECT_EQ(since_of(read), read_at.now - 5min);
    EXPECT_EQ(until_of(read), read_at.now + 10min);
}

TEST(RebaseTimes, IsRepeatableWithoutLoss) {
    const PassTime first(noon + 1min), second(noon + 3min, noon + 2min);
    const Memory once = record::rebase_times(unneeded_since(noon - 5min), noon, first);
    const Memory twice = record::rebase_times(once, first, second);
    EXPECT_EQ(second.now - since_of(twice), 5min + 1min + 1min);
    EXPECT_EQ(since_of(record::rebase_times(once, first, first)), since_of(once));
}

TEST(RebaseTimes, MovesAFutureStartToNow) {
    const Memory read = record::rebase_times(unneeded_since(noon + 1h, noon + 1h), noon, noon);
    EXPECT_EQ(since_of(read), noon);
    EXPECT_EQ(until_of(read), noon + 1h) << "only an end may be in the future";
}

TEST(RebaseTimes, KeepsEachTimeThatMayBeInTheFuture) {
    const NodeGroupId g("g");
    Memory memory;
    memory.cloud_backoffs[PluginInstanceId("eu")].until = noon + 1min;
    memory.failed_calls[g].not_before = noon + 2min;
    memory.requests[g].deadline = noon + 3min;
    memory.answered_targets[g].unanswered_until = noon + 4min;
    memory.empty_groups[g] = noon + 5min;
    memory.removal_backoffs[g][MachineId("m")].until = noon + 6min;
    EXPECT_EQ(record::rebase_times(memory, noon, noon), memory);
    const Memory later = record::rebase_times(memory, noon, PassTime(noon + 1h, noon + 1min));
    EXPECT_EQ(later.failed_calls.at(g).not_before, noon + 1h + 1min);
    EXPECT_EQ(later.answered_targets.at(g).unanswered_until, noon + 1h + 3min);
    EXPECT_EQ(later.empty_groups.at(g), noon + 1h + 4min);
}

TEST(RebaseTimes, KeepsExtremeTimes) {
    const Memory read = record::rebase_times(unneeded_since(Time(), Time::max()), noon, noon + 1h);
    EXPECT_EQ(since_of(read), Time());
    EXPECT_EQ(until_of(read), Time::max());
    EXPECT_LE(since_of(record::rebase_times(unneeded_since(noon), PassTime(Time::min()), noon)),
              noon);
    EXPECT_LT(since_of(record::rebase_times(unneeded_since(Time::min() + 1h), noon, Time::max())),
              noon);
    EXPECT_EQ(since_of(record::rebase_times(unneeded_since(Time::min()), noon, noon + 1h)),
              Time::min())
        << "the earliest Time";
}

TEST(RebaseTimes, CoversNestedTimes) {
    const NodeGroupId g("g");
    Memory memory;
    memory.unjoined[g][MachineId("m")] = memory.empty_groups[g] = noon;
    memory.removals["n"].evictions["pod"].agreed = memory.unobserved_since = noon;
    memory.offering_backoffs[{}].since = memory.upcoming_groups[g].deadline = noon;
    memory.last_by_group[g].removal = noon;
    const Memory read = record::rebase_times(memory, noon, noon + 1h);
    EXPECT_EQ(read, memory) << "both clocks advanced by an hour";
    const Memory later = record::rebase_times(memory, noon, PassTime(noon + 1h, noon));
    EXPECT_EQ(later.unjoined.at(g).at(MachineId("m")), noon + 1h);
    EXPECT_EQ(later.empty_groups.at(g), noon + 1h);
    EXPECT_EQ(later.removals.at("n").evictions.at("pod").agreed, noon + 1h);
    EXPECT_EQ(later.unobserved_since, noon + 1h);
    EXPECT_EQ(later.offering_backoffs.begin()->second.since, noon + 1h);
    EXPECT_EQ(later.upcoming_groups.at(g).deadline, noon + 1h);
    EXPECT_EQ(later.last_by_group.at(g).removal, noon + 1h);
}

TEST(RebaseTimes, IsAppliedToParsedMemory) {
    const Memory memory = unneeded_since(noon - 5min, noon);
    const auto text = record::memory_text(memory, "1.2.0", {}, PassTime(noon, noon + 20min));
    ASSERT_TRUE(text) << text.error();
    EXPECT_EQ(record::parse_memory(*text, "memory"), memory) << "without a rebase";
    EXPECT_EQ(since_of(*record::parse_memory(*text, "memory", PassTime(noon + 21min))),
              noon + 15min);
    const auto later = record::memory_text(memory, "1.2.0", {}, PassTime(noon + 1h));
    EXPECT_NE(*text, *later);
    EXPECT_EQ(record::memory_part(*text), record::memory_part(*later));
    EXPECT_EQ(record::memory_part(*record::memory_text({}, "1.2.0")), "");
    EXPECT_EQ(record::parse_memory(*record::memory_text(memory, "1.2.0"), "memory", PassTime(noon))
                  .error()
                  .message,
              "memory: /written: is missing");
}

TEST(ParsedMemory, ExpectsTheTaintsOfItsRemovalsInEveryView) {
    Memory memory;
    memory.removals["tainted"] = {.phase = engine::RemovalPhase::delayed, .mark = "1"};
    memory.removals["untainted"] = {};
    const auto text = record::memory_text(memory, "1.2.0", {}, PassTime(noon));
    const auto read = record::parse_memory(*text, "memory", PassTime(noon + 1min));
    ASSERT_TRUE(read) << read.error();
    EXPECT_TRUE(read->removals.at("tainted").mark_seen);
    EXPECT_FALSE(read->removals.at("untainted").mark_seen);
}

/// A clock whose wall time is read a little later than its monotonic time.
class SlowClock final : public io::Clock {
public:
    Duration monotonic() const override { return Duration(0); }
    Time now() const override { return noon; }
    Time wall() const override { return noon + late + ahead; }
    Duration late{0}, ahead{0};
};

TEST(PassClock, IgnoresTheTimeBetweenTwoReadings) {
    const auto clock = std::make_shared<SlowClock>();
    PassClock passes(clock);
    clock->late = 3us;
    EXPECT_EQ(passes.read(), PassTime(noon));
    clock->ahead = -2h;
    EXPECT_EQ(passes.read(), PassTime(noon, noon - 2h + 3us));
    clock->late = 5ms;
    EXPECT_EQ(passes.read(), PassTime(noon, noon - 2h + 3us)) << "the same step";
}

}  // namespace
}  // namespace capstan::autoscaler
