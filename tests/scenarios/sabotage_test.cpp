// What the judge of chaos sees: an autoscaler that is made worse, by a setting or by sabotage, does
// not pass.
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

/// A story of tests/scenarios/chaos, ready to be stormed.
class Story {
public:
    Story(const std::string& name, const std::vector<std::string>& settings) {
        const runtime::config::ShippedPlugins shipped(commands::build_tree() /
                                                      "lib/capstan/plugins");
        Scenario scenario =
            read_scenario("tests/scenarios/chaos/" + name + ".toml", shipped, settings);
        EXPECT_EQ(scenario.diagnostics.text(), "");
        input_ = *std::move(scenario.input);
        prepared_ =
            prepare({std::move(scenario.config), scenario.diagnostics}, input_.cloud, shipped);
        EXPECT_TRUE(prepared_->is_sound) << prepared_->complaints;
    }

    chaos::Trial storm(std::uint64_t seed, Sabotage sabotage) const {
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

/// What an autoscaler is made worse with, and the invariant that has to say so.
struct Worse {
    const char* story;
    const char* invariant;
    Sabotage sabotage = Sabotage::none;
    const char* setting = nullptr;
    friend std::ostream& operator<<(std::ostream& out, const Worse& worse) {
        return out << worse.story << " with "
                   << (worse.setting != nullptr ? worse.setting : name_of(worse.sabotage));
    }
};

class Judge : public ::testing::TestWithParam<Worse> {};

TEST_P(Judge, SeesThatAnAutoscalerIsWorse) {
    const Worse& worse = GetParam();
    std::vector<std::string> settings;
    if (worse.setting != nullptr) settings.emplace_back(worse.setting);
    const Story story(worse.story, settings);
    std::set<std::string> said;
    for (std::uint64_t seed = 1; seed <= seeds && !said.contains(worse.invariant); ++seed) {
        for (const chaos::Violation& violation : story.storm(seed, worse.sabotage).violations)
            said.insert(violation.invariant);
    }
    EXPECT_TRUE(said.contains(worse.invariant)) << ::testing::PrintToString(said);
}

INSTANTIATE_TEST_SUITE_P(
    Chaos, Judge,
    ::testing::Values(Worse{"shop", "thrift", Sabotage::never_removes},
                      Worse{"shop", "thrift", Sabotage::none, "scale_down.enabled=false"},
                      Worse{"shop", "thrift", Sabotage::none, "scale_down.unneeded_time=9h"},
                      Worse{"shop", "thrift", Sabotage::none,
                            "scale_down.utilization_threshold=0.0"},
                      Worse{"spot", "cost", Sabotage::dearest_first},
                      Worse{"shop", "purpose", Sabotage::forgets_orders},
                      Worse{"two_clouds", "purpose", Sabotage::forgets_orders},
                      Worse{"shop", "purpose", Sabotage::buys_for_no_pod},
                      Worse{"shop", "rest", Sabotage::buys_for_no_pod},
                      Worse{"factory", "minima", Sabotage::ignores_minima},
                      Worse{"shop", "pods", Sabotage::sees_old_pods},
                      Worse{"shop", "bounds", Sabotage::buys_twenty_more},
                      Worse{"factory", "limits", Sabotage::buys_twenty_more},
                      Worse{"shop", "budgets", Sabotage::ignores_budgets},
                      Worse{"shop", "removals", Sabotage::moves_all_pods},
                      Worse{"shop", "leftovers", Sabotage::never_unmarks},
                      Worse{"shop", "service", Sabotage::never_grows},
                      Worse{"made_to_measure", "groups", Sabotage::makes_for_no_pod},
                      Worse{"shop", "restart", Sabotage::forgets_at_start},
                      Worse{"shop", "memory", Sabotage::garbles_memory}));

}  // namespace
}  // namespace capstan::simulation
