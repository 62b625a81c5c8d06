// Whole commands of the shipped binary, on the shipped plugins.
#include <gmock/gmock.h>

#include "shell.hpp"

namespace capstan::commands {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

std::string quoted_path(const std::filesystem::path& path) { return "'" + path.string() + "'"; }

const char* const two_options = R"({"seed": 1, "options": [
    {"group": {"id": "big"}, "nodes": 1, "template": {"name": "big", "capacity": {"cpu": "16", "memory": "64Gi"}}, "pods": [0]},
    {"group": {"id": "small"}, "nodes": 1, "template": {"name": "small", "capacity": {"cpu": "4", "memory": "16Gi"}}, "pods": [0]}],
    "pods": [{"metadata": {"name": "p"}, "spec": {"containers": [
        {"name": "c", "resources": {"requests": {"cpu": "3", "memory": "12Gi"}}}]}}]})";

TEST(CommandLine, WithoutACommandSaysHowToUseItAndExitsTwo) {
    const Ran ran = capstan("");
    EXPECT_EQ(ran.code, 2);
    EXPECT_THAT(ran.err, HasSubstr("--help"));
}

TEST(CommandLine, SaysWhatWasProbablyMeant) {
    const struct {
        const char* line;
        const char* says;
    } cases[] = {
        {"simulat", "capstan: there is no command 'simulat'; did you mean 'simulate'?"},
        {"completion", "capstan: there is no command 'completion'; there are run, plan, doctor,"},
        {"config prnt", "capstan config: there is no command 'prnt'; did you mean 'print'?"},
        {"config", "capstan config: a command is missing: check, print, explain"},
        {"explain service x -f y",
         "there is no kind 'service'; there are pod, group, node, matrix,"},
        {"plan --confg x", "capstan plan: there is no option '--confg'; did you mean '--config'?"},
        {"simulate --clustr x", "there is no option '--clustr'; did you mean '--cluster'?"},
        {"plan", "capstan plan: --config is required\nRun `capstan plan --help` for help."},
        {"plan -c x more", "capstan plan: 'more' was not expected"},
        {"version -o toml", "--output: expected text, json or yaml, not 'toml'"},
        {"simulate --threads 0 x", "--threads: expected a whole number from 1 on, not '0'"},
    };
    for (const auto& each : cases) {
        const Ran ran = capstan(each.line);
        EXPECT_EQ(ran.code, 2) << each.line;
        EXPECT_THAT(ran.err, HasSubstr(each.says)) << each.line;
        EXPECT_EQ(ran.out, "") << each.line;
    }
}

TEST(CommandLine, HelpAndVersionHaveTheUsualWords) {
    EXPECT_EQ(capstan("--version").out, capstan("version").out);
    EXPECT_EQ(capstan("-V").out, capstan("version").out);
    EXPECT_EQ(capstan("help").out, capstan("--help").out);
    EXPECT_EQ(capstan("help config print").out, capstan("config print --help").out);
    EXPECT_THAT(capstan("plan --help").out, Not(HasSubstr("->")));
}

TEST(CommandLine, VersionNamesHostSdkAndAbi) {
    EXPECT_THAT(capstan("version").out, AllOf(StartsWith("capstan "), HasSubstr("plugin ABI 1.0")));
    EXPECT_THAT(capstan("version -o json").out, HasSubstr(R"("abi":"1.0","json":2)"));
}

TEST(CommandLine, ListNamesEveryShippedPlugin) {
    const Ran ran = capstan("plugin list");
    for (const char* name : {"label_priority", "least_nodes", "least_waste", "most_pods", "price",
                             "priority", "random", "labels", "resources", "node_groups"}) {
        EXPECT_THAT(ran.out, HasSubstr("\n" + std::string(name) + " ")) << ran.out;
    }
}

TEST(CommandLine, InspectShowsSettingsWithDefaultsAndThePin) {
    const Ran ran =
        capstan("plugin inspect --run " + quoted_path(shipped("similarity/resources.so")));
    EXPECT_EQ(ran.code, 0) << ran.err;
    EXPECT_THAT(ran.out,
                AllOf(HasSubstr("capstan.similarity/1"), HasSubstr("capacity_memory_tolerance"),
                      HasSubstr("0.015"), HasSubstr("sha256 = \""), HasSubstr("\nloads    yes")));
}

