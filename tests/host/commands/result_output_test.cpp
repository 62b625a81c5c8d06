// Formats, colours, help, and detection of file types.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <boost/json.hpp>

#include "shell.hpp"

namespace capstan::commands {
namespace {

namespace json = boost::json;
using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::MatchesRegex;
using ::testing::Not;
using ::testing::StartsWith;

const char* const scenario = "tests/scenarios/three_zones.toml";

TEST(CommandOutput, PrintsNumbersWithoutExponents) {
    const CommandResult ran = capstan(std::string("simulate -o json ") + scenario);
    EXPECT_THAT(ran.out, AllOf(HasSubstr("\"node_hours\":"), Not(HasSubstr("E-")),
                               Not(HasSubstr("E0")), Not(HasSubstr("e+"))));
    json::parse(ran.out);
}

TEST(CommandOutput, PrintsYaml) {
    const CommandResult ran = capstan("version -o yaml");
    EXPECT_EQ(ran.code, 0) << ran.err;
    EXPECT_THAT(ran.out,
                MatchesRegex("version: \"[0-9.]+\"\nsdk: \"[0-9.]+\"\nabi: \"1.0\"\njson: 2\n"));
    EXPECT_THAT(capstan(std::string("explain matrix -o yaml --scenario ") + scenario).out,
                HasSubstr("groups:\n  - "));
    EXPECT_THAT(capstan("version -o wide").err,
                HasSubstr("--output: expected text, json or yaml, not 'wide'"));
}

TEST(CommandOutput, IndentsJsonOnATerminal) {
    EXPECT_THAT(capstan("version -o json").out, StartsWith("{\"version\":"));
    // `script`, part of every Debian, runs a command on its own terminal.
    const Folder folder;
    const std::string line = "script -qec '" + (build_tree() / "bin/capstan").string() +
                             " version -o json' /dev/null </dev/null >" +
                             (folder.path() / "out").string();
    ASSERT_EQ(std::system(line.c_str()), 0);
    EXPECT_THAT(folder.read("out"), HasSubstr("{\r\n  \"version\": "));
}

TEST(CommandOutput, UsesColoursIfRequested) {
    EXPECT_THAT(capstan("simulat").err, StartsWith("capstan: "));
    EXPECT_THAT(capstan("simulat --color=always").err, StartsWith("\x1b[31mcapstan\x1b[0m: "));
    EXPECT_THAT(capstan("--color=always doctor -c nothing.toml").out,
                AllOf(HasSubstr("\x1b[31mMISSING\x1b[0m"), HasSubstr("\x1b[1mTO DO\x1b[0m")));
    EXPECT_THAT(capstan("doctor -c nothing.toml --color=never").out, Not(HasSubstr("\x1b")));
    EXPECT_THAT(capstan("doctor -c nothing.toml --color=pink").err,
                HasSubstr("expected auto, always or never, not 'pink'"));
}

TEST(CommandOutput, HelpShowsExamplesAndExitCodes) {
    for (const char* command :
         {"run",         "plan",           "doctor",        "simulate",       "cluster",
          "dump",        "explain",        "replay",        "pipeline",       "crd print",
          "crd install", "config check",   "config print",  "config explain", "config schema",
          "plugin list", "plugin inspect", "plugin verify", "plugin call",    "plugin new",
          "version"}) {
        EXPECT_THAT(capstan(std::string(command) + " --help").out,
                    AllOf(HasSubstr("\nExamples:\n  capstan " + std::string(command)),
                          HasSubstr("\nExit codes: 0 ")))
            << command;
    }
}

TEST(CommandOutput, HelpNamesEveryKindOfPlugin) {
    EXPECT_THAT(capstan("plugin new --help").out,
                AllOf(HasSubstr("expander (cpp, c, rust)"), HasSubstr("controller (cpp)"),
                      HasSubstr("cloud (cpp http, cpp memory, c, rust)")));
    EXPECT_THAT(capstan("plugin new mine --kind splitter --lang rust").err,
                HasSubstr("no template for kind \"splitter\" in language \"rust\""));
}

TEST(CommandOutput, ConfigPrintNeedsNoFile) {
    const CommandResult printed = capstan("config print");
    EXPECT_EQ(printed.code, 0) << printed.err;
    EXPECT_THAT(printed.out, HasSubstr("unneeded_time = \"10m\""));
    const Folder folder;
    EXPECT_EQ(capstan("config check --config " + folder.write("all.toml", printed.out)).code, 0);
}

TEST(CommandOutput, ConfigSchemaDescribesEveryKey) {
    const CommandResult ran = capstan("config schema");
    EXPECT_EQ(ran.code, 0) << ran.err;
    const json::value schema = json::parse(ran.out);
    const json::value& down = schema.at_pointer("/properties/scale_down/properties");
    EXPECT_EQ(down.at_pointer("/unneeded_time/default"), "10m");
    EXPECT_EQ(down.at_pointer("/enabled/type"), "boolean");
    EXPECT_EQ(schema.at("additionalProperties"), false);
    const json::value& levels = schema.at_pointer("/properties/log/properties/level/enum");
    EXPECT_THAT(json::serialize(levels), HasSubstr("\"debug\""));
    // `plugin` accepts any key. Each value is a table with the same members.
    EXPECT_EQ(schema.at_pointer("/properties/plugin/additionalProperties/properties/file/type"),
              "string");

    const json::value with_plugins =
        json::parse(capstan("config schema --config examples/capstan.toml").out);
    EXPECT_THAT(json::serialize(with_plugins.at_pointer(
                    "/properties/plugin/properties/labels/properties/settings/properties")),
                HasSubstr("\"preset\":"));
}

/// A node and a running pod.
const char* const small_dump = R"({"kind":"List","apiVersion":"v1","items":[
    {"kind":"Node","apiVersion":"v1","metadata":{"name":"n1","creationTimestamp":"2026-01-01T00:00:00Z",
     "labels":{"agentpool":"web"}},"status":{"allocatable":{"cpu":"4","memory":"16Gi","pods":"110"},
     "capacity":{"cpu":"4","memory":"16Gi","pods":"110"},"conditions":[{"type":"Ready","status":"True"}]}},
    {"kind":"Pod","apiVersion":"v1","metadata":{"namespace":"shop","name":"web-1",
     "creationTimestamp":"2026-01-01T00:00:00Z"},"spec":{"nodeName":"n1","containers":[{"name":"c"}]},
     "status":{"phase":"Running"}}]})";

