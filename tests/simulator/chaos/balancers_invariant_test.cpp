// The invariant about the replicas that Balancers ask of their targets.
#include <gtest/gtest.h>

#include <chrono>
#include <ostream>
#include <string>
#include <vector>

#include "simulator/chaos/invariant.hpp"

namespace capstan::simulator::chaos {
namespace {

using namespace std::chrono_literals;
using Target = BalancerState::Target;

struct BalancerCase {
    const char* name;
    int replicas;
    std::vector<Target> targets;
    std::string violation{};  ///< empty: none
    bool is_served = true;
    friend std::ostream& operator<<(std::ostream& out, const BalancerCase& c) {
        return out << c.name;
    }
};

class BalancersInvariantTest : public ::testing::TestWithParam<BalancerCase> {};

TEST_P(BalancersInvariantTest, JudgesTheReplicasOfTargets) {
    const BalancerCase& c = GetParam();
    const auto invariant = balancers_invariant();
    const std::vector<BalancerState> states{{.name = "shop/web",
                                             .replicas = c.replicas,
                                             .targets = c.targets,
                                             .is_served = c.is_served}};
    const Time start{};
    EXPECT_EQ(invariant->on_balancers(states, start), std::vector<std::string>{})
        << "the controller has two minutes";
    const std::vector<std::string> found = invariant->on_balancers(states, start + 2min);
    if (c.violation.empty()) {
        EXPECT_EQ(found, std::vector<std::string>{});
    } else {
        EXPECT_EQ(found, std::vector{"Balancer shop/web: " + c.violation});
    }
    EXPECT_EQ(invariant->on_balancers(states, start + 1h), std::vector<std::string>{})
        << "a violation is reported once";
}

INSTANTIATE_TEST_SUITE_P(
    Cases, BalancersInvariantTest,
    ::testing::Values(
        BalancerCase{"ExactSum", 10, {Target{.wanted = 6}, Target{.wanted = 4}}},
        BalancerCase{"TooFew",
                     10,
                     {Target{.wanted = 6}, Target{.wanted = 3}},
                     "9 replicas are asked of all targets, 10 are wanted"},
        BalancerCase{"TooMany",
                     10,
                     {Target{.wanted = 6}, Target{.wanted = 6, .waiting = 1}},
                     "12 replicas are asked of all targets, 10 are wanted, and 1 pod waits"},
        BalancerCase{
            "MoreWhilePodsWait", 10, {Target{.wanted = 6}, Target{.wanted = 6, .waiting = 2}}},
        BalancerCase{"FewerBecauseOfMaxima",
                     10,
                     {Target{.max = 3, .wanted = 3}, Target{.max = 4, .wanted = 4}}},
        BalancerCase{"MoreBecauseOfMinima",
                     1,
                     {Target{.min = 2, .wanted = 2}, Target{.min = 2, .wanted = 2}}},
        BalancerCase{"FewerWithoutATarget", 10, {Target{}, Target{.wanted = 4}}},
        BalancerCase{"BelowAMinimum",
                     4,
                     {Target{.name = "a", .min = 2, .max = 8, .wanted = 1}, Target{.wanted = 3}},
                     "target a is asked for 1 replica, its bounds are 2 to 8"},
        BalancerCase{"AboveAMaximum",
                     4,
                     {Target{.name = "a", .max = 3, .wanted = 4}, Target{.wanted = 0}},
                     "target a is asked for 4 replicas, its bounds are 0 to 3"},
        BalancerCase{
            "WithoutAController", 10, {Target{.wanted = 1}, Target{.wanted = 1}}, "", false}),
    [](const auto& info) { return std::string(info.param.name); });

TEST(BalancersInvariant, StartsAgainWhenTheSumWasRight) {
    const auto invariant = balancers_invariant();
    const auto asked = [](int replicas) {
        return std::vector<BalancerState>{
            {.name = "web", .replicas = 2, .targets = {Target{.wanted = replicas}}}};
    };
    const Time start{};
    invariant->on_balancers(asked(5), start);
    invariant->on_balancers(asked(2), start + 1min);
    EXPECT_TRUE(invariant->on_balancers(asked(5), start + 2min).empty());
    EXPECT_EQ(invariant->on_balancers(asked(5), start + 4min).size(), 1u);
}

}  // namespace
}  // namespace capstan::simulator::chaos
