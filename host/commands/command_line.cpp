#include "commands/command_line.hpp"

#include <exception>
#include <vector>

#include <CLI/CLI.hpp>

#include "commands/exit_code.hpp"
#include "commands/usage_error.hpp"
#include "commands/write_dump.hpp"
#include "io/known_secrets.hpp"

namespace capstan::commands {
namespace {

void add_commands(CLI::App& app, Action& action) {
    add_run(app, action);
    add_plan(app, action);
    add_doctor(app, action);
    add_simulate(app, action);
    add_cluster(app, action);
    add_dump(app, action);
    add_explain(app, action);
    add_replay(app, action);
    add_pipeline(app, action);
    add_crd(app, action);

    CLI::App& config = *app.add_subcommand("config", "Check, print and explain the configuration");
    config.require_subcommand(1);
    add_config_check(config, action);
    add_config_print(config, action);
    add_config_explain(config, action);

    CLI::App& plugin =
        *app.add_subcommand("plugin", "List, inspect, verify, call and start plugins");
    plugin.require_subcommand(1);
    add_plugin_list(plugin, action);
    add_plugin_inspect(plugin, action);
    add_plugin_verify(plugin, action);
    add_plugin_call(plugin, action);
    add_plugin_new(plugin, action);

    add_version(app, action);
}

/// Stays where it is: its commands leave what to do in `action`.
struct CommandLine {
    CommandLine() {
        app.require_subcommand(1);
        app.set_help_all_flag("--help-all", "Help of every command");
        app.set_version_flag("-V,--version", version_text(), "The same as `capstan version`");
        add_commands(app, action);
    }
    CommandLine(const CommandLine&) = delete;
    CommandLine& operator=(const CommandLine&) = delete;

    CLI::App app{"Capstan, a cluster autoscaler that vendors extend without forking it", "capstan"};
    Action action{};
};

/// `capstan help plan` is `capstan plan --help`.
std::vector<const char*> without_help_command(int argc, const char* const* argv) {
    std::vector<const char*> words(argv, argv + argc);
    if (argc < 2 || std::string_view(argv[1]) != "help") return words;
    words.erase(words.begin() + 1);
    words.push_back("--help");
    return words;
}

/// Prints the help or version that was asked for, or what is wrong; the exit code.
int show(const CLI::App& app, const CLI::ParseError& e, std::ostream& out, std::ostream& err) {
    if (e.get_exit_code() == 0) return app.exit(e, out, err);
    err << io::redacted(usage_message(app, e));
    return exit_usage;
}

}  // namespace

bool parses(int argc, const char* const* argv, std::ostream& err) {
    CommandLine line;
    try {
        line.app.parse(argc, argv);
        return true;
    } catch (const CLI::ParseError& e) {
        show(line.app, e, err, err);
        return false;
    }
}

int refuse(Streams streams, std::string_view why, int code) {
    streams.err << "capstan: " << io::redacted(std::string(why)) << '\n';
    return code;
}

int run(int argc, const char* const* argv, Streams streams) {
    CommandLine line;
    try {
        const std::vector<const char*> words = without_help_command(argc, argv);
        line.app.parse(static_cast<int>(words.size()), words.data());
        return line.action(streams);
    } catch (const CLI::ParseError& e) {
        return show(line.app, e, streams.out, streams.err);
    } catch (const std::exception& e) {
        streams.err << "capstan: " << e.what() << '\n';
        return exit_failed;
    }
}

}  // namespace capstan::commands
