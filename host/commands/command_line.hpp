/// The command line: programs and their commands, exit codes, and how a line becomes an action.
#pragma once

#include <functional>
#include <istream>
#include <ostream>
#include <span>
#include <string>
#include <string_view>

#include <capstan/result.hpp>

#include "commands/external_command.hpp"
#include "commands/table.hpp"
#include "plugin_runtime/guard/signal_trap.hpp"

namespace CLI {
class App;
}

namespace capstan::commands {

/// Replaces this process by another of our programs, which gets the same arguments, input and
/// output. Called before the input is read or a result is printed. Returns only if the program
/// cannot be executed.
using HandOver = std::function<Error(std::string_view program)>;

/// Results go to `out`, logs and error messages to `err`.
struct Streams {
    std::istream& in;
    std::ostream& out;
    std::ostream& err;
    bool out_is_terminal = false;
    bool err_is_terminal = false;
    ColorChoice color = ColorChoice::automatic;
    const HandOver* hand_over = nullptr;  ///< NULL outside of `run_program`
};

/// Runs the chosen command; called after the whole line has been parsed.
using Action = std::function<int(Streams)>;

/// What the command line of a program takes.
struct Program {
    /// Adds the commands below `app`. The command that the line names stores its work in `action`.
    void (*add_commands)(CLI::App& app, Action& action);
    /// The program's arguments are those of this command of `capstan`: `capstan-plugin list` means
    /// `capstan plugin list`. NULL: those of `capstan` itself.
    const char* command = nullptr;
    /// Commands that other programs of ours run. If there are any, programs of vendors are
    /// commands, too.
    std::span<const ExternalCommand> external_commands{};
};

/// Parses the arguments, runs one command and returns its exit code. Never throws.
int run(int argc, const char* const* argv, Streams streams, const Program& program);

/// If the arguments name an external command, replaces this process by its program, which gets the
/// other arguments as they are. Returns if they name none, or an error if the program cannot be
/// executed. A command of `program` itself is never looked up, and one of our other programs only
/// beside this one. Called before anything is opened.
Result<void> execute_external_command(int argc, const char* const* argv, const Program& program);

/// Whether `run` would accept these arguments. Runs no command and reads no file. Prints to `err`
/// what is wrong with the arguments. Never throws.
bool parses(int argc, const char* const* argv, std::ostream& err, const Program& program);

/// Prints "capstan: " and `why` to `err`; returns `code`.
int refuse(Streams streams, std::string_view why, int code);
/// The same; returns `exit_usage` for `invalid_config` and `invalid_argument`, and `exit_failed`
/// for other errors.
int refuse(Streams streams, const Error& why);

/// "capstan 0.1.0, SDK 0.1.0, plugin ABI 1.0".
std::string version_text();

/// The program `capstan`.
Program capstan_program();

// Each function adds its command below `parent`. If the line names that command, parsing stores the
// work to do in `action`.
void add_config_check(CLI::App& parent, Action& action);
void add_config_explain(CLI::App& parent, Action& action);
void add_config_print(CLI::App& parent, Action& action);
void add_config_schema(CLI::App& parent, Action& action);
void add_doctor(CLI::App& parent, Action& action);
void add_dump(CLI::App& parent, Action& action);
void add_explain(CLI::App& parent, Action& action);
void add_pipeline(CLI::App& parent, Action& action);
void add_crd(CLI::App& parent, Action& action);
void add_plan(CLI::App& parent, Action& action);
void add_run(CLI::App& parent, Action& action);
void add_version(CLI::App& parent, Action& action);

}  // namespace capstan::commands

namespace capstan::commands {

/// Exit codes; scripts may rely on them.
enum ExitCode : int {
    exit_ok = 0,
    exit_failed = 1,
    exit_usage = 2,      ///< usage or configuration
    exit_would_act = 3,  ///< `plan`: there is something to do
    exit_repeats = 3,    ///< `simulate`: decisions repeat without progress
    exit_unchecked = 3,  ///< `plugin verify`: no check failed, but some were skipped
    /// `run`: the watchdog stopped the daemon because of a stuck plugin or thread, or of its use of
    /// memory; restart it.
    exit_held_up = plugin_runtime::guard::exit_held_up,
};

}  // namespace capstan::commands

namespace CLI {

// Messages for command lines that cannot be parsed.

class App;
class ParseError;
}  // namespace CLI

namespace capstan::commands {

/// The message for a command line that `app` could not parse: what is wrong, the name that was
/// probably meant, and how to get help. `error` is what the parse threw, and is not a request for
/// help.
std::string usage_message(const CLI::App& app, const CLI::ParseError& error);

}  // namespace capstan::commands
