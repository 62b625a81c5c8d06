#include "simulator/chaos/chaos_scenario.hpp"

#include <gtest/gtest.h>

#include <set>
#include <string>
#include <variant>
#include <vector>

#include "config/toml_values.hpp"
#include "simulator/cloud_control.hpp"

namespace capstan::simulator::chaos {
namespace {

Input base() {
    Input out{.source = "web.toml", .clouds = {CloudSettings{}}};
    PodBatch web{.count = 3, .controller = Controller::replica_set};
    web.pod.name = "web";
    out.steps = {Step{.actions = {{.what = web}}, .advance = std::chrono::hours(1)}};
    out.steps[0].expect.pending = 0;
    return out;
}

config::TomlValue groups(const std::vector<std::string>& ids) {
    config::TomlValue out;
    for (const std::string& id : ids) {
        config::TomlValue group;
        put(config::text_value("id", id), group);
        add_group(out, std::move(group));
    }
    return out;
}

std::vector<SimulatedCloud> one_cloud() {
    return {{simulated_cloud, {"web.toml", ""}, groups({"web"})}};
}

/// The groups that the scenarios of 50 seeds change.
std::set<std::string> changed_groups(const Input& from, const std::vector<SimulatedCloud>& clouds) {
    std::set<std::string> out;
    for (std::uint64_t seed = 0; seed < 50; ++seed) {
        const auto scenario = make_chaos_scenario(from, clouds, seed);
        for (const Action& action : scenario->input.steps[0].actions)
            if (const auto* change = std::get_if<CloudChange>(&action.what))
                out.insert(change->group);
    }
    return out;
}

TEST(ChaosScenario, DependsOnlyOnItsSeed) {
    const auto times = [](std::uint64_t seed) {
        std::vector<Duration> out;
        const auto scenario = make_chaos_scenario(base(), one_cloud(), seed);
        for (const Action& action : scenario->input.steps.at(0).actions)
            out.push_back(action.after);
        for (const Fault& fault : scenario->input.faults) out.push_back(fault.from);
        return out;
    };
    EXPECT_EQ(times(7), times(7));
    EXPECT_NE(times(7), times(8));
}

TEST(ChaosScenario, EndsAllFaultsBeforeTheCalmPhase) {
    for (std::uint64_t seed = 0; seed < 50; ++seed) {
        const auto scenario = make_chaos_scenario(base(), one_cloud(), seed);
        ASSERT_TRUE(scenario);
        ASSERT_EQ(scenario->input.steps.size(), 2u);
        EXPECT_TRUE(scenario->input.steps[1].actions.empty());
        EXPECT_EQ(scenario->input.steps[0].expect.pending, std::nullopt)
            << "expectations are removed";
        for (const Action& action : scenario->input.steps[0].actions)
            EXPECT_LE(action.after, scenario->faults);
        for (const Fault& fault : scenario->input.faults)
            EXPECT_LT(*fault.until + fault.lasts, scenario->faults);
    }
}

TEST(ChaosScenario, ChangesGroupsOfEveryCloud) {
    const std::vector<SimulatedCloud> clouds{
        {PluginInstanceId("east"), {"web.toml", ""}, groups({"east"})},
        {PluginInstanceId("west"), {"web.toml", ""}, groups({"west"})}};
    EXPECT_EQ(changed_groups(base(), clouds), (std::set<std::string>{"east", "west"}));
}

TEST(ChaosScenario, ChangesNoRemovedGroup) {
    Input from = base();
    from.steps[0].actions.push_back({.what = RemoveGroup{"web"}});
    EXPECT_EQ(changed_groups(from, one_cloud()), std::set<std::string>{});
    from.steps[0].actions.push_back({.after = std::chrono::minutes(1),
                                     .what = AddGroup{groups({"new"}).children[0].children[0]}});
    EXPECT_EQ(changed_groups(from, one_cloud()), std::set<std::string>{"new"});
}

TEST(ChaosScenario, SkipsImpossibleActions) {
    const auto scenario = make_chaos_scenario(base(), one_cloud(), 1);
    int own = 0, added = 0;
    for (const Action& action : scenario->input.steps[0].actions) {
        const auto* batch = std::get_if<PodBatch>(&action.what);
        const bool is_own = batch != nullptr && batch->pod.name == "web";
        ++(is_own ? own : added);
        EXPECT_EQ(action.if_impossible,
                  is_own ? IfImpossible::skip_without_target : IfImpossible::skip);
    }
    EXPECT_EQ(own, 1);
    EXPECT_GT(added, 0);
}

TEST(ChaosScenario, DrawsNoSettingsIfTheScenarioForbidsIt) {
    const config::Config config;
    const auto has_settings = [&](bool settings) {
        Input from = base();
        from.chaos.settings = settings;
        for (std::uint64_t seed = 0; seed < 50; ++seed) {
            const auto scenario = make_chaos_scenario(from, one_cloud(), seed, &config);
            for (const Action& action : scenario->input.steps[0].actions)
                if (std::holds_alternative<Reload>(action.what)) return true;
        }
        return false;
    };
    EXPECT_TRUE(has_settings(true));
    EXPECT_FALSE(has_settings(false));
}

TEST(ChaosScenario, RefusesOneGroupForEverInSomeSeeds) {
    int refused = 0;
    for (std::uint64_t seed = 0; seed < 50; ++seed) {
        const auto scenario = make_chaos_scenario(
            base(), {{simulated_cloud, {"web.toml", ""}, groups({"web", "db"})}}, seed);
        if (scenario->refused.empty()) continue;
        ++refused;
        const Action& last = scenario->input.steps[0].actions.back();
        EXPECT_EQ(last.after, scenario->faults) << "no fault ends the refusal";
        EXPECT_EQ(std::get<CloudChange>(last.what).group, scenario->refused);
    }
    EXPECT_GT(refused, 0);
}

TEST(ChaosScenario, RequiresASimulatedCloud) {
    EXPECT_EQ(make_chaos_scenario(base(), {}, 1).error().code, ErrorCode::invalid_config);
}

}  // namespace
}  // namespace capstan::simulator::chaos
