#include "autoscaler/offline/prepare.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <filesystem>
#include <string>
#include <vector>

#include "../../config/shipped_folder.hpp"
#include "autoscaler/offline/simulated_groups.hpp"
#include "config/print.hpp"

namespace capstan::autoscaler::offline {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;
using namespace std::chrono_literals;

TEST(NeedsNetwork, IsTrueForGrantsAndForShippedPluginsOfServices) {
    struct Case {
        const char* file;
        bool shipped;
        std::vector<std::string> http;
        bool needs_network;
    };
    const std::vector<Case> cases{
        {"/lib/aws.so", true, {}, true},
        {"/lib/gce.so", true, {}, true},
        {"/lib/external_grpc.so", true, {}, true},
        {"/lib/expanders/grpc_expander.so", true, {}, true},
        {"/lib/expanders/least_waste.so", true, {}, false},
        {"/opt/aws.so", false, {}, false},  // of a vendor, and granted nothing
        {"/opt/score.so", false, {"score.example.com"}, true},
        {"/lib/expanders/price.so", true, {"prices.example.com"}, true},
        {"", false, {}, false},  // its file was not found
    };
    for (const auto& [file, shipped, http, needs_network_of_case] : cases) {
        config::PluginConfig plugin{
            .id = PluginInstanceId("one"), .shipped = shipped, .file = file};
        plugin.grants.http = http;
        EXPECT_EQ(needs_network(plugin), needs_network_of_case) << file;
    }
}

struct LeaveOutTest : testing::Test {
    config::ShippedFolder folder{"aws.so",
                                 "grpc_expander.so",
                                 "expanders/score.so",
                                 "expanders/random.so",
                                 "expanders/least_waste.so",
                                 "similarity/near.so",
                                 "similarity/resources.so",
                                 "similarity/labels.so",
                                 "balancer/spread.so",
                                 "balancer/node_groups.so",
                                 "replicas.so",
                                 "nap.so"};
    config::ShippedPlugins shipped = folder.plugins();
    config::Config config;

    std::vector<std::string> leave_out(const std::string& toml, bool has_machine_types = true) {
        config::Loaded loaded = config::load_config(config::Source{"capstan.toml", toml}, shipped);
        EXPECT_EQ(loaded.diagnostics.errors(), 0u) << loaded.diagnostics.text();
        config = std::move(loaded.config).value();
        return leave_out_uncallable(config, shipped, has_machine_types);
    }
    std::string printed() const {
        return config::print_config(config, config::PrintDefaults::no,
                                    [](const PluginInstanceId&) { return nullptr; });
    }
};

std::string granted_http(const std::string& id) {
    return "[plugin." + id + ".grants]\nhttp = [\"" + id + ".example.com\"]\n";
}

TEST_F(LeaveOutTest, RemovesAPluginFromAllPartsOfThePipeline) {
    const std::vector<std::string> left_out = leave_out(R"(
[pipeline]
controllers = ["replicas"]
[pipeline.scale_up]
expanders = [{ use = "score", on_error = "fail" }, "random"]
similarity = ["near", "labels"]
group_sources = ["nap"]
)" + granted_http("replicas") + granted_http("score") + granted_http("near") +
                                                        granted_http("nap"));
    EXPECT_THAT(left_out,
                ElementsAre("plugin replicas: not called in a simulation; it needs the network",
                            "plugin score: not called in a simulation; it needs the network",
                            "plugin near: not called in a simulation; it needs the network",
                            "plugin nap: not called in a simulation; it needs the network"));
    const config::Pipeline& pipeline = config.pipeline;
    EXPECT_THAT(pipeline.controllers, IsEmpty());
    ASSERT_EQ(pipeline.scale_up.expanders.size(), 1u);
    EXPECT_EQ(pipeline.scale_up.expanders[0].use, PluginInstanceId("random"));
    EXPECT_THAT(pipeline.scale_up.similarity, ElementsAre(PluginInstanceId("labels")));
    EXPECT_THAT(pipeline.scale_up.group_sources, IsEmpty());
    for (const char* const id : {"replicas", "score", "near", "nap"})
        EXPECT_EQ(config.find_plugin(id), nullptr) << id;
    EXPECT_THAT(printed(),
                AllOf(HasSubstr("random"), Not(HasSubstr("score")), Not(HasSubstr("near")),
                      Not(HasSubstr("nap")), Not(HasSubstr("replicas"))));
}

