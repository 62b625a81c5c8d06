// `capstan plugin` runs the program capstan-plugin of the same folder; other programs are vendors'.
#include <gmock/gmock.h>

#include "shell.hpp"

namespace capstan::commands {
namespace {

namespace fs = std::filesystem;
using testing::AllOf;
using testing::HasSubstr;
using testing::Not;
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
            "\nCommands of " + (build_tree() / "bin/capstan-plugin").string() +
            ":\n  plugin                      List, inspect, verify, call and create plugins\n"));
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
    EXPECT_THAT(help.out, AllOf(HasSubstr("--dry-run"), HasSubstr(missing)));
    EXPECT_THAT(run_command(alone, "--help").out,
                HasSubstr("\nCommands of capstan-plugin, which is not installed:\n  plugin "));

    fs::create_directory(plugin_program);
    EXPECT_EQ(
        run_command(alone, "plugin list").err,
        "capstan: plugin: " + plugin_program.string() + " cannot be executed: Permission denied\n");
}

TEST(ExternalCommand, SimulatesInAnotherProgram) {
    const Folder folder;
    fs::copy_file(build_tree() / "bin/capstan", folder.path() / "capstan");
    const std::string missing =
        (folder.path() / "capstan-simulator").string() + " does not exist; build it with ";
    const std::string explain = "explain pod web-1 --scenario nothing.toml";
    for (const std::string line : {"simulate nothing.toml", "cluster nothing.toml",
                                   "replay nothing.json", explain.c_str()}) {
        const CommandResult ran = run_command(folder.path() / "capstan", line);
        EXPECT_EQ(ran.code, 1) << line;
        EXPECT_EQ(ran.out, "") << line;
        EXPECT_THAT(ran.err,
                    StartsWith("capstan: " + line.substr(0, line.find(' ')) + ": " + missing));
    }
    const CommandResult direct = run_command(build_tree() / "bin/capstan-simulator", explain);
    EXPECT_EQ(capstan(explain).err, direct.err);
    EXPECT_EQ(capstan(explain).code, direct.code);
    EXPECT_THAT(capstan("explain --help").out, HasSubstr("Usage: capstan explain "));
    EXPECT_THAT(run_command(build_tree() / "bin/capstan-simulator", "").err,
                StartsWith("capstan: missing command: simulate, cluster, replay\n"));
}

/// A copy of `capstan` without our other programs, and a folder that is on PATH.
class VendorProgram : public testing::Test {
protected:
    VendorProgram() { fs::copy_file(build_tree() / "bin/capstan", capstan_alone()); }

    fs::path capstan_alone() const { return here.path() / "capstan"; }
    /// Prints its name, its arguments and its input.
    static fs::path add(const Folder& folder, const std::string& file) {
        const fs::path path =
            folder.write(file, "#!/bin/sh\nprintf '[%s]' \"${0##*/}\" \"$@\"\ncat\nexit 7\n");
        fs::permissions(path, fs::perms::owner_all);
        return path;
    }
    CommandResult run_alone(const std::string& arguments, const std::string& input = {}) const {
        return run_command("/usr/bin/env", environment() + arguments, input);
    }
    /// What a person sees.
    std::string run_on_terminal(const std::string& arguments) const {
        const CommandResult ran = run_command(
            "/usr/bin/script", "-qec \"/usr/bin/env " + environment() + arguments + "\" /dev/null");
        return ran.out;
    }

    const Folder here, on_path;

private:
    std::string environment() const {
        return "PATH=" + quoted_path(on_path.path().string() + ":/usr/bin:/bin") + " " +
               quoted_path(capstan_alone()) + " ";
    }
};

