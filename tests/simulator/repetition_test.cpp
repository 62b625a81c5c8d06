#include "simulator/repetition.hpp"

#include <gtest/gtest.h>

#include "run_start.hpp"

namespace capstan::simulator {
namespace {

using namespace std::chrono_literals;

/// Every ten minutes one of `states` in turn, each with the command of its index.
std::optional<Duration> when_found(const std::vector<std::uint64_t>& states, Duration settled,
                                   int rounds) {
    RepetitionWatch watch(settled, start);
    Duration at{0};
    for (int round = 0; round < rounds; ++round) {
        for (std::size_t i = 0; i < states.size(); ++i, at += 10min) {
            watch.observe(states[i], {"increase g" + std::to_string(i) + " by 1"}, start + at);
            if (watch.found()) return at;
        }
    }
    return std::nullopt;
}

TEST(Repetition, IsFoundOnceOnlyKnownStatesHaveComeLongEnough) {
    // The last new state comes at 10m, and each command has to come three times.
    EXPECT_EQ(when_found({1, 2}, 3h, 20), 3h + 10min);
    EXPECT_EQ(when_found({1, 2}, 10min, 20), 70min);
    EXPECT_EQ(when_found({1, 2}, 3h, 5), std::nullopt);
}

TEST(Repetition, IsNotFoundWhileNewStatesCome) {
    RepetitionWatch watch(1h, start);
    for (int i = 0; i < 100; ++i)
        watch.observe(static_cast<std::uint64_t>(i), {"increase web by 1"}, start + i * 10min);
    EXPECT_FALSE(watch.found());
}

TEST(Repetition, CountsCommandsSinceTheLastNewState) {
    RepetitionWatch watch(1h, start);
    const std::vector<std::vector<std::string>> commands{
        {"increase web by 1"}, {"evict shop/web-7", "remove web-7, web-8 from web"}};
    for (int i = 0; i < 10 && !watch.found(); ++i)
        watch.observe(1, commands[static_cast<std::size_t>(i % 2)], start + i * 10min);
    ASSERT_TRUE(watch.found());
    EXPECT_EQ(watch.found()->since, 10min);
    EXPECT_EQ(commands_text(*watch.found()),
              "increase web by 1 (3 times), remove 2 nodes of web (3 times)");
}

TEST(Repetition, EvictionsAloneAreNoDecisions) {
    RepetitionWatch watch(1h, start);
    for (int i = 0; i < 100; ++i) watch.observe(1, {"evict shop/web-1"}, start + i * 10min);
    EXPECT_FALSE(watch.found());
}

config::SettingValue setting(std::string key, Duration value) {
    return {.shape = config::SettingValue::Shape::value,
            .type = SettingType::duration,
            .key = std::move(key),
            .integer = value.count()};
}

TEST(Repetition, LongestTimerIsOfSettingsPluginsAndPods) {
    config::Config config;
    config.tree.children.push_back({.key = "cluster", .children = {setting("far", 99h)}});
    EXPECT_EQ(longest_timer(config, {}, {}), Duration(0));
    config.tree.children.push_back({.key = "scale_up", .children = {setting("reset", 3h)}});
    EXPECT_EQ(longest_timer(config, {}, {}), 3h);
    autoscaler::LoadedPlugin plugin{};
    plugin.settings.children.push_back(setting("ttl", 4h));
    EXPECT_EQ(longest_timer(config, {plugin}, {}), 4h);
    Input input;
    input.objects.pods.push_back({.annotations = {{"delay", "5h"}, {"text", "x"}}});
    EXPECT_EQ(longest_timer(config, {plugin}, input), 5h);
    input.steps.emplace_back().actions.push_back(
        {.what = PodBatch{.pod = {.annotations = {{"delay", "6h"}}}}});
    EXPECT_EQ(longest_timer(config, {plugin}, input), 6h);
}

}  // namespace
}  // namespace capstan::simulator