TEST(CommandLine, CallAsksAShippedExpander) {
    const Ran ran = capstan(
        "plugin call " + quoted_path(shipped("expanders/least_waste.so")) + " --kind expander",
        two_options);
    EXPECT_EQ(ran.code, 0) << ran.err;
    EXPECT_THAT(ran.out, StartsWith(R"({"options":[1],"explain":["keeps small)"));
}

TEST(CommandLine, CallSharesFourNodesAsTheProposalSays) {
    const Ran ran = capstan(
        "plugin call " + quoted_path(shipped("balancer/node_groups.so")) + " --kind splitter",
        R"({"nodes": 4, "groups": [{"id": "a", "min": 0, "max": 10, "target": 1},
                                {"id": "b", "min": 0, "max": 10, "target": 3}, {"id": "c", "min": 0, "max": 10, "target": 6}]})");
    EXPECT_EQ(ran.out, "{\"deltas\":{\"a\":3,\"b\":1,\"c\":0}}\n") << ran.err;
}

TEST(CommandLine, CallTakesSettingsAsThePipelineDoes) {
    const Folder folder;
    const std::string request = R"({"a": {"name": "a", "capacity": {"memory": "100Gi"}},
                                    "b": {"name": "b", "capacity": {"memory": "99Gi"}}})";
    const std::string call =
        "plugin call " + quoted_path(shipped("similarity/resources.so")) + " --kind similarity";
    EXPECT_THAT(capstan(call, request).out, StartsWith(R"({"similar":true,"decided":false)"));

    const std::string exact = folder.write("exact.toml", "capacity_memory_tolerance = 0\n");
    EXPECT_THAT(capstan(call + " --settings " + exact, request).out,
                StartsWith(R"({"similar":false)"));

    const std::string wrong = folder.write("wrong.toml", "capacity_memory_tolerence = 0\n");
    const Ran refused = capstan(call + " --settings " + wrong, request);
    EXPECT_EQ(refused.code, 2);
    EXPECT_THAT(refused.err, AllOf(HasSubstr("wrong.toml:1:1: "),
                                   HasSubstr("did you mean 'capacity_memory_tolerance'?")));
}

TEST(CommandLine, CallPointsAtMalformedJson) {
    const Ran ran =
        capstan("plugin call " + quoted_path(shipped("expanders/random.so")) + " --kind expander",
                "{\"options\": [\n  {\"group\": }]}");
    EXPECT_EQ(ran.code, 2);
    EXPECT_EQ(ran.out, "");
    EXPECT_THAT(ran.err, HasSubstr("standard input:2:13: "));
}

class Misbehaviour : public testing::TestWithParam<std::pair<const char*, const char*>> {};

TEST_P(Misbehaviour, OfAHookIsAnErrorAnswerAndTheHostLives) {
    const auto [plugin_class, says] = GetParam();
    const Ran ran =
        capstan("plugin call " + quoted_path(misbehaving().string() + "#" + plugin_class) +
                    " --kind expander",
                two_options);
    EXPECT_EQ(ran.code, 1) << ran.err;
    EXPECT_THAT(ran.out, AllOf(StartsWith("{\"error\":\""), HasSubstr(says)));
}

INSTANTIATE_TEST_SUITE_P(CommandLine, Misbehaviour,
                         testing::Values(std::pair("hangs", "deadline"),
                                         std::pair("throws", "lost the scores"),
                                         std::pair("garbage", "kept option 6 of 2")),
                         [](const auto& p) { return std::string(p.param.first); });