TEST(InputFiles, AreRecognizedByTheirContent) {
    const Folder folder;
    const std::string dump = folder.write("dump.json", small_dump);
    const CommandResult named = capstan("simulate --cluster " + dump);
    ASSERT_EQ(named.code, 0) << named.err;
    EXPECT_EQ(capstan("simulate " + dump).out, named.out);
    EXPECT_EQ(capstan("simulate -f " + dump).out, named.out);
    EXPECT_EQ(capstan(std::string("simulate -f ") + scenario).out,
              capstan(std::string("simulate ") + scenario).out);
    EXPECT_THAT(capstan("simulate --chaos " + dump).err, HasSubstr("--chaos requires a scenario"));

    const std::string records = (folder.path() / "records").string();
    ASSERT_EQ(capstan(std::string("simulate ") + scenario + " --record " + records).code, 0);
    const std::string pass = std::filesystem::directory_iterator(records)->path().string();
    const CommandResult refused = capstan("simulate " + pass);
    EXPECT_EQ(refused.code, 2);
    EXPECT_THAT(refused.err, HasSubstr("is a recorded pass; use `capstan replay " + pass));
    EXPECT_EQ(capstan("explain matrix -f " + pass).out,
              capstan("explain matrix --recorded " + pass).out);
    EXPECT_THAT(capstan("explain matrix --at 1m -f " + pass).err,
                HasSubstr("not allowed with a recorded pass"));
}

}  // namespace
}  // namespace capstan::commands
