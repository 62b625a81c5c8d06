// `capstan plugin call`: one request to one plugin.
#include <gmock/gmock.h>

#include "../host/commands/shell.hpp"
#include "../host/commands/two_options.hpp"

namespace capstan::plugin_tool {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

TEST(PluginCall, CallsAShippedExpander) {
    const commands::CommandResult ran = commands::capstan(
        "plugin call " + commands::quoted_path(commands::shipped("expanders/least_waste.so")) +
            " --kind expander",
        commands::two_options);
    EXPECT_EQ(ran.code, 0) << ran.err;
    EXPECT_THAT(ran.out, StartsWith(R"({"options":[1],"explain":["keeps small)"));
}

TEST(PluginCall, SplitsFourNodesToTheSmallestGroups) {
    const commands::CommandResult ran = commands::capstan(
        "plugin call " + commands::quoted_path(commands::shipped("balancer/node_groups.so")) +
            " --kind splitter",
        R"({"nodes": 4, "groups": [{"id": "a", "min": 0, "max": 10, "target": 1},
                                {"id": "b", "min": 0, "max": 10, "target": 3}, {"id": "c", "min": 0, "max": 10, "target": 6}]})");
    EXPECT_EQ(ran.out, "{\"deltas\":{\"a\":3,\"b\":1,\"c\":0}}\n") << ran.err;
}

TEST(PluginCall, AppliesSettingsLikeThePipeline) {
    const commands::Folder folder;
    const std::string request = R"({"a": {"name": "a", "capacity": {"memory": "100Gi"}},
                                    "b": {"name": "b", "capacity": {"memory": "99Gi"}}})";
    const std::string call = "plugin call " +
                             commands::quoted_path(commands::shipped("similarity/resources.so")) +
                             " --kind similarity";
    EXPECT_THAT(commands::capstan(call, request).out,
                StartsWith(R"({"similar":true,"decided":false)"));

    const std::string exact = folder.write("exact.toml", "capacity_memory_tolerance = 0\n");
    EXPECT_THAT(commands::capstan(call + " --settings " + exact, request).out,
                StartsWith(R"({"similar":false)"));

    const std::string wrong = folder.write("wrong.toml", "capacity_memory_tolerence = 0\n");
    const commands::CommandResult refused =
        commands::capstan(call + " --settings " + wrong, request);
    EXPECT_EQ(refused.code, 2);
    EXPECT_THAT(refused.err, AllOf(HasSubstr("wrong.toml:1:1: "),
                                   HasSubstr("did you mean 'capacity_memory_tolerance'?")));
}

TEST(PluginCall, ReportsThePositionOfInvalidJson) {
    const commands::CommandResult ran = commands::capstan(
        "plugin call " + commands::quoted_path(commands::shipped("expanders/random.so")) +
            " --kind expander",
        "{\"options\": [\n  {\"group\": }]}");
    EXPECT_EQ(ran.code, 2);
    EXPECT_EQ(ran.out, "");
    EXPECT_THAT(ran.err, HasSubstr("standard input:2:13: "));
}

class PluginCallMisbehaviour : public testing::TestWithParam<std::pair<const char*, const char*>> {
};

TEST_P(PluginCallMisbehaviour, IsReportedAsAnError) {
    const auto [plugin_class, message] = GetParam();
    const commands::CommandResult ran = commands::capstan(
        "plugin call " +
            commands::quoted_path(commands::misbehaving().string() + "#" + plugin_class) +
            " --kind expander",
        commands::two_options);
    EXPECT_EQ(ran.code, 1) << ran.err;
    EXPECT_THAT(ran.out, AllOf(StartsWith("{\"error\":\""), HasSubstr(message)));
}

INSTANTIATE_TEST_SUITE_P(Hook, PluginCallMisbehaviour,
                         testing::Values(std::pair("hangs", "deadline"),
                                         std::pair("throws", "lost the scores"),
                                         std::pair("garbage", "kept option 6 of 2")),
                         [](const auto& p) { return std::string(p.param.first); });

TEST(PluginCall, PrintsOutputOfAPluginToStandardError) {
    const commands::CommandResult ran = commands::capstan(
        "plugin call " + commands::quoted_path(commands::misbehaving().string() + "#prints") +
            " --kind expander",
        commands::two_options);
    EXPECT_EQ(ran.code, 0) << ran.err;
    EXPECT_THAT(ran.out, AllOf(StartsWith("{\"options\":[0]"), Not(HasSubstr("noise"))));
    EXPECT_THAT(ran.err, AllOf(HasSubstr("noise of stdio\n"), HasSubstr("noise of a stream\n"),
                               HasSubstr("noise of a descriptor\n")));
}

TEST(PluginCall, ReportsAnExceptionThroughTheCBoundary) {
    const commands::CommandResult ran = commands::capstan(
        "plugin call " + commands::quoted_path(commands::throwing().string() + "#tiny") +
            " --kind expander",
        commands::two_options);
    EXPECT_EQ(ran.code, 1) << ran.err;
    EXPECT_THAT(ran.out, HasSubstr("filter threw an exception: through C"));
}

TEST(PluginCall, RequiresTheClassIfAFileHasSeveral) {
    const commands::CommandResult ran = commands::capstan(
        "plugin call " + commands::quoted_path(commands::misbehaving()) + " --kind expander",
        commands::two_options);
    EXPECT_EQ(ran.code, 2);
    EXPECT_THAT(ran.err,
                AllOf(HasSubstr("FILE.so#CLASS"), HasSubstr("hangs (capstan.expander/1)")));
}

TEST(PluginCall, ReportsThatAFileHasNoClassOfTheKind) {
    const commands::CommandResult ran = commands::capstan(
        "plugin call " + commands::quoted_path(commands::shipped("expanders/random.so")) +
            " --kind splitter",
        "{}");
    EXPECT_EQ(ran.code, 2);
    EXPECT_THAT(ran.err, HasSubstr("no class of kind capstan.splitter/1; classes are random"));
}

}  // namespace
}  // namespace capstan::plugin_tool
