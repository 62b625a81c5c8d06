// `capstan plugin` runs the program capstan-plugin of the same folder.
#include <gmock/gmock.h>

#include "shell.hpp"

namespace capstan::commands {
namespace {

namespace fs = std::filesystem;
using testing::AllOf;
using testing::HasSubstr;
using testing::StartsWith;

CommandResult capstan_plugin(const std::string& arguments) {
    return run_command(build_tree() / "bin/capstan-plugin", arguments);
}

TEST(ExternalCommand, BehavesLikeItsProgram) {
    for (const std::string arguments :
         {"", "list", "list -o json", "--help", "--help-all", "verify --help", "lst", "list --frm",
          "inspect nothing.so", "verify --settings nothing.toml nothing.so"}) {
        const CommandResult typed = capstan("plugin " + arguments);
        const CommandResult direct = capstan_plugin(arguments);
        EXPECT_EQ(typed.code, direct.code) << arguments;
        EXPECT_EQ(typed.out, direct.out) << arguments;
        EXPECT_EQ(typed.err, direct.err) << arguments;
    }
}

TEST(ExternalCommand, IsNamedAsACommandOfCapstan) {
    EXPECT_THAT(capstan_plugin("verify --help").out, HasSubstr("Usage: capstan plugin verify "));
    EXPECT_EQ(capstan_plugin("").code, 2);
    EXPECT_THAT(capstan_plugin("").err,
                StartsWith("capstan plugin: missing command: list, inspect"));
    EXPECT_THAT(capstan("plugin verfy x.so").err,
                StartsWith("capstan plugin: unknown command 'verfy'; did you mean 'verify'?"));
    EXPECT_THAT(capstan("plugn list").err, HasSubstr("did you mean 'plugin'?"));
}

TEST(ExternalCommand, AcceptsHelpAndColorInAnyPosition) {
    const std::string help = capstan("plugin verify --help").out;
    EXPECT_EQ(capstan("help plugin verify").out, help);
    EXPECT_EQ(capstan("--help plugin verify").out, help);
    EXPECT_EQ(capstan_plugin("help verify").out, help);
    EXPECT_EQ(capstan("help plugin").out, capstan("plugin --help").out);
    for (const std::string line : {"--color=always plugin lst", "--color always plugin lst",
                                   "plugin --color=always lst", "plugin lst --color=always"})
        EXPECT_THAT(capstan(line).err, StartsWith("\x1b[31mcapstan plugin\x1b[0m: ")) << line;
    EXPECT_EQ(capstan_plugin("--version").out, capstan("--version").out);
}

TEST(ExternalCommand, IsListedInTheHelp) {
    EXPECT_THAT(
        capstan("--help").out,
        HasSubstr(
            "\n  plugin                      List, inspect, verify, call and create plugins\n"));
    EXPECT_THAT(capstan("--help-all").out,
                AllOf(HasSubstr("--chaos"), HasSubstr("Usage: capstan plugin "),
                      HasSubstr("--http RECORDING")));
}

TEST(ExternalCommand, NamesTheMissingProgram) {
    const Folder folder;
    const fs::path alone = folder.path() / "capstan",
                   plugin_program = folder.path() / "capstan-plugin";
    fs::copy_file(build_tree() / "bin/capstan", alone);
    const std::string missing = "plugin: " + plugin_program.string() +
                                " does not exist; build it with `./dev build`, or install ";
    const CommandResult ran = run_command(alone, "plugin list");
    EXPECT_EQ(ran.code, 1);
    EXPECT_EQ(ran.out, "");
    EXPECT_THAT(ran.err, StartsWith("capstan: " + missing));
    const CommandResult help = run_command(alone, "--help-all");
    EXPECT_EQ(help.code, 0);
    EXPECT_THAT(help.out, AllOf(HasSubstr("--chaos"), HasSubstr(missing)));

    fs::create_directory(plugin_program);
    EXPECT_EQ(
        run_command(alone, "plugin list").err,
        "capstan: plugin: " + plugin_program.string() + " cannot be executed: Permission denied\n");
}

}  // namespace
}  // namespace capstan::commands
