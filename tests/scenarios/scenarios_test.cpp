// Every story in this folder, told by the shipped binary with the shipped plugins.
#include <gtest/gtest.h>

#include <algorithm>
#include <cctype>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <regex>
#include <string>
#include <tuple>
#include <vector>

#include "../host/commands/shell.hpp"

namespace capstan::commands {
namespace {

std::vector<std::string> stories() {
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

std::string file_of(const std::string& story) { return "tests/scenarios/" + story + ".toml"; }

/// "zalando/max_size" -> "ZalandoMaxSize"
std::string name_of(const ::testing::TestParamInfo<std::string>& story) {
    std::string out;
    bool is_first = true;
    for (const char c : story.param) {
        const bool is_between = c == '_' || c == '/';
        if (!is_between)
            out += is_first ? static_cast<char>(std::toupper(static_cast<unsigned char>(c))) : c;
        is_first = is_between;
    }
    return out;
}

class Scenario : public ::testing::TestWithParam<std::string> {};

TEST_P(Scenario, GoesAsItsFileExpects) {
    const Ran ran = capstan("simulate " + file_of(GetParam()));
    EXPECT_EQ(ran.code, 0) << ran.err << ran.out;
    EXPECT_EQ(ran.err, "");
}

INSTANTIATE_TEST_SUITE_P(Story, Scenario, ::testing::ValuesIn(stories()), name_of);

/// A story of the Zalando fork, and what switches off the setting that it is about.
struct SwitchedOff {
    const char* story;
    const char* setting;
    friend std::ostream& operator<<(std::ostream& out, const SwitchedOff& off) {
        return out << off.story << " with " << off.setting;
    }
};

class Setting : public ::testing::TestWithParam<SwitchedOff> {};

TEST_P(Setting, IsWhatItsStoryIsAbout) {
    const auto& [story, setting] = GetParam();
    const Ran ran = capstan("simulate " + file_of("zalando/" + std::string(story)) + " --set '" +
                            setting + "'");
    EXPECT_EQ(ran.code, 1) << ran.err << ran.out;
    EXPECT_TRUE(std::regex_search(ran.out, std::regex("\\.toml:[0-9]+: "))) << ran.out;
}

INSTANTIATE_TEST_SUITE_P(
    Zalando, Setting,
    ::testing::Values(
        SwitchedOff{"asg_health_checks", "scale_up.backoff=exponential"},
        SwitchedOff{"backoff_scale_down", "scale_up.backoff=exponential"},
        SwitchedOff{"backoff_until_joined", "scale_up.backoff=exponential"},
        SwitchedOff{"drain_with_budget", "scale_down.max_pod_eviction_time=2m"},
        SwitchedOff{"extended_readiness", "scale_up.readiness_taint=[]"},
        SwitchedOff{"job_pods_unmovable", "scale_down.job_pods_unmovable=false"},
        SwitchedOff{"max_pods_considered", "scale_up.max_unschedulable_pods_considered=0"},
        SwitchedOff{"priority_by_node_label", R"(pipeline.scale_up.expanders=["least_waste"])"},
        SwitchedOff{"scale_down_beside_pods_that_fit", "scale_down.ignore_schedulable_pods=false"},
        SwitchedOff{"spread_lapses_after_its_timeout", R"(scale_up.spread_timeout_annotation="")"},
        SwitchedOff{"spread_moves_in_its_zone", R"(scale_up.emulated_spread_label="")"},
        SwitchedOff{"spread_stays_in_its_zone", R"(scale_up.emulated_spread_label="")"},
        SwitchedOff{"template_labels_change", "scale_up.template_source=mixed"},
        SwitchedOff{"template_mixed_types", "scale_up.template_source=mixed"},
        SwitchedOff{"template_node_change", "scale_up.template_source=mixed"},
        SwitchedOff{"template_reserves", "scale_up.reserve_from_nodes=false"}),
    [](const auto& off) {
        return name_of(::testing::TestParamInfo<std::string>(off.param.story, off.index));
    });

TEST(Scenarios, WhatTheSchedulerInsistsOnHasToBeKnown) {
    const Ran ran =
        capstan("simulate " + file_of("spread_default") + " --set scale_up.default_spread=[]");
    EXPECT_EQ(ran.code, 1) << ran.err << ran.out;
    EXPECT_NE(ran.out.find("  fit on existing or upcoming nodes"), std::string::npos)
        << "they wait for ever\n"
        << ran.out;
}

TEST(Scenarios, TheExamplesThatAFirstRunShowsGoAsTheyExpect) {
    for (const std::string story : {"three_zones", "live"}) {
        const Ran ran = capstan("simulate examples/" + story + ".toml");
        EXPECT_EQ(ran.code, 0) << story << "\n" << ran.err << ran.out;
        EXPECT_EQ(ran.err, "") << story;
    }
}

TEST(Scenarios, ABalancerIsForLiveClustersAlone) {
    const Ran ran = capstan("simulate examples/live_balancer.toml");
    EXPECT_EQ(ran.code, 2);
    EXPECT_NE(ran.err.find("capstan cluster examples/live_balancer.toml --run"), std::string::npos)
        << ran.err;
}

/// The larger ones, where a container without an order would show.
class Repeated : public ::testing::TestWithParam<std::string> {};

TEST_P(Repeated, IsTheSameToTheByteEachTimeAndWithOneThread) {
    const std::string command = "simulate " + file_of(GetParam()) + " --seed 7 -o json";
    const Ran first = capstan(command);
    EXPECT_EQ(first.code, 0) << first.err;
    EXPECT_EQ(first.out, capstan(command).out);
    EXPECT_EQ(first.out, capstan(command + " --threads 1").out);
}

INSTANTIATE_TEST_SUITE_P(Story, Repeated,
                         ::testing::Values("three_zones", "spread_unbalanced_start",
                                           "fallback_when_exhausted", "random_waves"),
                         name_of);

std::ptrdiff_t times_in(const std::string& text, const std::string& part) {
    std::ptrdiff_t out = 0;
    for (auto at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) ++out;
    return out;
}

TEST(Scenarios, EachWaveDrawsAnewAmongEqualGroups) {
    for (int seed = 0; seed < 5; ++seed) {
        SCOPED_TRACE(seed);
        const Ran ran =
            capstan("simulate " + file_of("random_waves") + " --seed " + std::to_string(seed));
        ASSERT_EQ(ran.code, 0) << ran.err << ran.out;
        std::ptrdiff_t sum = 0, most = 0;
        for (const char* group : {"web-a", "web-b", "web-c"}) {
            const auto waves = times_in(ran.out, std::string("increase ") + group + " by 1");
            sum += waves;
            most = std::max(most, waves);
        }
        EXPECT_EQ(sum, 12) << ran.out;
        EXPECT_LT(most, 10) << ran.out;
    }
}

/// Everything but the number of passes.
std::string without_passes(const std::string& out) {
    return std::regex_replace(out, std::regex("\"passes\":[0-9]+,"), "");
}

TEST_P(Scenario, PassesThatAreLeftOutWouldHaveComeToNothing) {
    const std::string command = "simulate " + file_of(GetParam()) + " -o json";
    const Ran every = capstan(command + " --every-pass");
    EXPECT_EQ(every.code, 0) << every.err;
    EXPECT_EQ(without_passes(every.out), without_passes(capstan(command).out));
}

/// A story of chaos/, and the first of a hundred seeds.
class Stormy : public ::testing::TestWithParam<std::tuple<std::string, int>> {};

TEST_P(Stormy, WhateverGoesWrongWhatHasToHoldHolds) {
    const auto& [story, seed] = GetParam();
    const Ran ran = capstan("simulate " + file_of("chaos/" + story) +
                            " --chaos --seeds 100 --seed " + std::to_string(seed) + " -o json");
    EXPECT_EQ(ran.code, 0) << ran.err << ran.out;
    EXPECT_NE(ran.out.find("\"failed\":[]"), std::string::npos) << ran.out;
    for (const char* none : {"passes", "faults", "restarts", "increases", "removals", "evictions"})
        EXPECT_EQ(ran.out.find("\"" + std::string(none) + "\":0"), std::string::npos)
            << "nothing to judge: " << ran.out;
}

INSTANTIATE_TEST_SUITE_P(Chaos, Stormy,
                         ::testing::Combine(::testing::Values("shop", "factory", "spot",
                                                              "two_clouds", "moving_house",
                                                              "made_to_measure", "made_beside"),
                                            ::testing::Values(1, 101)),
                         [](const auto& storm) {
                             return name_of(::testing::TestParamInfo<std::string>(
                                        std::get<0>(storm.param), storm.index)) +
                                    "From" + std::to_string(std::get<1>(storm.param));
                         });

TEST(Scenarios, ChaosWantsAScenarioWithTheSimulatedCloud) {
    const Ran ran = capstan("simulate tests/scenarios/chaos/shop.toml --seeds 3");
    EXPECT_EQ(ran.code, 2) << "seeds belong to --chaos";
}

/// One group with machines for three at most.
const std::string web_group = R"(
[[group]]
id = "web"
max = 3
machine = { cpu = "4", memory = "16Gi" }
)";

TEST(Scenarios, ChaosEndsAtAStepThatItsCloudRefuses) {
    const Folder folder;
    // Both steps together are sound, and the first one alone is not.
    const std::string file = folder.write("story.toml", web_group + R"(
[[step]]
change = [{ group = "web", min = 4 }]
advance = "10m"

[[step]]
change = [{ group = "web", max = 9 }]
advance = "10m"
)");
    for (const char* way : {"", " --chaos --seeds 2"}) {
        const Ran ran = capstan("simulate '" + file + "'" + way);
        EXPECT_NE(ran.code, 0) << way;
        EXPECT_NE((ran.err + ran.out).find("is above max, 3"), std::string::npos)
            << ran.err << ran.out;
    }
}

TEST(Scenarios, ChaosGoesOnWhereAStepIsAboutWhatIsNotThere) {
    const Folder folder;
    const std::string file = folder.write("story.toml", web_group + R"(
[[step]]
remove = ["web-9"]
advance = "10m"
)");
    EXPECT_EQ(capstan("simulate '" + file + "'").code, 2);
    const Ran ran = capstan("simulate '" + file + "' --chaos --seeds 2");
    EXPECT_EQ(ran.out.find("ended early"), std::string::npos) << ran.out;
}

TEST(Scenarios, AnExpectationThatIsNotMetFailsWithTheDifference) {
    const Folder folder;
    const std::string file = folder.write("story.toml", R"(
[[group]]
id = "web"
machine = { cpu = "4", memory = "16Gi" }

[[step]]
pods = [{ name = "web", cpu = "3" }]
advance = "10s"
expect = ["increase web by 2"]
expect_pending = 0
)");
    const Ran ran = capstan("simulate '" + file + "'");
    EXPECT_EQ(ran.code, 1);
    const std::size_t at = ran.out.rfind("SUMMARY");
    ASSERT_NE(at, std::string::npos) << ran.err;
    EXPECT_NE(ran.out.find("story.toml:6: commands differ (- expected, + given):\n"
                           "    - increase web by 2\n"
                           "    + increase web by 1\n",
                           at),
              std::string::npos)
        << ran.out;
    EXPECT_NE(ran.out.find("story.toml:6: pending pods: expected 0, found 1\n", at),
              std::string::npos)
        << ran.out;
    EXPECT_NE(ran.out.find("0 of 2 expectations met\n", at), std::string::npos);
}

/// What a file is refused with, without the line it stands in.
struct Refusal {
    const char* text;
    const char* because;
    friend std::ostream& operator<<(std::ostream& out, const Refusal& r) { return out << r.text; }
};

class Refused : public ::testing::TestWithParam<Refusal> {};

TEST_P(Refused, ABadScenarioIsRefusedWithPlaceAndReason) {
    const Folder folder;
    const std::string file = folder.write("story.toml", GetParam().text);
    const Ran ran = capstan("simulate '" + file + "'");
    EXPECT_EQ(ran.code, 2);
    EXPECT_NE(ran.err.find(GetParam().because), std::string::npos) << ran.err;
    EXPECT_EQ(ran.out.find("SUMMARY"), std::string::npos);
}

INSTANTIATE_TEST_SUITE_P(
    Story, Refused,
    ::testing::Values(
        Refusal{"[[step]]\npods = [{ name = \"web\", cpus = \"1\" }]",
                "story.toml:2:25: step[0].pods[0]: unknown key 'cpus'; did you mean 'cpu'?"},
        Refusal{"[[step]]\nadvance = \"soon\"", "story.toml:2:11: step[0].advance: "},
        Refusal{"advance = \"1h\"",
                "story.toml:1:1: unknown key 'advance'; it belongs in a [[step]]"},
        Refusal{
            "options = { new_pod_delay = \"1m\" }",
            "settings belong in sections such as [scale_up] and [limits], as in a configuration"},
        Refusal{
            "[[group]]\nid = \"web\"\nmachine = { cpu = \"4\", memory = \"16Gi\", zoned = 1 }",
            "story.toml:3:41: plugin.simulated.settings.groups[0].machine: unknown key 'zoned'"},
        Refusal{"[[step]]\nchange = [{ group = \"web\", capacity = 0 }]",
                "story.toml:2:11: step.change: unknown group 'web'"},
        Refusal{"[[group]]\nid = \"web\"\nmachine = { cpu = \"4\", memory = \"16Gi\" }\n[[step]]\n"
                "change = [{ group = \"web\", loose = 1 }]",
                "story.toml:5:28: plugin.simulated.settings.groups[0].changes[0]: unknown key "
                "'loose'; did you mean 'lose'?"},
        Refusal{"[[step]]\nuntil = \"soon\"",
                "story.toml:2:9: step.until: expects \"idle\", \"command\", or a command"},
        Refusal{"[[step]]\nbind = { web = \"n\" }", "story.toml:2: bind: no pending pod 'web'"},
        Refusal{"[[budget]]\nname = \"web\"",
                "story.toml:1:1: budget: needs either 'min_available' or 'max_unavailable'"},
        Refusal{"[[budget]]\nname = \"web\"\nmin_available = \"half\"",
                "story.toml:3:17: budget: 'min_available' must be a number of pods or a "
                "percentage from "
                "\"0%\" to \"100%\", not \"half\""},
        Refusal{"[[step]]\nbudgets = [{ name = \"web\", max_unavailable = \"101%\" }]",
                "story.toml:2:46: budget: 'max_unavailable' must be a number of pods"},
        Refusal{"[[fault]]\nkind = \"restart\"\ngroup = \"web\"",
                "story.toml:1:1: fault: this kind takes no 'group'"},
        Refusal{"[[step]]\npods = [{ cpu = \"1\" }]", "story.toml:2:9: pods: 'name' is missing"},
        Refusal{"[[step]]\nadvance = \"1m\"\nuntil = \"idle\"",
                "story.toml:3:9: step: 'advance' and 'until' exclude each other"},
        Refusal{"[[step]]\nscale = { web = 3 }",
                "story.toml:2: scale: no batch 'web' with a controller"},
        Refusal{"[[step]]\nremove = [\"web\"]",
                "story.toml:2: remove: no batch, pod, DaemonSet or node 'web'"},
        Refusal{"[[node]]\nname = \"n\"\ntaints = [\"gpu\"]",
                "story.toml:3:11: \"gpu\" is no taint: write \"key=value:NoSchedule\""},
        Refusal{"[scale_up]\nbalance = true", "story.toml:2:1: scale_up: unknown key 'balance'"},
        Refusal{"title = \"a\ntitle = 1", "story.toml:1:"}));

TEST(Scenarios, AConfigurationOnTheCommandLineCountsInPlaceOfTheirSections) {
    const Folder folder;
    const std::string config = folder.write(
        "capstan.toml", "[pipeline]\nclouds = [\"simulated\"]\n[limits]\nnodes = { max = \"0\" }");
    const Ran ran =
        capstan("simulate tests/scenarios/balance_one_node.toml --config '" + config + "' -o json");
    EXPECT_EQ(ran.code, 1);
    EXPECT_NE(ran.err.find("replaces the sections of the scenario"), std::string::npos);
    EXPECT_EQ(ran.out.find("\"kind\":\"increase\""), std::string::npos) << ran.out;
}

TEST(Scenarios, ARunCutShortIsNotHeldToWhatItWouldHaveComeTo) {
    const Ran ran = capstan("simulate tests/scenarios/three_zones.toml --until 2m -o json");
    EXPECT_EQ(ran.code, 0) << ran.out;
    EXPECT_NE(ran.out.find("\"span_ms\":120000"), std::string::npos) << ran.out;
    EXPECT_NE(ran.out.find("\"expected\":0"), std::string::npos) << ran.out;
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
