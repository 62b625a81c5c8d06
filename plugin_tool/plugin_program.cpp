#include "plugin_tool/plugin_program.hpp"

#include <CLI/CLI.hpp>

namespace capstan::plugin_tool {

commands::Program plugin_program() {
    return {.add_commands = add_commands, .command = commands::plugin_command.name};
}

void add_commands(CLI::App& app, commands::Action& action) {
    CLI::App& plugin =
        *app.add_subcommand(commands::plugin_command.name, commands::plugin_command.description);
    plugin.require_subcommand(1);
    add_plugin_list(plugin, action);
    add_plugin_inspect(plugin, action);
    add_plugin_verify(plugin, action);
    add_plugin_call(plugin, action);
    add_plugin_new(plugin, action);
}

}  // namespace capstan::plugin_tool
