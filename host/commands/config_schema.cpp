#include <CLI/CLI.hpp>

#include "commands/command_line.hpp"
#include "commands/exit_code.hpp"
#include "commands/json_schema.hpp"
#include "commands/prepared.hpp"
#include "commands/value_text.hpp"

namespace capstan::commands {
namespace {

int print_schema(const std::string& file, Streams streams) {
    const auto prepared = file.empty() ? prepare_defaults() : prepare(file);
    streams.err << prepared->loaded.diagnostics.text();
    if (!prepared->loaded.config) return exit_usage;
    streams.out << json_indented(configuration_schema(prepared->plugins)) << '\n';
    return exit_ok;
}

}  // namespace

void add_config_schema(CLI::App& parent, Action& action) {
    CLI::App& command = *parent.add_subcommand(
        "schema", "Print a JSON Schema of the configuration, for editors that complete TOML");
    auto file = std::make_shared<std::string>();
    command
        .add_option("-c,--config", *file,
                    "Also the settings of the plugins that this configuration names")
        ->type_name("FILE");
    command.callback([&action, file] {
        action = [file](Streams streams) { return print_schema(*file, streams); };
    });
}

}  // namespace capstan::commands