TEST_F(LeaveOutTest, ReplacesTheSplitterByTheDefault) {
    EXPECT_THAT(leave_out("[pipeline.scale_up]\nsplitter = \"spread\"\n" + granted_http("spread")),
                ElementsAre("plugin spread: not called in a simulation; it needs the network"));
    EXPECT_EQ(config.pipeline.scale_up.splitter, PluginInstanceId("node_groups"));
    const config::PluginConfig* const splitter = config.find_plugin("node_groups");
    ASSERT_NE(splitter, nullptr);
    EXPECT_EQ(splitter->file, (folder.root() / "balancer/node_groups.so").string());
    EXPECT_THAT(printed(), Not(HasSubstr("spread")));
}

TEST_F(LeaveOutTest, KeepsAnOwnInstanceThatHasTheNameOfTheDefaultSplitter) {
    leave_out("[pipeline.scale_up]\nsplitter = \"spread\"\n" + granted_http("spread") +
              "[plugin.node_groups]\nlimits = { call_deadline = \"7s\" }\n");
    EXPECT_EQ(std::ranges::count(config.plugins, PluginInstanceId("node_groups"),
                                 &config::PluginConfig::id),
              1);
    EXPECT_EQ(config.find_plugin("node_groups")->limits.call_deadline, 7s);
}

TEST_F(LeaveOutTest, KeepsCloudsAndPluginsThatNeedNoNetwork) {
    EXPECT_THAT(leave_out("[pipeline]\nclouds = [\"aws\"]\n" + granted_http("aws")), IsEmpty());
    EXPECT_THAT(config.pipeline.clouds, ElementsAre(PluginInstanceId("aws")));
    EXPECT_NE(config.find_plugin("aws"), nullptr);
    EXPECT_NE(config.find_plugin("least_waste"), nullptr);
    EXPECT_NE(config.find_plugin("node_groups"), nullptr);
}

TEST_F(LeaveOutTest, RemovesGroupSourcesOnlyIfMachineTypesAreUnknown) {
    const std::string toml = "[pipeline.scale_up]\ngroup_sources = [\"nap\"]\n";
    EXPECT_THAT(leave_out(toml, true), IsEmpty());
    EXPECT_THAT(config.pipeline.scale_up.group_sources, ElementsAre(PluginInstanceId("nap")));
    EXPECT_THAT(leave_out(toml, false),
                ElementsAre("plugin nap: not called in a simulation; the machine types and launch "
                            "templates of the clouds are unknown"));
    EXPECT_THAT(config.pipeline.scale_up.group_sources, IsEmpty());
}

TEST_F(LeaveOutTest, RemovesAnInstanceThatThePipelineDoesNotUse) {
    EXPECT_THAT(
        leave_out("[plugin.grpc_expander]\n"),
        ElementsAre("plugin grpc_expander: not called in a simulation; it needs the network"));
    EXPECT_EQ(config.find_plugin("grpc_expander"), nullptr);
}

/// With the shipped plugins of this build tree.
struct PrepareTest : testing::Test {
    config::ShippedPlugins shipped{std::filesystem::read_symlink("/proc/self/exe").parent_path() /
                                   "../../lib/capstan/plugins"};
    const CloudSettings web =
        make_cloud_settings(
            "groups.toml",
            {{.id = "web", .node = {.capacity = {{"cpu", 4000}, {"memory", 1 << 30}}}}})
            .value();

    config::Loaded loaded(const std::string& toml) const {
        return config::load_config(config::Source{"capstan.toml", toml}, shipped);
    }
    static std::vector<std::string> ids_of(const PluginSet& plugins) {
        std::vector<std::string> out;
        for (const LoadedPlugin& plugin : plugins) out.push_back(plugin.config.id.value());
        return out;
    }
    /// The settings with one more key in each table of a group.
    static config::TomlValue with_unknown_key(config::TomlValue settings) {
        config::TomlValue& group = settings.children.at(0).children.at(0);
        group.children.push_back(
            {.kind = config::TomlValue::Kind::integer, .key = "colour", .integer = 1});
        return settings;
    }
};

