// Checks that the invariants of chaos runs detect an autoscaler broken by a sabotage or a setting.
#include <gtest/gtest.h>

#include <memory>
#include <optional>
#include <ostream>
#include <set>
#include <string>
#include <vector>

#include "../host/commands/shell.hpp"
#include "autoscaler/offline/prepare.hpp"
#include "simulator/chaos/trial.hpp"
#include "simulator/sabotage.hpp"
#include "simulator/scenario.hpp"

namespace capstan::simulator {
namespace {

/// The most seeds of a case; a case ends with the first seed in which its invariant is violated.
constexpr std::uint64_t seeds = 25;

/// A scenario of tests/scenarios/chaos, prepared for trials.
class ChaosRun {
public:
    ChaosRun(const std::string& name, const std::vector<std::string>& settings) {
        const config::ShippedPlugins shipped(commands::build_tree() / "lib/capstan/plugins");
        Scenario scenario =
            read_scenario("tests/scenarios/chaos/" + name + ".toml", shipped, settings);
        EXPECT_EQ(scenario.diagnostics.text(), "");
        input_ = *std::move(scenario.input);
        prepared_ = autoscaler::offline::prepare({std::move(scenario.config), scenario.diagnostics},
                                                 input_.clouds, shipped);
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
    std::unique_ptr<autoscaler::offline::PreparedSetup> prepared_;
};

/// An autoscaler that is broken by a sabotage, by settings or by an expander, and the invariant
/// that has to notice it in one of the seeds.
struct SabotageCase {
    const char* what;
    const char* scenario;
    const char* invariant;
    Sabotage sabotage = Sabotage::none;
    std::vector<std::string> settings{};
    friend std::ostream& operator<<(std::ostream& out, const SabotageCase& sabotaged) {
        return out << sabotaged.what << ": " << sabotaged.invariant << " of " << sabotaged.scenario;
    }
};

/// By a defect between the engine and the cluster.
SabotageCase by(Sabotage sabotage, const char* scenario, const char* invariant) {
    return {name_of(sabotage).data(), scenario, invariant, sabotage};
}
/// By an expander of tests/scenarios/plugins.
SabotageCase by_expander(const char* what, const std::string& name, const std::string& id,
                         const char* scenario, const char* invariant) {
    const std::string folder = (commands::build_tree() / "tests/bin/plugins").string();
    return {
        what,
        scenario,
        invariant,
        Sabotage::none,
        {"trust.search_paths=['" + folder + "']",
         "plugin." + id + ".file='" + folder + "/bad_expanders.so'",
         "plugin." + id + ".class='" + name + "'", "pipeline.scale_up.expanders=['" + id + "']"}};
}

class ChaosInvariants : public ::testing::TestWithParam<SabotageCase> {};

TEST_P(ChaosInvariants, DetectASabotagedAutoscaler) {
    const SabotageCase& sabotaged = GetParam();
    const ChaosRun run(sabotaged.scenario, sabotaged.settings);
    std::set<std::string> violated;
    for (std::uint64_t seed = 1; seed <= seeds && !violated.contains(sabotaged.invariant); ++seed) {
        for (const chaos::Violation& violation : run.run_trial(seed, sabotaged.sabotage).violations)
            violated.insert(violation.invariant);
    }
    EXPECT_TRUE(violated.contains(sabotaged.invariant)) << ::testing::PrintToString(violated);
}

INSTANTIATE_TEST_SUITE_P(Defects, ChaosInvariants,
                         ::testing::Values(by(Sabotage::never_removes, "shop", "thrift"),
                                           by(Sabotage::dearest_first, "spot", "price"),
                                           by(Sabotage::forgets_orders, "shop", "purpose"),
                                           by(Sabotage::forgets_orders, "two_clouds", "purpose"),
                                           by(Sabotage::buys_for_no_pod, "shop", "purpose"),
                                           by(Sabotage::buys_for_no_pod, "shop", "rest"),
                                           by(Sabotage::buys_for_no_pod, "shop", "orders"),
                                           by(Sabotage::ignores_minima, "factory", "minima"),
                                           by(Sabotage::sees_old_pods, "shop", "pods"),
                                           by(Sabotage::buys_twenty_more, "shop", "bounds"),
                                           by(Sabotage::buys_twenty_more, "factory", "limits"),
                                           by(Sabotage::ignores_budgets, "shop", "budgets"),
                                           by(Sabotage::moves_all_pods, "shop", "removals"),
                                           by(Sabotage::never_unmarks, "shop", "leftovers"),
                                           by(Sabotage::never_grows, "shop", "service"),
                                           by(Sabotage::makes_for_no_pod, "made_to_measure",
                                              "groups"),
                                           by(Sabotage::forgets_at_start, "shop", "restart"),
                                           by(Sabotage::garbles_memory, "shop", "memory"),
                                           by(Sabotage::buys_for_moved_pods, "shop", "moves"),
                                           by(Sabotage::removes_another, "shop", "endings"),
                                           by(Sabotage::moves_all_pods, "shop", "drains")));

INSTANTIATE_TEST_SUITE_P(
    Settings, ChaosInvariants,
    ::testing::Values(
        SabotageCase{
            "no scale-down", "shop", "thrift", Sabotage::none, {"scale_down.enabled=false"}},
        SabotageCase{"nodes are unneeded after nine hours",
                     "shop",
                     "thrift",
                     Sabotage::none,
                     {"scale_down.unneeded_time=9h"}},
        SabotageCase{"nodes are unneeded after 100 minutes",
                     "made_to_measure",
                     "node_hours",
                     Sabotage::none,
                     {"scale_down.unneeded_time=100m"}},
        SabotageCase{"no node has low utilization",
                     "shop",
                     "thrift",
                     Sabotage::none,
                     {"scale_down.utilization_threshold=0.0"}},
        SabotageCase{"controllers with few replicas keep nodes",
                     "balanced",
                     "thrift",
                     Sabotage::none,
                     {"scale_down.min_replica_count=99"}},
        SabotageCase{"pods wait for two hours",
                     "shop",
                     "service",
                     Sabotage::none,
                     {"scale_up.new_pod_delay=2h"}},
        SabotageCase{"pods wait for 40 minutes",
                     "shop",
                     "waiting",
                     Sabotage::none,
                     {"scale_up.new_pod_delay=40m"}},
        SabotageCase{"drain rules are off",
                     "shop",
                     "drains",
                     Sabotage::none,
                     {"scale_down.drain_rules_off=['not_safe_to_evict', 'local_storage', "
                      "'replicated', 'system']"}},
        SabotageCase{"machines are given up after five seconds",
                     "shop",
                     "returns",
                     Sabotage::none,
                     {"scale_up.max_node_provision_time=5s"}},
        SabotageCase{"no delays",
                     "factory",
                     "churn",
                     Sabotage::none,
                     {"scale_down.delay_after_add=0s", "scale_down.delay_after_delete=0s",
                      "scale_down.delay_after_failure=0s", "scale_down.unneeded_time=0s",
                      "scale_down.unready_time=0s", "scale_down.utilization_threshold=1.0"}},
        SabotageCase{"Balancers of another namespace",
                     "balanced",
                     "balancers",
                     Sabotage::none,
                     {"plugin.replicas.settings.namespace=other"}}));

INSTANTIATE_TEST_SUITE_P(
    Expanders, ChaosInvariants,
    ::testing::Values(by_expander("the dearest group", "dearest", "dearest", "spot", "price"),
                      by_expander("the dearest group, called cheapest", "dearest", "cheapest",
                                  "spot", "price"),
                      by_expander("the largest machines", "biggest", "biggest", "spot", "price"),
                      by_expander("the most machines", "most_nodes", "most_nodes", "spot", "price"),
                      by_expander("the fewest pods", "fewest_pods", "fewest_pods", "spot", "price"),
                      by_expander("groups by turns", "by_turns", "by_turns", "spot", "price"),
                      by_expander("no group", "nothing", "nothing", "spot", "price"),
                      SabotageCase{"a random group",
                                   "spot",
                                   "price",
                                   Sabotage::none,
                                   {"pipeline.scale_up.expanders=['random']"}}));

}  // namespace
}  // namespace capstan::simulator
