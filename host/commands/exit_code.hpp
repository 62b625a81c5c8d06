#pragma once

namespace capstan::commands {

/// What the command line promises to scripts.
enum ExitCode : int {
    exit_ok = 0,
    exit_failed = 1,
    exit_usage = 2,  ///< usage or configuration
};

}  // namespace capstan::commands
