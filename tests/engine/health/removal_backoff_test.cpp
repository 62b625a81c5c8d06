#include "engine/health/removal_backoff.hpp"

#include <gmock/gmock.h>

#include "../test_cluster.hpp"
#include "engine/health/backoff.hpp"
#include "engine/health/health.hpp"
#include "engine/health/repairs.hpp"

namespace capstan::engine::health {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

const NodeGroupId spot("spot");
const MachineId first_machine("i-1");

/// A pass every ten seconds with failed machines that the cloud refuses to remove.
struct RefusedRemovals : ::testing::Test {
    RefusedRemovals() { settings.backoff = BackoffPolicy::until_joined; }

    void failed(const std::string& id) {
        test_cluster.machine("spot", id, MachineState::failed).error =
            Error{.code = ErrorCode::unavailable, .message = "it broke"};
    }
    Decision pass() {
        const Snapshot snapshot = test_cluster.snapshot();
        const templates::Membership membership = templates::make_membership(snapshot);
        memory = remember(std::move(memory), snapshot, membership, settings, now);
        const Health health = assess(snapshot, membership, memory, settings, now);
        const Repairs repairs = plan_repairs({snapshot, membership, memory, settings, now}, health);
        Decision decision{.decreases = repairs.decreases, .removals = repairs.removals};
        Results results;
        results.decreases.assign(decision.decreases.size(), refusal);
        for (std::size_t i = 0; i < decision.removals.size(); ++i)
            results.removals.push_back(refusal ? std::vector{*refusal} : std::vector<Error>());
        memory = remember_refused_removals(std::move(memory), decision, results, settings, now);
        return decision;
    }
    /// The seconds at which a removal or decrease was attempted.
    std::vector<int> attempts_until(Duration end) {
        std::vector<int> out;
        for (; now < noon + end; now += 10s) {
            const Decision decision = pass();
            if (!decision.removals.empty() || !decision.decreases.empty())
                out.push_back(static_cast<int>((now - noon) / 1s));
        }
        return out;
    }
    std::vector<std::string> removed(const Decision& decision) const {
        std::vector<std::string> out;
        for (const MachineRemoval& removal : decision.removals)
            for (const MachineId& id : removal.machines) out.push_back(id.value());
        return out;
    }

