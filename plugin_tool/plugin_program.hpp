/// The program `capstan-plugin`, which has the commands of `capstan plugin`.
#pragma once

#include "commands/command_line.hpp"

namespace capstan::plugin_tool {

commands::Program plugin_program();

/// Adds `plugin` and its commands below `app`.
void add_commands(CLI::App& app, commands::Action& action);

// Each function adds its command below `parent`. If the line names that command, parsing stores the
// work to do in `action`.
void add_plugin_call(CLI::App& parent, commands::Action& action);
void add_plugin_inspect(CLI::App& parent, commands::Action& action);
void add_plugin_list(CLI::App& parent, commands::Action& action);
void add_plugin_new(CLI::App& parent, commands::Action& action);
void add_plugin_verify(CLI::App& parent, commands::Action& action);

}  // namespace capstan::plugin_tool