TEST(CommandLine, WhatAPluginPrintsStandsAmongTheComplaints) {
    const Ran ran = capstan(
        "plugin call " + quoted_path(misbehaving().string() + "#prints") + " --kind expander",
        two_options);
    EXPECT_EQ(ran.code, 0) << ran.err;
    EXPECT_THAT(ran.out, AllOf(StartsWith("{\"options\":[0]"), Not(HasSubstr("noise"))));
    EXPECT_THAT(ran.err, AllOf(HasSubstr("noise of stdio\n"), HasSubstr("noise of a stream\n"),
                               HasSubstr("noise of a descriptor\n")));
}

TEST(CommandLine, AResultThatCannotBeWrittenIsAFailure) {
    const Ran ran = capstan("version >/dev/full");
    EXPECT_EQ(ran.code, 1);
    EXPECT_THAT(ran.err, HasSubstr("could not be written to standard output"));
}

TEST(CommandLine, ClosedStandardDescriptorsHarmNothing) {
    EXPECT_EQ(capstan("plugin list <&- >&- 2>&-").code, 0);
}

TEST(CommandLine, AnExceptionThroughTheBoundaryIsAnErrorOfTheHookThatLetItOut) {
    const Ran ran =
        capstan("plugin call " + quoted_path(throwing().string() + "#tiny") + " --kind expander",
                two_options);
    EXPECT_EQ(ran.code, 1) << ran.err;
    EXPECT_THAT(ran.out, HasSubstr("filter let an exception out: through C"));
}

TEST(CommandLine, CallAsksForTheClassWhereAFileHasSeveral) {
    const Ran ran =
        capstan("plugin call " + quoted_path(misbehaving()) + " --kind expander", two_options);
    EXPECT_EQ(ran.code, 2);
    EXPECT_THAT(ran.err,
                AllOf(HasSubstr("FILE.so#CLASS"), HasSubstr("hangs (capstan.expander/1)")));
}

TEST(CommandLine, CallSaysWhenAFileHasNoClassOfTheKind) {
    const Ran ran = capstan(
        "plugin call " + quoted_path(shipped("expanders/random.so")) + " --kind splitter", "{}");
    EXPECT_EQ(ran.code, 2);
    EXPECT_THAT(ran.err, HasSubstr("no class of kind capstan.splitter/1; there is random"));
}

TEST(CommandLine, VerifyPassesEveryShippedPlugin) {
    for (const char* name :
         {"expanders/label_priority.so", "expanders/least_nodes.so", "expanders/least_waste.so",
          "expanders/most_pods.so", "expanders/price.so", "expanders/priority.so",
          "expanders/random.so", "similarity/labels.so", "similarity/resources.so",
          "balancer/node_groups.so", "simulated.so"}) {
        const Ran ran = capstan("plugin verify " + quoted_path(shipped(name)));
        EXPECT_EQ(ran.code, 0) << ran.out << ran.err;
        EXPECT_THAT(ran.out, Not(HasSubstr("FAIL")));
    }
}

TEST(CommandLine, VerifySaysWhatItDidNotLookAt) {
    const Ran bare = capstan("plugin verify " + quoted_path(http_cloud()));
    EXPECT_EQ(bare.code, 3) << bare.out << bare.err;
    EXPECT_THAT(bare.out,
                testing::EndsWith("not looked at: new_http_cloud: it needs settings: setting "
                                  "endpoint: is required and was not given; give --settings "
                                  "FILE.toml with the class's settings\n"));
    const Folder folder;
    const std::string settings =
        folder.write("settings.toml", "endpoint = \"https://api.example\"\n");
    const Ran without =
        capstan("plugin verify " + quoted_path(http_cloud()) + " --settings " + settings);
    EXPECT_EQ(without.code, 3) << without.out << without.err;
    EXPECT_THAT(without.out, AllOf(HasSubstr("a made-up value of each secret: made-up-token"),
                                   HasSubstr("cloud/honest"),
                                   testing::EndsWith("; give --http RECORDING with the replies of "
                                                     "its API, or other --settings\n")));
}

