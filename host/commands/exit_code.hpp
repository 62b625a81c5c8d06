#pragma once

namespace capstan::commands {

/// What the command line promises to scripts.
enum ExitCode : int {
    exit_ok = 0,
    exit_failed = 1,
    exit_usage = 2,      ///< usage or configuration
    exit_would_act = 3,  ///< of `plan`: there is something to do
};

}  // namespace capstan::commands
