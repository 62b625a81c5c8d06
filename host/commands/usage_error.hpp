
#pragma once

#include <string>

#include "runtime/guard/exit_held_up.hpp"

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
