#include <CLI/CLI.hpp>

#include "commands/command_line.hpp"
#include "commands/plugin_new.hpp"

namespace capstan::commands {

void add_plugin_new(CLI::App& parent, Action& action) {
    CLI::App& command =
        *parent.add_subcommand("new", "Write a plugin project that builds and tests itself");
    auto plugin = std::make_shared<NewPlugin>();
    auto directory = std::make_shared<std::string>();
    command
        .add_option("name", plugin->name, "Of the plugin and its class: lower case, digits and '_'")
        ->required();
    command.add_option("--kind", plugin->kind, "With the languages of each: " + known_templates())
        ->required()
        ->type_name("KIND");
    command.add_option("--lang", plugin->language, "cpp, c or rust")
        ->default_val("cpp")
        ->type_name("LANG");
    command
        .add_option("--template", plugin->variant,
                    "Where a kind has several: of a cloud in cpp, http (the default) or memory")
        ->type_name("NAME");
    command.add_option("--directory", *directory, "Where the project goes; the name, if not given")
        ->type_name("DIR");
    command.callback([&action, plugin, directory] {
        if (!directory->empty()) plugin->directory = *directory;
        action = [plugin](Streams streams) {
            return plugin_new(*plugin, streams.out, streams.err);
        };
    });
}

}  // namespace capstan::commands
