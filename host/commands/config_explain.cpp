#include <CLI/CLI.hpp>

#include "commands/command_line.hpp"
#include "commands/exit_code.hpp"
#include "commands/plugin_settings.hpp"
#include "commands/prepared.hpp"

namespace capstan::commands {
namespace {

int tell(const Result<std::string>& explanation, Streams streams) {
    if (!explanation) {
        streams.err << "capstan: " << explanation.error().message << '\n';
        return exit_usage;
    }
    streams.out << *explanation;
    return exit_ok;
}

int explain(const std::string& key, const std::string& file, Streams streams) {
    if (file.empty()) {
        const auto unknown = [](const PluginInstanceId&) -> const runtime::PluginSettings* {
            return nullptr;
        };
        return tell(runtime::explain_key(key, nullptr, unknown), streams);
    }
    const auto prepared = prepare(file);
    streams.err << prepared->loaded.diagnostics.text();
    if (!prepared->loaded.config) return exit_usage;
    const PluginSettingsTable settings(prepared->plugins);
    return tell(runtime::explain_key(key, &prepared->config(), settings.lookup()), streams);
}

}  // namespace

void add_config_explain(CLI::App& parent, Action& action) {
    CLI::App& command = *parent.add_subcommand("explain",
                                               "Tell what a key means, what it is by default and, "
                                               "with --config, what it is set to and where");
    auto key = std::make_shared<std::string>();
    command
        .add_option("key", *key, "Such as scale_down.unneeded_time or plugin.aws.settings.region")
        ->required();
    auto file = std::make_shared<std::string>();
    command
        .add_option("-c,--config", *file,
                    "The configuration to look in; needed for settings of a plugin")
        ->type_name("FILE");
    command.callback([&action, key, file] {
        action = [key, file](Streams streams) { return explain(*key, *file, streams); };
    });
}

}  // namespace capstan::commands