    TestCluster test_cluster;
    Settings settings;
    Memory memory;
    std::optional<Error> refusal = Error{ErrorCode::permission, "it is protected"};
    Time now = noon;
};

TEST_F(RefusedRemovals, AreRetriedWithDoublingIntervals) {
    test_cluster.group("spot", 1);
    failed("i-1");
    EXPECT_THAT(attempts_until(20min), ElementsAre(0, 30, 90, 210, 450, 930));
}

TEST_F(RefusedRemovals, AreRepeatedAfterTwoMinutesIfTheMachineIsStillListed) {
    test_cluster.group("spot", 1);
    failed("i-1");
    for (const std::optional<Error>& answer :
         {std::optional<Error>(),
          std::optional(
              Error{.code = ErrorCode::not_found, .message = "it is gone", .subject = "i-1"})}) {
        memory = {};
        now = noon;
        refusal = answer;
        EXPECT_THAT(attempts_until(5min), ElementsAre(0, 120, 240));
    }
}

TEST_F(RefusedRemovals, WaitAtMostTheMaximumBackoff) {
    settings.backoff_max = 1min;
    test_cluster.group("spot", 1);
    failed("i-1");
    EXPECT_THAT(attempts_until(4min), ElementsAre(0, 30, 90, 150, 210));
}

TEST_F(RefusedRemovals, AreRetriedAfterADayIfUnsupported) {
    refusal = Error{ErrorCode::unsupported, "machines of a fleet cannot be chosen"};
    test_cluster.group("spot", 2);
    failed("i-1");
    failed("i-2");
    EXPECT_THAT(attempts_until(24h + 10s), ElementsAre(0, 86400));
}

TEST_F(RefusedRemovals, DoNotBackTheMachineOffIfThrottled) {
    refusal = Error{ErrorCode::throttled, "slow down"};
    test_cluster.group("spot", 1);
    failed("i-1");
    pass();
    EXPECT_THAT(memory.removal_backoffs, IsEmpty());
}

TEST_F(RefusedRemovals, DoNotBlockOtherMachines) {
    test_cluster.group("spot", 2);
    failed("i-1");
    pass();
    failed("i-2");
    now += 10s;
    EXPECT_THAT(removed(pass()), ElementsAre("i-2"));
}

TEST_F(RefusedRemovals, AreForgottenWithTheirMachines) {
    test_cluster.group("spot", 1);
    failed("i-1");
    pass();
    EXPECT_NE(find_removal_backoff(memory, spot, first_machine, now), nullptr);
    EXPECT_EQ(next_removal_backoff_end(memory, now), noon + 30s);
    test_cluster.change_group("spot").machines.clear();
    pass();
    EXPECT_THAT(memory.removal_backoffs, IsEmpty());
}

TEST_F(RefusedRemovals, AreForgottenAfterTheResetTime) {
    test_cluster.group("spot", 1);
    test_cluster.node("i-1", "spot");
    back_off_removal(memory, spot, first_machine, "it is protected", 3min, settings, now);
    now += 3min + settings.backoff_reset;
    pass();
    EXPECT_EQ(memory.removal_backoffs.size(), 1u);
    now += 1ns;
    pass();
    EXPECT_THAT(memory.removal_backoffs, IsEmpty());
}

TEST_F(RefusedRemovals, AreKeptWhileTheGroupIsUnreadable) {
    Group& group = test_cluster.group("spot", 1);
    test_cluster.node("i-1", "spot");
    back_off_removal(memory, spot, first_machine, "it is protected", 3min, settings, now);
    memory.failed_machines[spot] = {first_machine};
    const std::vector<Machine> machines = std::exchange(group.machines, {});
    group.unreadable_because = "the cloud has not been read since the start";
    pass();
    EXPECT_EQ(memory.removal_backoffs.size(), 1u);
    EXPECT_TRUE(memory.failed_machines.contains(spot));
    test_cluster.change_group("spot").machines = machines;
    test_cluster.change_group("spot").unreadable_because.clear();
    pass();
    EXPECT_EQ(memory.removal_backoffs.size(), 1u);
}

TEST_F(RefusedRemovals, IgnoreCancelledRemovals) {
    refusal->code = ErrorCode::cancelled;
    test_cluster.group("spot", 1);
    failed("i-1");
    EXPECT_THAT(attempts_until(30s), ElementsAre(0, 10, 20));
}

TEST_F(RefusedRemovals, HonourRetryAfter) {
    refusal->retry_after = 2min;
    test_cluster.group("spot", 1);
    failed("i-1");
    EXPECT_THAT(attempts_until(5min), ElementsAre(0, 120, 240));
}

TEST_F(RefusedRemovals, ApplyToDecreasesToo) {
    test_cluster.group("spot", 3);
    for (const char* id : {"i-1", "i-2", "i-3"})
        test_cluster.machine("spot", id, MachineState::requested).error =
            Error{.code = ErrorCode::out_of_capacity, .message = "none left"};
    EXPECT_THAT(attempts_until(4min), ElementsAre(0, 30, 90, 210));
    memory = {};
    now = noon;
    refusal->code = ErrorCode::conflict;
    EXPECT_THAT(attempts_until(4min), ElementsAre(0, 30, 90, 210)) << "the list of the cloud lags";
    refusal.reset();
    now = noon + 8min;
    pass();
    EXPECT_THAT(memory.decrease_backoffs, IsEmpty());
}

TEST_F(RefusedRemovals, StartOverAfterTheResetTime) {
    struct Case {
        Duration later, length;
    };
    const Time end = now + 3min;
    for (const Case& c :
         {Case{settings.backoff_reset, 6min}, Case{settings.backoff_reset + 1ns, 3min}}) {
        memory = {};
        back_off_removal(memory, spot, first_machine, "no", 3min, settings, noon);
        back_off_removal(memory, spot, first_machine, "no", 3min, settings, end + c.later);
        EXPECT_EQ(memory.removal_backoffs.at(spot).at(first_machine).length, c.length);
    }
}

TEST_F(RefusedRemovals, KeepTheirFailureCountWhenTheRemovalIsPostponed) {
    back_off_removal(memory, spot, first_machine, "it is protected", 3min, settings, now);
    now += 3min;
    back_off_removal(memory, spot, first_machine, "it is protected", 3min, settings, now);
    now += 6min;
    postpone_removal(memory, spot, first_machine, "its taint was taken off", 1min, now);
    const RemovalBackoff& backoff = memory.removal_backoffs.at(spot).at(first_machine);
    EXPECT_EQ(why_removal_backed_off(backoff, now),
              "removal backed off until 15:16:40Z (1m left): its taint was taken off");
    now += 1min;
    EXPECT_EQ(find_removal_backoff(memory, spot, first_machine, now), nullptr);
    back_off_removal(memory, spot, first_machine, "it is protected", 3min, settings, now);
    EXPECT_EQ(backoff.until, now + 12min);
}

TEST_F(RefusedRemovals, AreNotShortenedByAPostponedRemoval) {
    back_off_removal(memory, spot, first_machine, "it is protected", 3min, settings, now);
    const Memory before = memory;
    postpone_removal(memory, spot, first_machine, "its taint was taken off", 1min, now);
    EXPECT_EQ(memory, before);
}

TEST_F(RefusedRemovals, AreNotReplacedByAPostponedDrain) {
    back_off_removal(memory, NodeGroupId("g"), MachineId("m"), "fails", 1min, {}, now);
    postpone_drain(memory, NodeGroupId("g"), MachineId("m"), "pods rest", 2h, now);
    const RemovalBackoff* backoff =
        find_removal_backoff(memory, NodeGroupId("g"), MachineId("m"), now);
    EXPECT_EQ(backoff->until, now + 1min);
    EXPECT_FALSE(backoff->only_drains);
    postpone_drain(memory, NodeGroupId("g"), MachineId("m"), "pods rest", 2h, now + 1min);
    EXPECT_TRUE(
        find_removal_backoff(memory, NodeGroupId("g"), MachineId("m"), now + 1min)->only_drains);
    back_off_removal(memory, NodeGroupId("g"), MachineId("m"), "fails", 1min, {}, now + 2min);
    EXPECT_FALSE(
        find_removal_backoff(memory, NodeGroupId("g"), MachineId("m"), now + 2min)->only_drains);
}

TEST_F(RefusedRemovals, ReportTheirEndAndCount) {
    back_off_removal(memory, spot, first_machine, "it is protected", 3min, settings, now);
    const auto text = [&] {
        return why_removal_backed_off(memory.removal_backoffs.at(spot).at(first_machine), now);
    };
    EXPECT_EQ(text(), "removal backed off until 15:09:40Z (3m left): it is protected");
    now += 3min;
    back_off_removal(memory, spot, first_machine, "it is protected", 3min, settings, now);
    EXPECT_EQ(text(),
              "removal backed off until 15:15:40Z (6m left): it is protected (2 times in a row)");
}

}  // namespace
}  // namespace capstan::engine::health
