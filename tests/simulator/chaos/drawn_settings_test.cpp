#include "simulator/chaos/drawn_settings.hpp"

#include <gtest/gtest.h>

#include <string>
#include <type_traits>
#include <vector>

#include "config/configuration.hpp"
#include "config/overrides.hpp"
#include "config/section.hpp"
#include "config/toml_values.hpp"
#include "simulator/chaos/drawn_groups.hpp"

namespace capstan::simulator::chaos {
namespace {

/// The scalar settings of a section, "unneeded_time 600000000000".
template <class Section>
void list_settings(Section& section, std::vector<std::string>& out) {
    describe(
        [&](const char* key, auto& value, const char*, const config::Rules& = {}) {
            using Value = std::remove_cvref_t<decltype(value)>;
            if constexpr (std::is_arithmetic_v<Value>)
                out.push_back(std::string(key) + " " + std::to_string(value));
            if constexpr (std::is_same_v<Value, Duration>)
                out.push_back(std::string(key) + " " + std::to_string(value.count()));
        },
        section);
}

std::vector<std::string> settings_in(Reload reload) {
    std::vector<std::string> out;
    list_settings(reload.scale_up, out);
    list_settings(reload.scale_down, out);
    return out;
}

/// The settings of an empty configuration with the assignment, and what is wrong with them. The
/// plugins of the default pipeline are not found, which is always wrong.
struct Read {
    Reload settings;
    std::string problems;
};
Read read_with(const std::string& assignment) {
    config::Diagnostics diagnostics({"test", ""});
    config::TomlValue root;
    config::override_values(root, std::vector{assignment}, diagnostics);
    const auto config = config::read_config(root, config::ShippedPlugins("none"), diagnostics);
    return {config ? settings_of(*config) : Reload{}, diagnostics.text()};
}

TEST(DrawnSettings, AreLegalAndSetWhatTheirTextSays) {
    const Read defaults = read_with("scale_down.enabled=true");
    for (const auto& [key, values] : drawn_settings()) {
        for (const std::string value : values) {
            const std::string assignment = key + ("=" + value);
            Reload set = defaults.settings;
            set_values({assignment}, set);
            const Read read = read_with(assignment);
            EXPECT_EQ(read.problems, defaults.problems) << assignment;
            EXPECT_EQ(settings_in(set), settings_in(read.settings)) << assignment;
        }
    }
}

TEST(DrawnSettings, AreEqualForEqualSeeds) {
    const auto drawn = [](std::uint64_t seed) {
        Dice dice(seed);
        Reload settings;
        draw_settings(dice, settings);
        return settings.text;
    };
    EXPECT_EQ(drawn(3), drawn(3));
    EXPECT_NE(drawn(3), drawn(4));
}

TEST(DrawnGroups, MultiplyTheGroupsOfACloud) {
    config::TomlValue group{.kind = config::TomlValue::Kind::table};
    put(config::text_value("id", "web"), group);
    SimulatedCloud cloud{simulated_cloud, {"test", ""}, {}};
    list_of(cloud.settings, "groups").children = {group};
    const auto edit = multiplied_groups(cloud, 3);
    ASSERT_TRUE(edit);
    std::vector<std::string> ids;
    for (const auto& each : edit->settings.find("groups")->children)
        ids.push_back(text_of(each, "id"));
    EXPECT_EQ(ids, (std::vector<std::string>{"web", "web-copy-1", "web-copy-2"}));
}

}  // namespace
}  // namespace capstan::simulator::chaos
