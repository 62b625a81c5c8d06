// Runs every scenario of this folder with the shipped binary and the shipped plugins.
#include <gtest/gtest.h>

#include <algorithm>
#include <cctype>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <ostream>
#include <regex>
#include <string>
#include <tuple>
#include <vector>

#include "../host/commands/shell.hpp"

namespace capstan::commands {
namespace {

std::vector<std::string> all_scenarios() {
    std::vector<std::string> out;
    const std::filesystem::path root = "tests/scenarios";
    for (const auto& entry : std::filesystem::recursive_directory_iterator(root)) {
        const std::filesystem::path name = std::filesystem::relative(entry.path(), root);
        if (name.extension() == ".toml")
            out.push_back((name.parent_path() / name.stem()).generic_string());
    }
    std::ranges::sort(out);
    return out;
}

std::string file_of(const std::string& scenario) { return "tests/scenarios/" + scenario + ".toml"; }

/// "zalando/max_size" -> "ZalandoMaxSize"
std::string name_of(const ::testing::TestParamInfo<std::string>& scenario) {
    std::string out;
    bool is_first = true;
    for (const char c : scenario.param) {
        const bool is_between = c == '_' || c == '/';
        if (!is_between)
            out += is_first ? static_cast<char>(std::toupper(static_cast<unsigned char>(c))) : c;
        is_first = is_between;
    }
    return out;
}

class ScenarioRun : public ::testing::TestWithParam<std::string> {};

TEST_P(ScenarioRun, MeetsItsExpectations) {
    const CommandResult ran = capstan("simulate " + file_of(GetParam()));
    EXPECT_EQ(ran.code, 0) << ran.err << ran.out;
    EXPECT_EQ(ran.err, "");
}

INSTANTIATE_TEST_SUITE_P(File, ScenarioRun, ::testing::ValuesIn(all_scenarios()), name_of);

/// A scenario of the Zalando fork, and a value that disables the setting it tests.
struct DisabledSetting {
    const char* scenario;
    const char* setting;
    friend std::ostream& operator<<(std::ostream& out, const DisabledSetting& off) {
        return out << off.scenario << " with " << off.setting;
    }
};

class ZalandoSetting : public ::testing::TestWithParam<DisabledSetting> {};

TEST_P(ZalandoSetting, ChangesTheResultOfItsScenario) {
    const auto& [scenario, setting] = GetParam();
    const CommandResult ran = capstan("simulate " + file_of("zalando/" + std::string(scenario)) +
                                      " --set '" + setting + "'");
    EXPECT_EQ(ran.code, 1) << ran.err << ran.out;
    EXPECT_TRUE(std::regex_search(ran.out, std::regex("\\.toml:[0-9]+: "))) << ran.out;
}

INSTANTIATE_TEST_SUITE_P(
    Zalando, ZalandoSetting,
    ::testing::Values(
        DisabledSetting{"asg_health_checks", "scale_up.backoff=exponential"},
        DisabledSetting{"backoff_scale_down", "scale_up.backoff=exponential"},
        DisabledSetting{"backoff_until_joined", "scale_up.backoff=exponential"},
        DisabledSetting{"drain_with_budget", "scale_down.max_pod_eviction_time=2m"},
        DisabledSetting{"extended_readiness", "scale_up.readiness_taint=[]"},
        DisabledSetting{"job_pods_unmovable", "scale_down.job_pods_unmovable=false"},
        DisabledSetting{"max_pods_considered", "scale_up.max_unschedulable_pods_considered=0"},
        DisabledSetting{"priority_by_node_label", R"(pipeline.scale_up.expanders=["least_waste"])"},
        DisabledSetting{"scale_down_beside_pods_that_fit",
                        "scale_down.ignore_schedulable_pods=false"},
        DisabledSetting{"spread_lapses_after_its_timeout",
                        R"(scale_up.spread_timeout_annotation="")"},
        DisabledSetting{"spread_moves_in_its_zone", R"(scale_up.emulated_spread_label="")"},
        DisabledSetting{"spread_stays_in_its_zone", R"(scale_up.emulated_spread_label="")"},
        DisabledSetting{"template_mixed_types", "scale_up.template_source=mixed"},
        DisabledSetting{"template_reserves", "scale_up.reserve_from_nodes=false"}),
    [](const auto& off) {
        return name_of(::testing::TestParamInfo<std::string>(off.param.scenario, off.index));
    });

TEST(Scenarios, SpreadDefaultFailsWithoutTheDefaultSpread) {
    const CommandResult ran =
        capstan("simulate " + file_of("spread_default") + " --set scale_up.default_spread=[]");
    EXPECT_EQ(ran.code, 1) << ran.err << ran.out;
    EXPECT_NE(ran.out.find("  fit on existing or upcoming nodes"), std::string::npos)
        << "pending until the end\n"
        << ran.out;
}

TEST(Scenarios, FirstExamplesMeetTheirExpectations) {
    for (const std::string scenario : {"three_zones", "live", "live_balancer"}) {
        const CommandResult ran = capstan("simulate examples/" + scenario + ".toml");
        EXPECT_EQ(ran.code, 0) << scenario << "\n" << ran.err << ran.out;
        EXPECT_EQ(ran.err, "") << scenario;
    }
}

TEST(Scenarios, BalancersNeedTheirController) {
    const CommandResult ran =
        capstan("simulate examples/live_balancer.toml --set 'pipeline.controllers=[]'");
    EXPECT_EQ(ran.code, 2);
    EXPECT_NE(ran.err.find("[[balancer]] needs [pipeline] controllers = [\"replicas\"]"),
              std::string::npos)
        << ran.err;
}

/// Larger scenarios, in which a container without an order would change the result.
class RepeatedScenarioRun : public ::testing::TestWithParam<std::string> {};

TEST_P(RepeatedScenarioRun, IsIdenticalWithAnyNumberOfThreads) {
    const std::string command = "simulate " + file_of(GetParam()) + " --seed 7 -o json";
    const CommandResult first = capstan(command);
    EXPECT_EQ(first.code, 0) << first.err;
    EXPECT_EQ(first.out, capstan(command).out);
    EXPECT_EQ(first.out, capstan(command + " --threads 1").out);
}

INSTANTIATE_TEST_SUITE_P(File, RepeatedScenarioRun,
                         ::testing::Values("three_zones", "spread_unbalanced_start",
                                           "fallback_when_exhausted", "random_waves"),
                         name_of);

std::ptrdiff_t times_in(const std::string& text, const std::string& part) {
    std::ptrdiff_t out = 0;
    for (auto at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) ++out;
    return out;
}

TEST(Scenarios, EachWaveChoosesRandomlyAmongEqualGroups) {
    for (int seed = 0; seed < 5; ++seed) {
        SCOPED_TRACE(seed);
        const CommandResult ran =
            capstan("simulate " + file_of("random_waves") + " --seed " + std::to_string(seed));
        ASSERT_EQ(ran.code, 0) << ran.err << ran.out;
        std::ptrdiff_t sum = 0, max_waves = 0;
        for (const char* group : {"web-a", "web-b", "web-c"}) {
            const auto waves = times_in(ran.out, std::string("increase ") + group + " by 1");
            sum += waves;
            max_waves = std::max(max_waves, waves);
        }
        EXPECT_EQ(sum, 12) << ran.out;
        EXPECT_LT(max_waves, 10) << ran.out;
    }
}

/// The output without the number of passes.
std::string without_passes(const std::string& out) {
    return std::regex_replace(out, std::regex("\"passes\":[0-9]+,"), "");
}

TEST_P(ScenarioRun, HasTheSameResultWithEveryPass) {
    const std::string command = "simulate " + file_of(GetParam()) + " -o json";
    const CommandResult every = capstan(command + " --every-pass");
    EXPECT_EQ(every.code, 0) << every.err;
    EXPECT_EQ(without_passes(every.out), without_passes(capstan(command).out));
}

/// The seeds of one story. All of them together take about a minute of processor time.
constexpr int chaos_seeds = 20;

/// A story of tests/scenarios/chaos and its first seed: the seeds that follow are known to be
/// clean.
struct ChaosStory {
    const char* name;
    int first_seed = 1;
    friend std::ostream& operator<<(std::ostream& out, const ChaosStory& story) {
        return out << story.name;
    }
};

class ChaosScenarioRun : public ::testing::TestWithParam<ChaosStory> {};

TEST_P(ChaosScenarioRun, ViolatesNoInvariant) {
    const ChaosStory& story = GetParam();
    const Folder folder;
    const CommandResult ran =
        capstan("simulate " + file_of("chaos/" + std::string(story.name)) + " --chaos --seeds " +
                std::to_string(chaos_seeds) + " --seed " + std::to_string(story.first_seed) +
                " --breaks " + quoted_path(folder.path()) + " -o json");
    EXPECT_EQ(ran.code, 0) << ran.err << ran.out;
    EXPECT_NE(ran.out.find("\"failed\":[]"), std::string::npos) << ran.out;
    for (const auto& file : std::filesystem::directory_iterator(folder.path()))
        ADD_FAILURE() << folder.read(file.path().filename().string());
    for (const char* none : {"passes", "faults", "restarts", "increases", "removals", "evictions"})
        EXPECT_EQ(ran.out.find("\"" + std::string(none) + "\":0"), std::string::npos)
            << "nothing to check: " << ran.out;
}

INSTANTIATE_TEST_SUITE_P(
    Chaos, ChaosScenarioRun,
    ::testing::Values(ChaosStory{"shop"}, ChaosStory{"factory"}, ChaosStory{"spot", 18},
                      ChaosStory{"two_clouds"}, ChaosStory{"moving_house"},
                      ChaosStory{"made_to_measure", 30}, ChaosStory{"made_beside"},
                      ChaosStory{"balanced"}, ChaosStory{"slow_drains", 7},
                      ChaosStory{"changing_ground", 3}),
    [](const auto& story) {
        return name_of(::testing::TestParamInfo<std::string>(story.param.name, story.index));
    });

TEST(Scenarios, SeedsNeedChaos) {
    const CommandResult ran = capstan("simulate tests/scenarios/chaos/shop.toml --seeds 3");
    EXPECT_EQ(ran.code, 2) << "--seeds needs --chaos";
}

/// A group of at most three machines.
const std::string web_group = R"(
[[group]]
id = "web"
max = 3
machine = { cpu = "4", memory = "16Gi" }
)";

TEST(Scenarios, RunsEndAtAStepThatTheCloudRejects) {
    const Folder folder;
    // Both steps together are valid, and the first one alone is not.
    const std::string file = folder.write("scenario.toml", web_group + R"(
[[step]]
change = [{ group = "web", min = 4 }]
advance = "10m"

[[step]]
change = [{ group = "web", max = 9 }]
advance = "10m"
)");
    for (const std::string& way :
         {std::string(), " --chaos --seeds 2 --breaks " + quoted_path(folder.path())}) {
        const CommandResult ran = capstan("simulate '" + file + "'" + way);
        EXPECT_NE(ran.code, 0) << way;
        EXPECT_NE((ran.err + ran.out).find("is above max, 3"), std::string::npos)
            << ran.err << ran.out;
    }
}

TEST(Scenarios, ChaosSkipsStepsAboutMissingObjects) {
    const Folder folder;
    const std::string file = folder.write("scenario.toml", web_group + R"(
[[step]]
remove = ["web-9"]
advance = "10m"
)");
    EXPECT_EQ(capstan("simulate '" + file + "'").code, 2);
    const CommandResult ran = capstan("simulate '" + file + "' --chaos --seeds 2");
    EXPECT_EQ(ran.out.find("ended early"), std::string::npos) << ran.out;
}

TEST(Scenarios, UnmetExpectationsFailWithADifference) {
    const Folder folder;
    const std::string file = folder.write("scenario.toml", R"(
[[group]]
id = "web"
machine = { cpu = "4", memory = "16Gi" }

[[step]]
pods = [{ name = "web", cpu = "3" }]
advance = "10s"
expect = ["increase web by 2"]
expect_pending = 0
)");
    const CommandResult ran = capstan("simulate '" + file + "'");
    EXPECT_EQ(ran.code, 1);
    const std::size_t at = ran.out.rfind("SUMMARY");
    ASSERT_NE(at, std::string::npos) << ran.err;
    EXPECT_NE(ran.out.find("scenario.toml:6: commands differ (- expected, + given):\n"
                           "    - increase web by 2\n"
                           "    + increase web by 1\n",
                           at),
              std::string::npos)
        << ran.out;
    EXPECT_NE(ran.out.find("scenario.toml:6: pending pods: expected 0, found 1\n", at),
              std::string::npos)
        << ran.out;
    EXPECT_NE(ran.out.find("0 of 2 expectations met\n", at), std::string::npos);
}

/// An invalid file and its error.
struct InvalidFile {
    const char* text;
    const char* because;
    friend std::ostream& operator<<(std::ostream& out, const InvalidFile& r) {
        return out << r.text;
    }
};

class InvalidScenario : public ::testing::TestWithParam<InvalidFile> {};

TEST_P(InvalidScenario, IsRejectedWithPlaceAndReason) {
    const Folder folder;
    const std::string file = folder.write("scenario.toml", GetParam().text);
    const CommandResult ran = capstan("simulate '" + file + "'");
    EXPECT_EQ(ran.code, 2);
    EXPECT_NE(ran.err.find(GetParam().because), std::string::npos) << ran.err;
    EXPECT_EQ(ran.out.find("SUMMARY"), std::string::npos);
}

INSTANTIATE_TEST_SUITE_P(
    File, InvalidScenario,
    ::testing::Values(
        InvalidFile{"[[step]]\npods = [{ name = \"web\", cpus = \"1\" }]",
                    "scenario.toml:2:25: step[0].pods[0]: unknown key 'cpus'; did you mean 'cpu'?"},
        InvalidFile{"[[step]]\nadvance = \"soon\"", "scenario.toml:2:11: step[0].advance: "},
        InvalidFile{"advance = \"1h\"",
                    "scenario.toml:1:1: unknown key 'advance'; it belongs in a [[step]]"},
        InvalidFile{
            "options = { new_pod_delay = \"1m\" }",
            "settings belong in sections such as [scale_up] and [limits], as in a configuration"},
        InvalidFile{
            "[[group]]\nid = \"web\"\nmachine = { cpu = \"4\", memory = \"16Gi\", zoned = 1 }",
            "scenario.toml:3:41: plugin.simulated.settings.groups[0].machine: unknown key 'zoned'"},
        InvalidFile{"[[step]]\nchange = [{ group = \"web\", capacity = 0 }]",
                    "scenario.toml:2:11: step.change: unknown group 'web'"},
        InvalidFile{
            "[[group]]\nid = \"web\"\nmachine = { cpu = \"4\", memory = \"16Gi\" }\n[[step]]\n"
            "change = [{ group = \"web\", loose = 1 }]",
            "scenario.toml:5:28: plugin.simulated.settings.groups[0].changes[0]: unknown key "
            "'loose'; did you mean 'lose'?"},
        InvalidFile{"[[step]]\nuntil = \"soon\"",
                    "scenario.toml:2:9: step.until: expects \"idle\", \"command\", or a command"},
        InvalidFile{"[[step]]\nbind = { web = \"n\" }",
                    "scenario.toml:2: bind: no pending pod 'web'"},
        InvalidFile{"[[budget]]\nname = \"web\"",
                    "scenario.toml:1:1: budget: needs either 'min_available' or 'max_unavailable'"},
        InvalidFile{"[[budget]]\nname = \"web\"\nmin_available = \"half\"",
                    "scenario.toml:3:17: budget: 'min_available' must be a number of pods or a "
                    "percentage from "
                    "\"0%\" to \"100%\", not \"half\""},
        InvalidFile{"[[step]]\nbudgets = [{ name = \"web\", max_unavailable = \"101%\" }]",
                    "scenario.toml:2:46: budget: 'max_unavailable' must be a number of pods"},
        InvalidFile{"[[fault]]\nkind = \"restart\"\ngroup = \"web\"",
                    "scenario.toml:1:1: fault: this kind takes no 'group'"},
        InvalidFile{"[[step]]\npods = [{ cpu = \"1\" }]",
                    "scenario.toml:2:9: pods: 'name' is missing"},
        InvalidFile{"[[step]]\nadvance = \"1m\"\nuntil = \"idle\"",
                    "scenario.toml:3:9: step: 'advance' and 'until' exclude each other"},
        InvalidFile{"[[step]]\nscale = { web = 3 }",
                    "scenario.toml:2: scale: no batch 'web' with a controller"},
        InvalidFile{"[[step]]\nremove = [\"web\"]",
                    "scenario.toml:2: remove: no batch, pod, DaemonSet or node 'web'"},
        InvalidFile{"[[node]]\nname = \"n\"\ntaints = [\"gpu\"]",
                    "scenario.toml:3:11: \"gpu\" is not a taint such as \"key=value:NoSchedule\""},
        InvalidFile{"[scale_up]\nbalance = true",
                    "scenario.toml:2:1: scale_up: unknown key 'balance'"},
        InvalidFile{"title = \"a\ntitle = 1", "scenario.toml:1:"}));

TEST(Scenarios, ConfigOptionReplacesTheirSections) {
    const Folder folder;
    const std::string config = folder.write(
        "capstan.toml", "[pipeline]\nclouds = [\"simulated\"]\n[limits]\nnodes = { max = \"0\" }");
    const CommandResult ran =
        capstan("simulate tests/scenarios/balance_one_node.toml --config '" + config + "' -o json");
    EXPECT_EQ(ran.code, 1);
    EXPECT_NE(ran.err.find("replaces the sections of the scenario"), std::string::npos);
    EXPECT_EQ(ran.out.find("\"kind\":\"increase\""), std::string::npos) << ran.out;
}

TEST(Scenarios, ShortenedRunsSkipLaterExpectations) {
    const CommandResult ran =
        capstan("simulate tests/scenarios/three_zones.toml --until 2m -o json");
    EXPECT_EQ(ran.code, 0) << ran.out;
    EXPECT_NE(ran.out.find("\"span_ms\":120000"), std::string::npos) << ran.out;
    EXPECT_NE(ran.out.find("\"expected\":0"), std::string::npos) << ran.out;
}

TEST(Scenarios, EndWhereDecisionsRepeat) {
    const std::string command = "simulate tests/golden/inputs/decisions_repeat.toml";
    const CommandResult ran = capstan(command);
    EXPECT_EQ(ran.code, 3) << ran.err << ran.out;
    const std::size_t at = ran.out.find("decisions repeat without progress since ");
    ASSERT_NE(at, std::string::npos) << ran.out;
    EXPECT_NE(ran.out.find("increase web by 1 (", at), std::string::npos) << ran.out;
    EXPECT_NE(capstan(command + " -o json").out.find("\"end\":{\"reason\":\"repetition\""),
              std::string::npos);
    const CommandResult longer = capstan(command + " --until 48h -o json");
    EXPECT_EQ(longer.code, 0) << "--until is the end in any case";
    EXPECT_NE(longer.out.find("\"span_ms\":172800000"), std::string::npos);
}

TEST(Scenarios, DecisionsDoNotRepeatWhileAPodIsToComplete) {
    const Folder folder;
    const std::string file = folder.write("scenario.toml", R"(
[[group]]
id = "web"
max = 10
machine = { cpu = "4", memory = "16Gi" }

[[group]]
id = "broken"
max = 10
ready_delay = "2000h"
machine = { cpu = "4", memory = "16Gi", labels = { broken = "true" } }

[[step]]
pods = [
    { name = "long", cpu = "3", duration = "70h" },
    { name = "web", cpu = "1", node_selector = { broken = "true" } },
]
until = "idle"
)");
    const CommandResult ran = capstan("simulate '" + file + "' -o json");
    EXPECT_EQ(ran.code, 3) << ran.err << ran.out;
    EXPECT_NE(ran.out.find("long: 1 pod completes"), std::string::npos) << ran.out;
}

TEST(Scenarios, ReferenceListsEveryKey) {
    std::ifstream file("tests/scenarios/keys.md");
    const std::string reference{std::istreambuf_iterator<char>(file), {}};
    std::ifstream recorded("tests/golden/texts/scenario_keys.txt");
    int keys = 0;
    for (std::string line; std::getline(recorded, line);) {
        if (line.empty() || line.front() == ' ') continue;
        const std::string key = line.substr(line.rfind('.') + 1);
        EXPECT_TRUE(std::regex_search(reference, std::regex("\\b" + key + "\\b"))) << line;
        ++keys;
    }
    EXPECT_GT(keys, 100);
}

}  // namespace
}  // namespace capstan::commands
