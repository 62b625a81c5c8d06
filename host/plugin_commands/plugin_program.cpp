#include "plugin_commands/plugin_program.hpp"

#include <CLI/CLI.hpp>

namespace capstan::plugin_commands {

void add_commands(CLI::App& app, commands::Action& action) {
    CLI::App& plugin =
        *app.add_subcommand("plugin", "List, inspect, verify, call and start plugins");
    plugin.require_subcommand(1);
    add_plugin_list(plugin, action);
    add_plugin_inspect(plugin, action);
    add_plugin_verify(plugin, action);
    add_plugin_call(plugin, action);
    add_plugin_new(plugin, action);
}

}  // namespace capstan::plugin_commands
