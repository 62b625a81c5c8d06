#include "simulator/faults.hpp"

#include <gtest/gtest.h>

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

}  // namespace
}  // namespace capstan::simulator