TEST_F(VendorProgram, GetsArgumentsInputAndExitCode) {
    add(here, "capstan-acme_2");
    const CommandResult ran = run_alone("acme_2 'a b' --color=always -x '' help", "asked");
    EXPECT_EQ(ran.out, "[capstan-acme_2][a b][--color=always][-x][][help]asked");
    EXPECT_EQ(ran.err, "");
    EXPECT_EQ(ran.code, 7);
    EXPECT_EQ(run_alone("help acme_2 list").out, "[capstan-acme_2][list][--help]");
    EXPECT_EQ(run_alone("--color=always acme_2 list").out,
              "[capstan-acme_2][--color=always][list]");
}

TEST_F(VendorProgram, IsNeverACommandOfCapstan) {
    for (const char* program : {"capstan-version", "capstan-plugin", "capstan-config"})
        add(on_path, program);
    add(here, "capstan-version");
    EXPECT_THAT(run_alone("version -o json").out, StartsWith("{\"version\":"));
    EXPECT_THAT(run_on_terminal("version -o json"), HasSubstr("\"version\":"));
    EXPECT_THAT(run_alone("config").err, StartsWith("capstan config: missing command"));
    EXPECT_THAT(run_alone("plugin list").err,
                HasSubstr((here.path() / "capstan-plugin").string() + " does not exist"));
    EXPECT_THAT(run_on_terminal("plugin list"),
                HasSubstr((here.path() / "capstan-plugin").string() + " does not exist"));
    EXPECT_THAT(run_on_terminal("--help"), Not(HasSubstr("Other programs")));
}

TEST_F(VendorProgram, IsRunFromPathOnlyOnATerminal) {
    const fs::path program = add(on_path, "capstan-acme");
    const CommandResult ran = run_alone("acme list");
    EXPECT_EQ(ran.out, "");
    EXPECT_EQ(ran.err, "capstan: acme: PATH is searched only for a person at a terminal; run " +
                           program.string() + " itself\n");
    EXPECT_EQ(ran.code, 1);
    EXPECT_THAT(run_alone("--help").out, Not(HasSubstr("acme")));
    EXPECT_THAT(run_on_terminal("acme list </dev/null"), Not(HasSubstr("[capstan-acme]")));
    EXPECT_THAT(run_on_terminal("--help"),
                HasSubstr("\nOther programs:\r\n  acme                        " + program.string() +
                          "\r\n"));
    EXPECT_THAT(run_on_terminal("acme list"), HasSubstr("[capstan-acme][list]"));
}

TEST_F(VendorProgram, BesideCapstanComesFirst) {
    const fs::path program = add(here, "capstan-acme");
    add(on_path, "capstan-acme");
    EXPECT_THAT(
        run_alone("--help").out,
        HasSubstr("\nOther programs:\n  acme                        " + program.string() + "\n"));
    EXPECT_THAT(run_on_terminal("--help"), HasSubstr(program.string()));
    EXPECT_EQ(run_alone("acme").code, 7);
}

TEST_F(VendorProgram, HasAPlainNameAndIsExecutable) {
    fs::create_directory(here.path() / "capstan-folder");
    here.write("capstan-text", "no program");
    add(here, "capstan-plugin.debug");
    add(here, "capstan-Acme");
    add(here, "acme");
    for (const std::string name :
         {"folder", "text", "plugin.debug", "Acme", "../acme", "/acme", "_acme", "ac/me"})
        EXPECT_THAT(run_alone(name).err, StartsWith("capstan: unknown command '" + name + "'"));
    EXPECT_THAT(run_alone("--help").out, Not(HasSubstr("Other programs")));
}

TEST_F(VendorProgram, IsNotLookedForInRelativeFoldersOfPath) {
    add(on_path, "capstan-acme");
    for (const std::string path : {".", "", "nothing:", ":."})
        EXPECT_THAT(
            run_command("/usr/bin/env", "-C " + quoted_path(on_path.path()) + " PATH='" + path +
                                            "' " + quoted_path(capstan_alone()) + " acme")
                .err,
            StartsWith("capstan: unknown command 'acme'"))
            << path;
}

}  // namespace
}  // namespace capstan::commands
