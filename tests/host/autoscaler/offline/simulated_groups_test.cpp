#include "autoscaler/offline/simulated_groups.hpp"

#include <gtest/gtest.h>

#include <chrono>
#include <string>
#include <vector>

namespace capstan::autoscaler::offline {
namespace {

std::string text_of(const std::vector<SimulatedGroup>& groups) {
    return make_cloud_settings("dump.json", groups).value().source.text;
}

TEST(SimulatedGroups, HaveOnlyTheSettingsThatAreKnown) {
    EXPECT_EQ(text_of({{.id = "web", .node = {.capacity = {{"cpu", 1500}, {"memory", 1 << 30}}}}}),
              R"([[groups]]
id = "web"
size = 0
machine = { cpu = "1500m", memory = "1Gi", resources = {}, allocatable = {}, labels = {}, taints = [] }
)");
}

TEST(SimulatedGroups, HaveAllSettingsOfAGroup) {
    const SimulatedGroup group{
        .id = "spot-web",
        .size = 3,
        .node = {.machine_type = "g4dn.xlarge",
                 .zone = "eu-1a",
                 .arch = "arm64",
                 .os = "linux",
                 .labels = {{"kubernetes.io/role", "a \"b\""}},
                 .taints = {{.key = "team", .value = "a"},
                            {.key = "gpu", .value = "", .effect = Effect::no_execute}},
                 .capacity = {{"cpu", 4000},
                              {"memory", std::int64_t{16} << 30},
                              {"pods", 29},
                              {"ephemeral-storage", std::int64_t{20} << 30},
                              {"nvidia.com/gpu", 1}},
                 .allocatable = {{"cpu", 3920}}},
        .min = 1,
        .max = 9,
        .target = 5,
        .price_per_hour = 0.25,
        .spot = true};
    EXPECT_EQ(text_of({group}), R"([[groups]]
id = "spot-web"
size = 3
zone = "eu-1a"
min = 1
max = 9
price_per_hour = 0.25
spot = true
changes = [{ at = "0s", target = 5 }]
machine = { type = "g4dn.xlarge", cpu = "4", memory = "16Gi", pods = 29, ephemeral_storage = "20Gi", )"
                                R"(resources = { "nvidia.com/gpu" = "1" }, )"
                                R"(allocatable = { cpu = "3920m" }, )"
                                R"(labels = { "kubernetes.io/role" = "a \"b\"" }, )"
                                R"(taints = ["team=a:NoSchedule", "gpu:NoExecute"], )"
                                R"(arch = "arm64", os = "linux" }
)");
}

TEST(SimulatedGroups, AreSettingsInTheirOrder) {
    const CloudSettings settings =
        make_cloud_settings("dump.json", {{.id = "b"}, {.id = "a \"quoted\"\n"}}).value();
    EXPECT_EQ(settings.id, simulated_cloud);
    EXPECT_EQ(settings.source.name, "dump.json");
    const config::TomlValue* const groups = settings.settings.find("groups");
    ASSERT_NE(groups, nullptr);
    ASSERT_EQ(groups->children.size(), 2u);
    EXPECT_EQ(groups->children[0].find("id")->text, "b");
    EXPECT_EQ(groups->children[1].find("id")->text, "a \"quoted\"\n");
}

TEST(SimulatedGroups, MayBeNone) {
    const CloudSettings settings = make_cloud_settings("dump.json", {}).value();
    const config::TomlValue* const groups = settings.settings.find("groups");
    ASSERT_NE(groups, nullptr);
    EXPECT_EQ(groups->kind, config::TomlValue::Kind::array);
    EXPECT_TRUE(groups->children.empty());
    EXPECT_TRUE(settings.changes.empty());
}

TEST(SimulatedGroups, ChangeAtTheStartOnlyIfMachinesAreStillToCome) {
    const auto changes_of = [](const std::vector<SimulatedGroup>& groups) {
        return make_cloud_settings("dump.json", groups).value().changes;
    };
    EXPECT_TRUE(changes_of({{.id = "a", .size = 2}, {.id = "b"}}).empty());
    EXPECT_EQ(changes_of({{.id = "a", .size = 2}, {.id = "b", .target = 0}}),
              std::vector<Duration>{Duration(0)});
}

TEST(SimulatedGroups, NumberTheirMachinesFromOne) {
    EXPECT_EQ(machine_id("web", 1), "simulated://web/1");
}

}  // namespace
}  // namespace capstan::autoscaler::offline
