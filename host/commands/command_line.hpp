/// The command line: one short file per command, all of them listed here.
#pragma once

#include <functional>
#include <istream>
#include <ostream>
#include <string>
#include <string_view>

#include "commands/table.hpp"
#include "runtime/guard/signal_trap.hpp"

namespace CLI {
class App;
}

namespace capstan::commands {

/// Results go to `out`, logs and complaints to `err`.
struct Streams {
    std::istream& in;
    std::ostream& out;
    std::ostream& err;
    bool out_is_terminal = false;
    bool err_is_terminal = false;
    ColorChoice color = ColorChoice::automatic;
};

/// Parses, runs one command and answers its exit code. Never throws.
int run(int argc, const char* const* argv, Streams streams);

/// Whether these are arguments that `run` takes; nothing is carried out, and no file is looked at.
/// What is wrong with them goes to `err`. Never throws.
bool parses(int argc, const char* const* argv, std::ostream& err);

/// Says on `err` why the command ends, "capstan: " in front, and answers its exit code.
int refuse(Streams streams, std::string_view why, int code);

/// "capstan 0.1.0, SDK 0.1.0, plugin ABI 1.0".
std::string version_text();

/// What the chosen command will do once the whole line has been parsed.
using Action = std::function<int(Streams)>;

// Each adds its command below `parent` and, when it is chosen, leaves what to do in `action`.
void add_cluster(CLI::App& parent, Action& action);
void add_config_check(CLI::App& parent, Action& action);
void add_config_explain(CLI::App& parent, Action& action);
void add_config_print(CLI::App& parent, Action& action);
void add_config_schema(CLI::App& parent, Action& action);
void add_doctor(CLI::App& parent, Action& action);
void add_explain(CLI::App& parent, Action& action);
void add_pipeline(CLI::App& parent, Action& action);
void add_crd(CLI::App& parent, Action& action);
void add_plan(CLI::App& parent, Action& action);
void add_plugin_call(CLI::App& parent, Action& action);
void add_plugin_inspect(CLI::App& parent, Action& action);
void add_plugin_list(CLI::App& parent, Action& action);
void add_plugin_new(CLI::App& parent, Action& action);
void add_plugin_verify(CLI::App& parent, Action& action);
void add_replay(CLI::App& parent, Action& action);
void add_run(CLI::App& parent, Action& action);
void add_simulate(CLI::App& parent, Action& action);
void add_version(CLI::App& parent, Action& action);

}  // namespace capstan::commands

namespace capstan::commands {

/// What the command line promises to scripts.
enum ExitCode : int {
    exit_ok = 0,
    exit_failed = 1,
    exit_usage = 2,      ///< usage or configuration
    exit_would_act = 3,  ///< of `plan`: there is something to do
    exit_unchecked = 3,  ///< of `plugin verify`: nothing failed, and some was not looked at
    /// Of `run`: it ended itself because something held it up, and is to be started anew.
    exit_held_up = runtime::guard::exit_held_up,
};

}  // namespace capstan::commands

namespace CLI {

// What is wrong with a command line.

class App;
class ParseError;
}  // namespace CLI

namespace capstan::commands {

/// A sentence for a line that `app` did not parse, the name that was probably meant, and where the
/// help is. `error` is what the parse threw, and is not a request for help.
std::string usage_message(const CLI::App& app, const CLI::ParseError& error);

}  // namespace capstan::commands
