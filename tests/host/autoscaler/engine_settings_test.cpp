#include "autoscaler/engine_settings.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "config/references.hpp"
#include "engine/drainability/drain_rules/drain_rules.hpp"

namespace capstan::autoscaler {
namespace {

TEST(EngineSettings, HaveNoLimitsByDefault) {
    const engine::Settings settings = make_settings({}, {}, {});
    EXPECT_EQ(settings.cpu.max, std::nullopt);
    EXPECT_EQ(settings.memory.max, std::nullopt);
    EXPECT_EQ(settings.gpu.max, std::nullopt);
    EXPECT_EQ(settings.nodes.max, std::nullopt);
    EXPECT_TRUE(settings.balance_similar);
    EXPECT_FALSE(settings.balance_across_prices);
    EXPECT_EQ(settings.expendable_pods_priority_cutoff, -10);
}

TEST(EngineSettings, HaveTheDrainRulesThatTheConfigurationNames) {
    std::vector<std::string_view> names;
    for (const engine::drainability::DrainRule& rule : engine::drainability::drain_rules())
        names.push_back(rule.name);
    EXPECT_THAT(names, testing::ElementsAreArray(config::drain_rule_names));
}

TEST(EngineSettings, UseMillicoresAndBytes) {
    config::Limits limits{.cpu = {Quantity::units(2), Quantity::milli(80'500)},
                          .memory = {Quantity(), Quantity::units(1 << 20)},
                          .gpu = {},
                          .nodes = {Quantity::units(3), Quantity::units(10)},
                          .gpu_types = {{"nvidia.com/gpu", {Quantity(), Quantity::units(4)}}}};
    const engine::Settings settings = make_settings({}, {}, limits);
    EXPECT_EQ(settings.cpu.min, 2000);
    EXPECT_EQ(settings.cpu.max, 80'500);
    EXPECT_EQ(settings.memory.max, 1 << 20);
    EXPECT_EQ(settings.nodes.min, 3);
    EXPECT_EQ(settings.nodes.max, 10);
    EXPECT_EQ(settings.gpu_types.at("nvidia.com/gpu").max, 4);
}

TEST(EngineSettings, TakeTheTemplateSourceFromTheConfiguration) {
    config::ScaleUp scale_up;
    EXPECT_EQ(make_settings(scale_up, {}, {}).template_source, engine::TemplateSource::mixed);
    scale_up.template_source = config::TemplateSource::cloud;
    EXPECT_EQ(make_settings(scale_up, {}, {}).template_source, engine::TemplateSource::cloud);
}

TEST(EngineSettings, TakeTheProvisioningTimesFromTheConfiguration) {
    config::ScaleUp scale_up;
    scale_up.max_node_provision_time = std::chrono::minutes(7);
    scale_up.max_node_startup_time = std::chrono::minutes(3);
    EXPECT_EQ(make_settings(scale_up, {}, {}).max_node_provision_time, std::chrono::minutes(7));
    EXPECT_EQ(make_settings(scale_up, {}, {}).max_node_startup_time, std::chrono::minutes(3));
}

TEST(EngineSettings, TakeTheRemovalTimesFromTheConfiguration) {
    config::ScaleDown scale_down;
    scale_down.max_pod_eviction_time = std::chrono::minutes(2);
    scale_down.eviction_headroom = std::chrono::seconds(7);
    scale_down.max_deletion_time = std::chrono::minutes(9);
    scale_down.node_deletion_batcher_interval = std::chrono::seconds(11);
    const engine::ScaleDownSettings settings = make_settings({}, scale_down, {}).scale_down;
    EXPECT_EQ(settings.max_pod_eviction_time, std::chrono::minutes(2));
    EXPECT_EQ(settings.eviction_headroom, std::chrono::seconds(7));
    EXPECT_EQ(settings.max_deletion_time, std::chrono::minutes(9));
    EXPECT_EQ(settings.node_deletion_batcher_interval, std::chrono::seconds(11));
}

TEST(EngineSettings, TakeTheDefaultSpreadFromTheConfiguration) {
    config::ScaleUp scale_up;
    EXPECT_TRUE(make_settings(scale_up, {}, {}).default_spread.empty());
    scale_up.default_spread = {{.topology_key = "zone"}, {.topology_key = "rack", .max_skew = 3}};
    EXPECT_EQ(make_settings(scale_up, {}, {}).default_spread,
              (std::vector<engine::snapshot::DefaultSpread>{{"zone", 1}, {"rack", 3}}));
}

TEST(EngineSettings, SortDrainPriorities) {
    config::ScaleDown scale_down;
    scale_down.drain_priorities = {{.priority = 100, .grace = std::chrono::seconds(5)},
                                   {.priority = -1, .grace = std::chrono::seconds(20)}};
    const auto groups = make_settings({}, scale_down, {}).scale_down.drain_priorities;
    ASSERT_EQ(groups.size(), 2u);
    EXPECT_EQ(groups[0].priority, -1);
    EXPECT_EQ(groups[1].grace, std::chrono::seconds(5));
}

}  // namespace
}  // namespace capstan::autoscaler
