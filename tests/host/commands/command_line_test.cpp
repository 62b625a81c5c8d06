// Commands of the shipped binary with the shipped plugins.
#include <gmock/gmock.h>

#include "shell.hpp"
#include "two_options.hpp"

namespace capstan::commands {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

TEST(CommandLine, ExitsTwoWithAHintWithoutACommand) {
    const CommandResult ran = capstan("");
    EXPECT_EQ(ran.code, 2);
    EXPECT_THAT(ran.err, HasSubstr("--help"));
}

TEST(CommandLine, SuggestsCorrections) {
    const struct {
        const char* line;
        const char* message;
    } cases[] = {
        {"simulat", "capstan: unknown command 'simulat'; did you mean 'simulate'?"},
        {"completion", "capstan: unknown command 'completion'; commands are run, plan, doctor,"},
        {"config prnt", "capstan config: unknown command 'prnt'; did you mean 'print'?"},
        {"config", "capstan config: missing command: check, print, explain"},
        {"explain service x -f y", "unknown kind 'service'; known: pod, group, node, matrix,"},
        {"plan --confg x", "capstan plan: unknown option '--confg'; did you mean '--config'?"},
        {"simulate --clustr x", "unknown option '--clustr'; did you mean '--cluster'?"},
        {"run --cores-total=0:9",
         "capstan run: unknown option '--cores-total=0:9'; the key for upstream's "
         "--cores-total is limits.cpu"},
        {"plan", "capstan plan: --config is required\nRun `capstan plan --help` for help."},
        {"plan -c x more", "capstan plan: unexpected argument 'more'"},
        {"version -o toml", "--output: expected text, json or yaml, not 'toml'"},
        {"simulate --threads 0 x", "--threads: expected an integer of at least 1, not '0'"},
    };
    for (const auto& each : cases) {
        const CommandResult ran = capstan(each.line);
        EXPECT_EQ(ran.code, 2) << each.line;
        EXPECT_THAT(ran.err, HasSubstr(each.message)) << each.line;
        EXPECT_EQ(ran.out, "") << each.line;
    }
}

TEST(CommandLine, AcceptsTheCommonFormsOfHelpAndVersion) {
    EXPECT_EQ(capstan("--version").out, capstan("version").out);
    EXPECT_EQ(capstan("-V").out, capstan("version").out);
    EXPECT_EQ(capstan("help").out, capstan("--help").out);
    EXPECT_EQ(capstan("help config print").out, capstan("config print --help").out);
    EXPECT_THAT(capstan("plan --help").out, Not(HasSubstr("->")));
}

TEST(CommandLine, PrintsTheVersionsOfHostSdkAndAbi) {
    EXPECT_THAT(capstan("version").out, AllOf(StartsWith("capstan "), HasSubstr("plugin ABI 1.0")));
    EXPECT_THAT(capstan("version -o json").out, HasSubstr(R"("abi":"1.0","json":2)"));
}

TEST(CommandLine, FailsIfTheResultCannotBeWritten) {
    const CommandResult ran = capstan("version >/dev/full");
    EXPECT_EQ(ran.code, 1);
    EXPECT_THAT(ran.err, HasSubstr("cannot write the result to standard output"));
}

TEST(CommandLine, WorksWithClosedStandardDescriptors) {
    EXPECT_EQ(capstan("plugin list <&- >&- 2>&-").code, 0);
}

TEST(ConfigCheck, PrintsAllMistakesWithTheirPositions) {
    const Folder folder;
    const std::string file = folder.write("capstan.toml",
                                          "[cluster]\nname = 7\n"
                                          "[pipeline.scale_up]\nexpanders = [\"rnadom\"]\n"
                                          "[plugin.labels]\nsettings = { preset = \"awz\" }\n");
    const CommandResult ran = capstan("config check --config " + file);
    EXPECT_EQ(ran.code, 2);
    EXPECT_THAT(ran.err,
                AllOf(HasSubstr("capstan.toml:2:8: "), HasSubstr("capstan.toml:4:14: "),
                      HasSubstr("did you mean 'random'?"), HasSubstr("capstan.toml:6:23: ")));
}

TEST(ConfigCheck, PrintsJson) {
    const Folder folder;
    const std::string file = folder.write("capstan.toml", "[cluster]\nname = 7\n");
    const CommandResult ran = capstan("config check -o json --config " + file);
    EXPECT_EQ(ran.code, 2);
    EXPECT_THAT(ran.out, AllOf(HasSubstr(R"("ok":false)"),
                               HasSubstr(R"("severity":"error","line":2,"column":8)")));
    for (const std::string example : {"capstan.toml", "kwok.toml", "zalando.toml"}) {
        EXPECT_THAT(capstan("config check -o json --config examples/" + example).out,
                    HasSubstr(R"("ok":true)"))
            << example;
    }
}

TEST(ConfigCheck, LetsAPluginClassRefuseSettings) {
    const Folder folder;
    const std::string file =
        folder.write("capstan.toml",
                     "[pipeline.scale_up]\nexpanders = [\"priority\"]\n"
                     "[plugin.priority]\nsettings = { priorities = { \"10\" = [\"a(\"] } }\n");
    const CommandResult ran = capstan("config check --config " + file);
    EXPECT_EQ(ran.code, 2);
    EXPECT_THAT(ran.err, AllOf(HasSubstr("capstan.toml:4:"), HasSubstr("a(")));
}

TEST(ConfigExplain, PrintsDefaultTypeValueAndLine) {
    EXPECT_THAT(capstan("config explain scale_down.unneeded_time").out,
                AllOf(HasSubstr("10m"), HasSubstr("duration")));
    const CommandResult ran =
        capstan("config explain plugin.labels.settings.preset --config examples/capstan.toml");
    EXPECT_THAT(ran.out, AllOf(HasSubstr("set to: \"aws\""), HasSubstr("line "))) << ran.err;
}

TEST(ConfigPrint, PrintsDefaultsThatPassConfigCheck) {
    const Folder folder;
    const CommandResult printed = capstan("config print --defaults --config examples/capstan.toml");
    ASSERT_EQ(printed.code, 0) << printed.err;
    const CommandResult checked =
        capstan("config check --config " + folder.write("printed.toml", printed.out));
    EXPECT_EQ(checked.code, 0) << checked.err;
}

TEST(Pipeline, PrintsTheSameDecisionEachTime) {
    const CommandResult first = capstan("pipeline --config examples/capstan.toml");
    ASSERT_EQ(first.code, 0) << first.err;
    EXPECT_THAT(first.out, HasSubstr("SPLIT"));
    EXPECT_EQ(capstan("pipeline --config examples/capstan.toml").out, first.out);
}

/// A configuration whose instance `vendor` has a class of misbehaving.so. `stage`: the first
/// expanders; `more`: further keys of the instance.
std::string vendor_config(const std::string& plugin_class, const std::string& stage,
                          const std::string& more = {}) {
    return "[trust]\nsearch_paths = [\"" + misbehaving().parent_path().string() +
           "\"]\n[pipeline.scale_up]\nexpanders = [" + stage +
           ", \"least_waste\"]\n[plugin.vendor]\nfile = \"" + misbehaving().string() +
           "\"\nclass = \"" + plugin_class + "\"\n" + more;
}

TEST(ConfigCheck, ReportsInstancesThatCannotBeCreated) {
    const Folder folder;
    const std::string file =
        folder.write("capstan.toml", vendor_config("cannot_be_created", "\"vendor\", \"other\"") +
                                         "[plugin.other]\nfile = \"" + misbehaving().string() +
                                         "\"\nclass = \"crashes_in_create\"\n");
    const CommandResult ran = capstan("config check --config " + file);
    EXPECT_EQ(ran.code, 2);
    EXPECT_THAT(
        ran.err,
        AllOf(HasSubstr("capstan.toml:5:9: plugin vendor: create: there is no model to load"),
              HasSubstr("capstan.toml:8:9: plugin other: create: the child process was killed by "
                        "signal 11"),
              HasSubstr("capstan.toml: 2 errors")));
}

TEST(ConfigCheck, EndsIfCreateDoesNotReturn) {
    const Folder folder;
    const std::string file =
        folder.write("capstan.toml", vendor_config("hangs_in_create", "\"vendor\""));
    const CommandResult ran = capstan("config check --config " + file);
    EXPECT_EQ(ran.code, 2);
    EXPECT_THAT(ran.err,
                HasSubstr("plugin vendor: create: the child process printed nothing for 10s"));
}

TEST(Pipeline, CallsAVendorsPlugin) {
    const Folder folder;
    const std::string file = folder.write("capstan.toml", vendor_config("first", "\"vendor\""));
    const CommandResult ran = capstan("pipeline --config " + file + " --ask -", two_options);
    EXPECT_THAT(ran.out, AllOf(HasSubstr("vendor: keeps 1 of 2: big"),
                               HasSubstr("big is the only option that vendor kept of 2")))
        << ran.err;
}

TEST(Pipeline, KeepsOutputOfPluginsOutOfTheResult) {
    const Folder folder;
    const std::string file = folder.write("capstan.toml", vendor_config("prints", "\"vendor\""));
    const CommandResult ran =
        capstan("pipeline -o json --config " + file + " --ask -", two_options);
    EXPECT_EQ(ran.code, 0) << ran.err;
    EXPECT_THAT(ran.out, AllOf(StartsWith("{"), testing::EndsWith("}\n"), Not(HasSubstr("noise"))));
    EXPECT_THAT(ran.err, HasSubstr("noise"));
}

TEST(Pipeline, SkipsAHangingPlugin) {
    const Folder folder;
    const std::string file = folder.write(
        "capstan.toml",
        vendor_config("hangs", "\"vendor\"", "limits = { call_deadline = \"50ms\" }\n"));
    const CommandResult ran = capstan("pipeline --config " + file + " --ask -", two_options);
    EXPECT_EQ(ran.code, 0) << ran.err;
    EXPECT_THAT(
        ran.out,
        AllOf(HasSubstr("! vendor: filter is skipped: it did not return within its deadline of 50 "
                        "ms; its on_error in pipeline.scale_up.expanders applies"),
              HasSubstr("least_waste: keeps")));
}

TEST(Pipeline, SkipsAStageThatThrowsThroughC) {
    const Folder folder;
    const std::string file = folder.write(
        "capstan.toml", "[trust]\nsearch_paths = [\"" + throwing().parent_path().string() +
                            "\"]\n[pipeline.scale_up]\nexpanders = [\"vendor\", \"least_waste\"]\n"
                            "[plugin.vendor]\nfile = \"" +
                            throwing().string() + "\"\nclass = \"tiny\"\n");
    const CommandResult ran = capstan("pipeline --config " + file + " --ask -", two_options);
    EXPECT_EQ(ran.code, 0) << ran.err;
    EXPECT_THAT(ran.out, AllOf(HasSubstr("plugin vendor: filter threw an exception: through C"),
                               HasSubstr("least_waste: keeps")));
}

TEST(Pipeline, PlansNoScaleUpIfAStageWithOnErrorFailFails) {
    const Folder folder;
    const std::string file = folder.write(
        "capstan.toml", vendor_config("throws", "{ use = \"vendor\", on_error = \"fail\" }"));
    const CommandResult ran = capstan("pipeline --config " + file + " --ask -", two_options);
    EXPECT_THAT(ran.out, AllOf(HasSubstr("lost the scores"), HasSubstr("no scale-up"),
                               Not(HasSubstr("SPLIT"))));
}

TEST(ConfigCheck, RefusesAPluginWithAWrongPin) {
    const Folder folder;
    const std::string file = folder.write(
        "capstan.toml",
        vendor_config("first", "\"vendor\"", "sha256 = \"" + std::string(64, '0') + "\"\n"));
    const CommandResult ran = capstan("config check --config " + file);
    EXPECT_EQ(ran.code, 2);
    EXPECT_THAT(ran.err, AllOf(HasSubstr("capstan.toml:6:"), HasSubstr("sha256"),
                               HasSubstr(std::string(64, '0'))));
}

TEST(ConfigCheck, RefusesAPluginOutsideTheSearchPaths) {
    const Folder folder;
    const std::string file =
        folder.write("capstan.toml",
                     "[pipeline.scale_up]\nexpanders = [\"vendor\"]\n[plugin.vendor]\n"
                     "file = \"" +
                         misbehaving().string() + "\"\nclass = \"first\"\n");
    const CommandResult ran = capstan("config check --config " + file);
    EXPECT_EQ(ran.code, 2);
    EXPECT_THAT(ran.err, HasSubstr("search"));
}

}  // namespace
}  // namespace capstan::commands