TEST(CommandLine, VerifyPlaysARecording) {
    const Folder folder;
    const std::string line = "plugin verify " + quoted_path(http_cloud()) + " --settings " +
                             folder.write("settings.toml", "endpoint = \"https://api.example\"\n") +
                             " --http ";
    const Ran part = capstan(line + folder.write("groups.http",
                                                 "> GET https://api.example/v1/groups?page=\n"
                                                 "< 200\n\n{\"groups\":[{\"id\":\"web\","
                                                 "\"min\":1,\"max\":10,\"target\":2,"
                                                 "\"machine\":{\"cpu\":\"4\",\"memory\":\"16Gi\","
                                                 "\"pods\":\"110\"}}]}\n\n"));
    EXPECT_EQ(part.code, 3) << part.out << part.err;
    EXPECT_THAT(part.out, AllOf(HasSubstr("HTTP GET https://api.example/v1/machines: the "
                                          "recording has no such request"),
                                HasSubstr("; give a --http RECORDING that has the replies to its "
                                          "requests\n")));
    std::filesystem::create_directory(folder.path() / "all");
    std::filesystem::rename(folder.path() / "groups.http", folder.path() / "all/1.http");
    folder.write("all/2.http",
                 "> GET https://api.example/v1/machines?page=\n< 200\n\n"
                 "{\"machines\":[{\"id\":\"m-1\",\"group\":\"web\",\"state\":\"running\"}]}\n\n");
    const Ran all = capstan(line + (folder.path() / "all").string());
    EXPECT_EQ(all.code, 0) << all.out << all.err;
    EXPECT_THAT(all.out, AllOf(Not(HasSubstr("skip ")), Not(HasSubstr("not looked at"))));
    const Ran bad = capstan(line + folder.write("bad.http", "> GET https://api.example/\n< ok\n"));
    EXPECT_EQ(bad.code, 2);
    EXPECT_THAT(bad.err, HasSubstr("bad.http, line 2: a reply begins with"));
    EXPECT_EQ(capstan(line + folder.path().string() + "/absent").code, 2);
}

TEST(CommandLine, VerifyReportsACrashAndGoesOnWithTheNextCheck) {
    const Ran ran = capstan("plugin verify " + quoted_path(misbehaving().string() + "#crashes"));
    EXPECT_EQ(ran.code, 1);
    EXPECT_THAT(ran.out, AllOf(HasSubstr("FAIL"), HasSubstr("was killed by signal 11"),
                               HasSubstr("file/unloads")));
}

TEST(CommandLine, VerifyCatchesWhatAPluginPrints) {
    const Ran ran = capstan("plugin verify " + quoted_path(misbehaving().string() + "#prints"));
    EXPECT_EQ(ran.code, 1);
    EXPECT_THAT(ran.out, HasSubstr("process/silent: wrote to standard output or error: noise"));
}

TEST(CommandLine, VerifyFailsAFileThatLetsExceptionsOut) {
    const Ran ran = capstan("plugin verify " + quoted_path(throwing().string() + "#tiny"));
    EXPECT_EQ(ran.code, 1);
    EXPECT_THAT(ran.out, AllOf(HasSubstr("FAIL"), HasSubstr("through C"))) << ran.out;
}

