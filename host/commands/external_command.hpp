/// Commands that are programs of their own: `capstan NAME` runs `capstan-NAME`, as git and kubectl
/// do. The program is in the same folder as `capstan`.
#pragma once

#include <string>
#include <vector>

#include <capstan/result.hpp>

namespace CLI {
class App;
}

namespace capstan::commands {

struct ExternalCommand {
    const char* name;         ///< "plugin", of the program capstan-plugin
    const char* description;  ///< for the help of the program that runs it
};

inline constexpr ExternalCommand plugin_command{"plugin",
                                                "List, inspect, verify, call and create plugins"};

/// Adds the command, so that the help of `app` lists it. Any arguments of it are accepted.
void add_external_command(CLI::App& app, const ExternalCommand& command);

/// Replaces this process by the command's program. `arguments` are without the program's name.
/// Returns only if the program cannot be executed; the error says which file was tried.
Error execute(const ExternalCommand& command, std::vector<const char*> arguments);

/// What the command's program prints for --help-all. The error is that of `execute`, or says how
/// the program ended.
Result<std::string> help_of_all_commands(const ExternalCommand& command);

}  // namespace capstan::commands
