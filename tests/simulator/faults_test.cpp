#include "simulator/faults.hpp"

#include <gtest/gtest.h>

#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "run_start.hpp"

namespace capstan::simulator {
namespace {

using namespace std::chrono_literals;

/// The events of the first hour, such as "2m stock_out web" and "7m stock_out web ends".
std::vector<std::string> fault_events(std::vector<Fault> faults, std::uint64_t seed = 1,
                                      const std::vector<std::string>& groups = {"web", "db"}) {
    Faults all(std::move(faults), start, seed);
    std::vector<std::string> out;
    for (auto due = all.next_due(); due && *due <= start + 1h; due = all.next_due()) {
        for (const FaultEvent& event : all.take_due(*due, groups)) {
            const auto minutes = std::chrono::duration_cast<std::chrono::minutes>(*due - start);
            out.push_back(
                std::to_string(minutes.count()) + "m " + std::string(name_of(event.kind)) +
                (event.group.empty() ? "" : " " + event.group) + (event.begins ? "" : " ends"));
        }
    }
    return out;
}

TEST(SimulatedFaults, HappenOnceAndEndIfNoChanceIsSet) {
    EXPECT_EQ(fault_events({{.kind = FaultKind::stock_out, .group = "web", .from = 2min}}),
              (std::vector<std::string>{"2m stock_out web", "7m stock_out web ends"}));
}

TEST(SimulatedFaults, HaveNoEndIfTheyAreInstant) {
    EXPECT_EQ(fault_events({{.kind = FaultKind::restart, .from = 3min}}),
              std::vector<std::string>{"3m restart"});
}

TEST(SimulatedFaults, AreJoinedIfTheyOverlap) {
    EXPECT_EQ(fault_events({{.kind = FaultKind::flap, .group = "web"},
                            {.kind = FaultKind::flap, .group = "web", .from = 4min}}),
              (std::vector<std::string>{"0m flap web", "9m flap web ends"}));
}

TEST(SimulatedFaults, AreSeparateForEachCloud) {
    EXPECT_EQ(
        fault_events({{.kind = FaultKind::silent, .cloud = "east"},
                      {.kind = FaultKind::silent, .cloud = "west", .from = 4min}}),
        (std::vector<std::string>{"0m silent", "4m silent", "5m silent ends", "9m silent ends"}));
}

TEST(SimulatedFaults, HappenAtEachIntervalWithChanceOne) {
    EXPECT_EQ(fault_events({{.kind = FaultKind::restart,
                             .from = 10min,
                             .chance = 1.0,
                             .every = 20min,
                             .until = 50min}}),
              (std::vector<std::string>{"10m restart", "30m restart", "50m restart"}));
    EXPECT_TRUE(fault_events({{.kind = FaultKind::restart, .chance = 0.0, .until = 1h}}).empty());
}

TEST(SimulatedFaults, DependOnTheSeed) {
    const std::vector<Fault> faults{{.kind = FaultKind::lost_machine, .chance = 0.2}};
    EXPECT_EQ(fault_events(faults, 7), fault_events(faults, 7));
    EXPECT_NE(fault_events(faults, 7), fault_events(faults, 8));
    EXPECT_FALSE(fault_events(faults, 7).empty());
}

TEST(SimulatedFaults, DoNotHappenToAGroupThatDoesNotExist) {
    EXPECT_TRUE(fault_events({{.kind = FaultKind::flap}}, 1, {}).empty());
}

TEST(SimulatedFaults, EndBeforeOthersBeginAtTheSameMoment) {
    EXPECT_EQ(fault_events({{.kind = FaultKind::flap, .group = "web"},
                            {.kind = FaultKind::flap, .group = "web", .from = 5min}}),
              (std::vector<std::string>{"0m flap web", "5m flap web ends", "5m flap web",
                                        "10m flap web ends"}));
}

TEST(SimulatedFaults, KeepTheLaterOfTwoEnds) {
    EXPECT_EQ(
        fault_events({{.kind = FaultKind::flap, .group = "web", .lasts = 10min},
                      {.kind = FaultKind::flap, .group = "web", .from = 1min, .lasts = 2min}}),
        (std::vector<std::string>{"0m flap web", "10m flap web ends"}));
}

TEST(SimulatedFaults, OfNoDurationBeginAndEnd) {
    EXPECT_EQ(fault_events({{.kind = FaultKind::flap, .group = "web", .from = 1min, .lasts = 0s}}),
              (std::vector<std::string>{"1m flap web", "1m flap web ends"}));
}

TEST(SimulatedFaults, HappenToTheGroupOfTheirDraw) {
    const auto group_of = [](std::uint64_t draw) {
        return fault_events({{.kind = FaultKind::lost_machine, .draw = draw}}, 1, {"a", "b", "c"});
    };
    EXPECT_EQ(group_of(0), std::vector<std::string>{"0m lost_machine a"});
    EXPECT_EQ(group_of(5), std::vector<std::string>{"0m lost_machine c"});
}

TEST(SimulatedFaults, AreReportedOnceWithAllThatWasDrawn) {
    Faults faults({{.kind = FaultKind::lost_machine, .from = 3min, .chance = 1.0, .draw = 4}},
                  start, 1);
    EXPECT_TRUE(faults.take_drawn().empty());
    std::ignore = faults.take_due(start + 3min, {"a", "b", "c"});
    const std::vector<Fault> drawn = faults.take_drawn();
    ASSERT_EQ(drawn.size(), 1u);
    EXPECT_EQ(drawn[0].kind, FaultKind::lost_machine);
    EXPECT_EQ(drawn[0].group, "b");
    EXPECT_EQ(drawn[0].from, 3min);
    EXPECT_EQ(drawn[0].chance, std::nullopt);
    EXPECT_EQ(drawn[0].draw, 4u);
    EXPECT_TRUE(faults.take_drawn().empty());
}

TEST(SimulatedFaults, UseTheirDrawOnlyIfTheyLeaveAChoice) {
    const std::vector<std::pair<Fault, bool>> cases{
        {{.kind = FaultKind::stock_out, .group = "web"}, false},
        {{.kind = FaultKind::stock_out}, true},
        {{.kind = FaultKind::flap, .group = "web"}, true},  // chooses a node
        {{.kind = FaultKind::silent, .cloud = "east"}, false},
        {{.kind = FaultKind::silent}, true},
        {{.kind = FaultKind::plugin_fails, .plugin = "random"}, false},
        {{.kind = FaultKind::plugin_fails}, true},
        {{.kind = FaultKind::restart}, false},
        {{.kind = FaultKind::takeover}, true},  // chooses the difference of the clocks
    };
    for (const auto& [fault, uses] : cases)
        EXPECT_EQ(uses_draw(fault), uses) << name_of(fault.kind);
}

TEST(SimulatedFaults, SkewClocksByAtMostHalfAMinute) {
    EXPECT_EQ(takeover_skew(0), -30s);
    EXPECT_EQ(takeover_skew(30), 0s);
    EXPECT_EQ(takeover_skew(60), 30s);
    EXPECT_EQ(takeover_skew(61), -30s);
}

}  // namespace
}  // namespace capstan::simulator