TEST(CommandLine, VerifyAnswersInJson) {
    const Ran ran =
        capstan("plugin verify -o json " + quoted_path(misbehaving().string() + "#first"));
    EXPECT_THAT(ran.out, AllOf(HasSubstr(R"("failed":0)"), HasSubstr(R"("verdict":"passed")"),
                               HasSubstr(R"("sha256":")")));
}

TEST(CommandLine, CheckPrintsEveryMistakeAtOnceWithItsPlace) {
    const Folder folder;
    const std::string file = folder.write("capstan.toml",
                                          "[cluster]\nname = 7\n"
                                          "[pipeline.scale_up]\nexpanders = [\"rnadom\"]\n"
                                          "[plugin.labels]\nsettings = { preset = \"awz\" }\n");
    const Ran ran = capstan("config check --config " + file);
    EXPECT_EQ(ran.code, 2);
    EXPECT_THAT(ran.err,
                AllOf(HasSubstr("capstan.toml:2:8: "), HasSubstr("capstan.toml:4:14: "),
                      HasSubstr("did you mean 'random'?"), HasSubstr("capstan.toml:6:23: ")));
}

TEST(CommandLine, CheckAnswersInJson) {
    const Folder folder;
    const std::string file = folder.write("capstan.toml", "[cluster]\nname = 7\n");
    const Ran ran = capstan("config check -o json --config " + file);
    EXPECT_EQ(ran.code, 2);
    EXPECT_THAT(ran.out, AllOf(HasSubstr(R"("ok":false)"),
                               HasSubstr(R"("severity":"error","line":2,"column":8)")));
    for (const std::string example : {"capstan.toml", "kwok.toml", "zalando.toml"}) {
        EXPECT_THAT(capstan("config check -o json --config examples/" + example).out,
                    HasSubstr(R"("ok":true)"))
            << example;
    }
}

TEST(CommandLine, CheckSaysThatNothingIsBalanced) {
    const Folder folder;
    const std::string file =
        folder.write("capstan.toml", "[pipeline.scale_up]\nexpanders = [\"random\"]\n");
    const Ran ran = capstan("config check --config " + file);
    EXPECT_EQ(ran.code, 0);
    EXPECT_THAT(ran.err, AllOf(HasSubstr("capstan.toml:1:"), HasSubstr("not balanced"),
                               HasSubstr("similarity = [\"resources\", \"labels\"]"),
                               HasSubstr("balance_similar = false")));
    EXPECT_EQ(capstan("config check --config " + folder.write("empty.toml", "")).err, "");
}

TEST(CommandLine, CheckLetsAClassRefuseWhatItsSchemaCannotSay) {
    const Folder folder;
    const std::string file =
        folder.write("capstan.toml",
                     "[pipeline.scale_up]\nexpanders = [\"priority\"]\n"
                     "[plugin.priority]\nsettings = { priorities = { \"10\" = [\"a(\"] } }\n");
    const Ran ran = capstan("config check --config " + file);
    EXPECT_EQ(ran.code, 2);
    EXPECT_THAT(ran.err, AllOf(HasSubstr("capstan.toml:4:"), HasSubstr("a(")));
}

TEST(CommandLine, ExplainTellsDefaultMeaningAndPlace) {
    EXPECT_THAT(capstan("config explain scale_down.unneeded_time").out,
                AllOf(HasSubstr("10m"), HasSubstr("duration")));
    const Ran ran =
        capstan("config explain plugin.labels.settings.preset --config examples/capstan.toml");
    EXPECT_THAT(ran.out, AllOf(HasSubstr("set to: \"aws\""), HasSubstr("line "))) << ran.err;
}

TEST(CommandLine, PrintedDefaultsAreAConfigurationThatChecks) {
    const Folder folder;
    const Ran printed = capstan("config print --defaults --config examples/capstan.toml");
    ASSERT_EQ(printed.code, 0) << printed.err;
    const Ran checked =
        capstan("config check --config " + folder.write("printed.toml", printed.out));
    EXPECT_EQ(checked.code, 0) << checked.err;
}

TEST(CommandLine, ThePipelineDecidesTheSameEachTime) {
    const Ran first = capstan("pipeline --config examples/capstan.toml");
    ASSERT_EQ(first.code, 0) << first.err;
    EXPECT_THAT(first.out, HasSubstr("SPLIT"));
    EXPECT_EQ(capstan("pipeline --config examples/capstan.toml").out, first.out);
}

/// A vendor's plugin, pinned or not, wired in without touching the host.
std::string vendor_config(const std::string& plugin_class, const std::string& stage,
                          const std::string& more = {}) {
    return "[trust]\nsearch_paths = [\"" + misbehaving().parent_path().string() +
           "\"]\n[pipeline.scale_up]\nexpanders = [" + stage +
           ", \"least_waste\"]\n[plugin.vendor]\nfile = \"" + misbehaving().string() +
           "\"\nclass = \"" + plugin_class + "\"\n" + more;
}

TEST(CommandLine, AVendorsPluginDecidesInTheChain) {
    const Folder folder;
    const std::string file = folder.write("capstan.toml", vendor_config("first", "\"vendor\""));
    const Ran ran = capstan("pipeline --config " + file + " --ask -", two_options);
    EXPECT_THAT(ran.out, AllOf(HasSubstr("vendor: keeps 1 of 2: big"),
                               HasSubstr("big is what vendor left of 2 options")))
        << ran.err;
}

TEST(CommandLine, APluginThatPrintsLeavesTheAnswerWhole) {
    const Folder folder;
    const std::string file = folder.write("capstan.toml", vendor_config("prints", "\"vendor\""));
    const Ran ran = capstan("pipeline -o json --config " + file + " --ask -", two_options);
    EXPECT_EQ(ran.code, 0) << ran.err;
    EXPECT_THAT(ran.out, AllOf(StartsWith("{"), testing::EndsWith("}\n"), Not(HasSubstr("noise"))));
    EXPECT_THAT(ran.err, HasSubstr("noise"));
}

TEST(CommandLine, AHangingPluginIsLeftOutAndTheChainDecidesWithoutIt) {
    const Folder folder;
    const std::string file = folder.write(
        "capstan.toml",
        vendor_config("hangs", "\"vendor\"", "limits = { call_deadline = \"50ms\" }\n"));
    const Ran ran = capstan("pipeline --config " + file + " --ask -", two_options);
    EXPECT_EQ(ran.code, 0) << ran.err;
    EXPECT_THAT(ran.out,
                AllOf(HasSubstr("! vendor: filter is left out: it did not return within its "
                                "deadline of 50 ms; its stage's on_error applies"),
                      HasSubstr("small is what least_waste left")));
}

TEST(CommandLine, AStageThatLetsAnExceptionOutIsSkippedAsItsOnErrorSays) {
    const Folder folder;
    const std::string file = folder.write(
        "capstan.toml", "[trust]\nsearch_paths = [\"" + throwing().parent_path().string() +
                            "\"]\n[pipeline.scale_up]\nexpanders = [\"vendor\", \"least_waste\"]\n"
                            "[plugin.vendor]\nfile = \"" +
                            throwing().string() + "\"\nclass = \"tiny\"\n");
    const Ran ran = capstan("pipeline --config " + file + " --ask -", two_options);
    EXPECT_EQ(ran.code, 0) << ran.err;
    EXPECT_THAT(ran.out, AllOf(HasSubstr("plugin vendor: filter let an exception out: through C"),
                               HasSubstr("small is what least_waste left")));
}

TEST(CommandLine, AStageThatMustNotFailEndsTheScaleUp) {
    const Folder folder;
    const std::string file = folder.write(
        "capstan.toml", vendor_config("throws", "{ use = \"vendor\", on_error = \"fail\" }"));
    const Ran ran = capstan("pipeline --config " + file + " --ask -", two_options);
    EXPECT_THAT(ran.out, AllOf(HasSubstr("lost the scores"), HasSubstr("no scale-up"),
                               Not(HasSubstr("SPLIT"))));
}

TEST(CommandLine, AWrongPinKeepsAPluginOut) {
    const Folder folder;
    const std::string file = folder.write(
        "capstan.toml",
        vendor_config("first", "\"vendor\"", "sha256 = \"" + std::string(64, '0') + "\"\n"));
    const Ran ran = capstan("config check --config " + file);
    EXPECT_EQ(ran.code, 2);
    EXPECT_THAT(ran.err, AllOf(HasSubstr("capstan.toml:6:"), HasSubstr("sha256"),
                               HasSubstr(std::string(64, '0'))));
}

TEST(CommandLine, APluginOutsideTheSearchPathsIsRefused) {
    const Folder folder;
    const std::string file =
        folder.write("capstan.toml",
                     "[pipeline.scale_up]\nexpanders = [\"vendor\"]\n[plugin.vendor]\n"
                     "file = \"" +
                         misbehaving().string() + "\"\nclass = \"first\"\n");
    const Ran ran = capstan("config check --config " + file);
    EXPECT_EQ(ran.code, 2);
    EXPECT_THAT(ran.err, HasSubstr("search"));
}

}  // namespace
}  // namespace capstan::commands
