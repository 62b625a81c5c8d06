#include <CLI/CLI.hpp>

#include "commands/command_line.hpp"
#include "commands/exit_code.hpp"
#include "commands/plugin_settings.hpp"
#include "commands/prepared.hpp"

namespace capstan::commands {
namespace {

int print_configuration(const std::string& file, bool defaults, Streams streams) {
    const auto prepared = file.empty() ? prepare_defaults() : prepare(file);
    streams.err << prepared->loaded.diagnostics.text();
    if (!prepared->is_sound()) return exit_usage;
    const PluginSettingsTable settings(prepared->plugins);
    streams.out << runtime::print_config(
        prepared->config(),
        defaults || file.empty() ? runtime::PrintDefaults::yes : runtime::PrintDefaults::no,
        settings.lookup());
    return exit_ok;
}

}  // namespace

void add_config_print(CLI::App& parent, Action& action) {
    CLI::App& command =
        *parent.add_subcommand("print", "Print a configuration as it is understood");
    auto file = std::make_shared<std::string>();
    command
        .add_option("-c,--config", *file,
                    "The configuration; without it, what counts where nothing is configured")
        ->type_name("FILE");
    auto defaults = std::make_shared<bool>(false);
    command.add_flag("--defaults", *defaults,
                     "Every key there is, with its documentation; so it is without --config");
    command.callback([&action, file, defaults] {
        action = [file, defaults](Streams streams) {
            return print_configuration(*file, *defaults, streams);
        };
    });
}

}  // namespace capstan::commands
