// Checks that the invariants of chaos runs detect an autoscaler broken by a sabotage or a setting.
#include <gtest/gtest.h>

#include <memory>
#include <optional>
#include <ostream>
#include <set>
#include <string>
#include <vector>

#include "../host/commands/shell.hpp"
#include "simulation/chaos/trial.hpp"
#include "simulation/prepare.hpp"
#include "simulation/sabotage.hpp"
#include "simulation/scenario.hpp"

namespace capstan::simulation {
namespace {

constexpr std::uint64_t seeds = 8;

/// A scenario of tests/scenarios/chaos, prepared for trials.
class ChaosRun {
public:
    ChaosRun(const std::string& name, const std::vector<std::string>& settings) {
        const runtime::config::ShippedPlugins shipped(commands::build_tree() /
                                                      "lib/capstan/plugins");
        Scenario scenario =
            read_scenario("tests/scenarios/chaos/" + name + ".toml", shipped, settings);
        EXPECT_EQ(scenario.diagnostics.text(), "");
        input_ = *std::move(scenario.input);
        prepared_ =
            prepare({std::move(scenario.config), scenario.diagnostics}, input_.clouds, shipped);
        EXPECT_TRUE(prepared_->is_sound) << prepared_->complaints;
    }

    chaos::Trial run_trial(std::uint64_t seed, Sabotage sabotage) const {
        auto trial = chaos::run_trial(input_,
                                      {.config = *prepared_->config,
                                       .plugins = prepared_->plugins,
                                       .version = "test",
                                       .sabotage = sabotage},
                                      seed);
        EXPECT_TRUE(trial) << trial.error().message;
        return trial ? *std::move(trial) : chaos::Trial{};
    }

private:
    Input input_;
    std::unique_ptr<simulation::PreparedSetup> prepared_;
};

/// A sabotage or a setting, and the invariant that must detect it.
struct SabotageCase {
    const char* scenario;
    const char* invariant;
    Sabotage sabotage = Sabotage::none;
    const char* setting = nullptr;
    friend std::ostream& operator<<(std::ostream& out, const SabotageCase& sabotaged) {
        return out << sabotaged.scenario << " with "
                   << (sabotaged.setting != nullptr ? sabotaged.setting
                                                    : name_of(sabotaged.sabotage));
    }
};

class ChaosInvariants : public ::testing::TestWithParam<SabotageCase> {};

TEST_P(ChaosInvariants, DetectASabotagedAutoscaler) {
    const SabotageCase& sabotaged = GetParam();
    std::vector<std::string> settings;
    if (sabotaged.setting != nullptr) settings.emplace_back(sabotaged.setting);
    const ChaosRun run(sabotaged.scenario, settings);
    std::set<std::string> violated;
    for (std::uint64_t seed = 1; seed <= seeds && !violated.contains(sabotaged.invariant); ++seed) {
        for (const chaos::Violation& violation : run.run_trial(seed, sabotaged.sabotage).violations)
            violated.insert(violation.invariant);
    }
    EXPECT_TRUE(violated.contains(sabotaged.invariant)) << ::testing::PrintToString(violated);
}

INSTANTIATE_TEST_SUITE_P(
    Chaos, ChaosInvariants,
    ::testing::Values(SabotageCase{"shop", "thrift", Sabotage::never_removes},
                      SabotageCase{"shop", "thrift", Sabotage::none, "scale_down.enabled=false"},
                      SabotageCase{"shop", "thrift", Sabotage::none, "scale_down.unneeded_time=9h"},
                      SabotageCase{"shop", "thrift", Sabotage::none,
                                   "scale_down.utilization_threshold=0.0"},
                      SabotageCase{"spot", "cost", Sabotage::dearest_first},
                      SabotageCase{"shop", "purpose", Sabotage::forgets_orders},
                      SabotageCase{"two_clouds", "purpose", Sabotage::forgets_orders},
                      SabotageCase{"shop", "purpose", Sabotage::buys_for_no_pod},
                      SabotageCase{"shop", "rest", Sabotage::buys_for_no_pod},
                      SabotageCase{"factory", "minima", Sabotage::ignores_minima},
                      SabotageCase{"shop", "pods", Sabotage::sees_old_pods},
                      SabotageCase{"shop", "bounds", Sabotage::buys_twenty_more},
                      SabotageCase{"factory", "limits", Sabotage::buys_twenty_more},
                      SabotageCase{"shop", "budgets", Sabotage::ignores_budgets},
                      SabotageCase{"shop", "removals", Sabotage::moves_all_pods},
                      SabotageCase{"shop", "leftovers", Sabotage::never_unmarks},
                      SabotageCase{"shop", "service", Sabotage::never_grows},
                      SabotageCase{"made_to_measure", "groups", Sabotage::makes_for_no_pod},
                      SabotageCase{"shop", "restart", Sabotage::forgets_at_start},
                      SabotageCase{"shop", "memory", Sabotage::garbles_memory}));

}  // namespace
}  // namespace capstan::simulation
