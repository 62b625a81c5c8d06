#include "engine/health/leaving_nodes.hpp"

#include <gmock/gmock.h>

#include "../test_cluster.hpp"

namespace capstan::engine::health {
namespace {

const Departure avoided{};

/// A machine with a notice, and the departure derived from it.
struct Departures : ::testing::Test {
    Settings settings;
    PassTime time{noon};
    std::optional<Time> wake_at;

    std::optional<Departure> find(LeaveReason reason, std::optional<Time> at,
                                  MachineState state = MachineState::running) {
        NextChange next_change(time);
        const Machine machine{.state = state, .leaves = Leaving{reason, at}};
        auto out = find_departure(machine, settings, next_change);
        wake_at = next_change.at();
        return out;
    }
};

TEST_F(Departures, VacateTheNodeUntilTheNoticedTime) {
    const Departure vacated{.is_vacated = true, .at = noon + 2min};
    for (const LeaveReason reason : {LeaveReason::spot_interruption, LeaveReason::maintenance,
                                     LeaveReason::expiry, LeaveReason::other})
        EXPECT_EQ(find(reason, noon + 2min), vacated) << name_of(reason);
}

TEST_F(Departures, AvoidButDoNotVacateTheNodeIfTheyHaveNoTime) {
    EXPECT_EQ(find(LeaveReason::spot_interruption, {}), avoided);
    EXPECT_EQ(find(LeaveReason::other, {}), avoided);
}

TEST_F(Departures, AvoidButDoNotVacateTheNodeIfTheyMayNotHappen) {
    EXPECT_EQ(find(LeaveReason::rebalance, noon + 2min), avoided);
    EXPECT_EQ(find(LeaveReason::unhealthy, noon + 2min), avoided);
}

TEST_F(Departures, StartInTimeForANewMachineAndADrain) {
    EXPECT_EQ(find(LeaveReason::maintenance, noon + 6h), avoided);
    EXPECT_EQ(wake_at, noon + 6h - 75min);
    time = noon + 6h - 75min;
    EXPECT_TRUE(find(LeaveReason::maintenance, noon + 6h)->is_vacated);
}

TEST_F(Departures, IgnoreADistantExpiry) {
    EXPECT_EQ(find(LeaveReason::expiry, noon + 6h), std::nullopt);
    EXPECT_EQ(wake_at, noon + 6h - 75min);
}

TEST_F(Departures, AvoidButDoNotVacateTheNodeFromFiveMinutesAfterTheirTime) {
    time = noon + 5min - 1ns;
    EXPECT_TRUE(find(LeaveReason::other, noon)->is_vacated);
    EXPECT_EQ(wake_at, noon + 5min);
    time = noon + 5min;
    EXPECT_EQ(find(LeaveReason::other, noon), avoided);
    EXPECT_EQ(find(LeaveReason::other, Time()), avoided);
}

TEST_F(Departures, UseTheSteadyClock) {
    time = PassTime(noon + 1h, noon);
    EXPECT_EQ(find(LeaveReason::maintenance, noon + 2min)->at, noon + 1h + 2min);
}

TEST_F(Departures, IgnoreMachinesBeingDeleted) {
    EXPECT_EQ(find(LeaveReason::other, noon, MachineState::deleting), std::nullopt);
}

}  // namespace
}  // namespace capstan::engine::health