TEST_F(PrepareTest, ReplacesTheCloudsOfTheConfiguration) {
    const auto setup =
        prepare(loaded("[pipeline]\nclouds = [\"prod\"]\n[plugin.prod]\nclass = \"simulated\"\n"
                       "settings = { colour = 1 }\n"),
                {web}, shipped);
    EXPECT_TRUE(setup->is_sound) << setup->complaints;
    EXPECT_EQ(setup->complaints, "") << "the settings of a cloud that is replaced do not matter";
    EXPECT_THAT(setup->sound_config().pipeline.clouds, ElementsAre(simulated_cloud));
    EXPECT_EQ(setup->sound_config().find_plugin("prod"), nullptr);
    EXPECT_THAT(ids_of(setup->plugins),
                AllOf(testing::Contains("simulated"), testing::Contains("least_waste"),
                      Not(testing::Contains("prod"))));
}

TEST_F(PrepareTest, GivesCallsAMinuteUnlessTheConfigurationLimitsThem) {
    const auto setup =
        prepare(loaded("[plugin.random]\nlimits = { call_deadline = \"5ms\" }\n"), {web}, shipped);
    ASSERT_TRUE(setup->is_sound) << setup->complaints;
    for (const LoadedPlugin& plugin : setup->plugins) {
        const std::string& id = plugin.config.id.value();
        EXPECT_EQ(plugin.config.limits.call_deadline, id == "random" ? Duration(5ms) : 1min) << id;
    }
}

TEST_F(PrepareTest, ReportsMistakesInTheSettingsOfACloud) {
    CloudSettings wrong = web;
    wrong.settings = with_unknown_key(wrong.settings);
    const auto setup = prepare(loaded(""), {wrong}, shipped);
    EXPECT_FALSE(setup->is_sound);
    EXPECT_THAT(setup->complaints, AllOf(HasSubstr("groups.toml"), HasSubstr("'colour'")));
    EXPECT_EQ(setup->complaints.back(), '\n');
}

TEST_F(PrepareTest, ReportsMistakesInSettingsThatStepsWillChange) {
    CloudSettings later = web;
    later.changed = with_unknown_key(later.settings);
    const auto setup = prepare(loaded(""), {later}, shipped);
    EXPECT_FALSE(setup->is_sound);
    EXPECT_THAT(setup->complaints, HasSubstr("'colour'"));
}

TEST_F(PrepareTest, ReportsAMistakeOnceIfStepsKeepIt) {
    CloudSettings wrong = web;
    wrong.settings = with_unknown_key(wrong.settings);
    wrong.changed = wrong.settings;
    const std::string complaints = prepare(loaded(""), {wrong}, shipped)->complaints;
    const std::size_t first = complaints.find("'colour'");
    ASSERT_NE(first, std::string::npos);
    EXPECT_EQ(complaints.find("'colour'", first + 1), std::string::npos) << complaints;
}

TEST_F(PrepareTest, LoadsNoPluginOfAFileWithASyntaxError) {
    const auto setup = prepare(loaded("clouds ="), {web}, shipped);
    EXPECT_FALSE(setup->is_sound);
    EXPECT_FALSE(setup->config);
    EXPECT_THAT(setup->plugins, IsEmpty());
    EXPECT_THAT(setup->complaints, HasSubstr("capstan.toml"));
    EXPECT_FALSE(prepare_to_decide(loaded("clouds ="), shipped)->is_sound);
}

TEST_F(PrepareTest, LoadsNeitherCloudsNorControllersToDecide) {
    const auto setup = prepare_to_decide(
        loaded("[pipeline]\nclouds = [\"prod\"]\ncontrollers = [\"balancers\"]\n"
               "[plugin.prod]\nclass = \"simulated\"\n[plugin.balancers]\nclass = \"simulated\"\n"),
        shipped);
    EXPECT_TRUE(setup->is_sound) << setup->complaints;
    EXPECT_THAT(ids_of(setup->plugins),
                AllOf(Not(testing::Contains("prod")), Not(testing::Contains("balancers")),
                      testing::Contains("random")));
    EXPECT_THAT(setup->sound_config().pipeline.clouds, IsEmpty());
    EXPECT_THAT(setup->sound_config().pipeline.controllers, IsEmpty());
}

}  // namespace
}  // namespace capstan::autoscaler::offline
