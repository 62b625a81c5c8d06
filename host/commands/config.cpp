#include <CLI/CLI.hpp>

#include <boost/json.hpp>

#include "autoscaler/config_doubts.hpp"
#include "commands/command_line.hpp"
#include "commands/creation_check.hpp"
#include "commands/json_schema.hpp"
#include "commands/loaded_pipeline.hpp"
#include "commands/option_texts.hpp"
#include "commands/result_output.hpp"
#include "commands/single_plugin.hpp"
#include "commands/value_text.hpp"

namespace capstan::commands {
namespace {

namespace json = boost::json;

std::string count_of(std::size_t n, const std::string& noun) {
    return std::to_string(n) + " " + noun + (n == 1 ? "" : "s");
}

json::array findings_of(const config::Diagnostics& diagnostics) {
    json::array out;
    for (const config::Diagnostic& d : diagnostics.sorted()) {
        out.push_back(
            json::object{{"severity", d.severity == config::Severity::error ? "error" : "warning"},
                         {"line", d.place.line},
                         {"column", d.place.column},
                         {"message", d.message}});
    }
    return out;
}

void print_text(const std::string& file, const LoadedPipeline& prepared, Streams streams) {
    const config::Diagnostics& diagnostics = prepared.loaded.diagnostics;
    streams.err << diagnostics.text();
    if (prepared.is_sound()) {
        streams.out << file << ": ok, " << count_of(prepared.plugins.size(), "plugin")
                    << " loaded\n";
    } else {
        streams.err << file << ": " << count_of(diagnostics.errors(), "error") << '\n';
    }
}

void warn_of_doubts(LoadedPipeline& prepared) {
    if (!prepared.is_sound()) return;
    for (const auto& doubt : autoscaler::find_config_doubts(prepared.config(), prepared.plugins)) {
        const bool says_what_to_do = doubt.found.ends_with('?');
        prepared.loaded.diagnostics.warning(
            doubt.place, says_what_to_do ? doubt.found : doubt.found + "; " + doubt.fix);
    }
}

int check(const std::string& file, OutputFormat format, Streams streams) {
    const auto prepared = load_pipeline(file);
    if (prepared->is_sound())
        check_creation(prepared->config(), prepared->plugins, prepared->loaded.diagnostics);
    warn_of_doubts(*prepared);
    if (format != OutputFormat::text) {
        const json::object out{{"file", file},
                               {"ok", prepared->is_sound()},
                               {"plugins", prepared->plugins.size()},
                               {"findings", findings_of(prepared->loaded.diagnostics)}};
        print_value(streams, format, out);
    } else {
        print_text(file, *prepared, streams);
    }
    return prepared->is_sound() ? exit_ok : exit_usage;
}

}  // namespace

void add_config_check(CLI::App& parent, Action& action) {
    CLI::App& command =
        *parent.add_subcommand("check",
                               "Check a configuration: load its plugins, create each instance "
                               "once, and print all errors and warnings");
    auto file = std::make_shared<std::string>();
    command.add_option("file,-c,--config", *file, config_help)->required()->type_name("FILE");
    auto format = add_output_format(command);
    command.callback([&action, file, format] {
        action = [file, format](Streams streams) { return check(*file, *format, streams); };
    });
}

namespace {

int print_result(const Result<std::string>& explanation, Streams streams) {
    if (!explanation) {
        streams.err << "capstan: " << explanation.error().message << '\n';
        return exit_usage;
    }
    streams.out << *explanation;
    return exit_ok;
}

int explain(const std::string& key, const std::string& file, Streams streams) {
    if (file.empty()) {
        const auto unknown = [](const PluginInstanceId&) -> const config::PluginSettings* {
            return nullptr;
        };
        return print_result(config::explain_key(key, nullptr, unknown), streams);
    }
    const auto prepared = load_pipeline(file);
    streams.err << prepared->loaded.diagnostics.text();
    if (!prepared->loaded.config) return exit_usage;
    const PluginSettingsTable settings(prepared->plugins);
    return print_result(config::explain_key(key, &prepared->config(), settings.lookup()), streams);
}

}  // namespace

void add_config_explain(CLI::App& parent, Action& action) {
    CLI::App& command = *parent.add_subcommand(
        "explain",
        "Print the meaning and default of a key and, with --config, its value and where it is set");
    auto key = std::make_shared<std::string>();
    command
        .add_option("key", *key,
                    "Key, such as scale_down.unneeded_time or plugin.aws.settings.region, or flag "
                    "of Cluster Autoscaler, such as --scale-down-unneeded-time")
        ->required();
    auto file = std::make_shared<std::string>();
    command
        .add_option("-c,--config", *file,
                    "Configuration file (TOML); required for settings of plugins")
        ->type_name("FILE");
    command.callback([&action, key, file] {
        action = [key, file](Streams streams) { return explain(*key, *file, streams); };
    });
}

namespace {

int print_configuration(const std::string& file, bool defaults, Streams streams) {
    const auto prepared = file.empty() ? load_default_pipeline() : load_pipeline(file);
    streams.err << prepared->loaded.diagnostics.text();
    if (!prepared->is_sound()) return exit_usage;
    const PluginSettingsTable settings(prepared->plugins);
    streams.out << config::print_config(
        prepared->config(),
        defaults || file.empty() ? config::PrintDefaults::yes : config::PrintDefaults::no,
        settings.lookup());
    return exit_ok;
}

}  // namespace

void add_config_print(CLI::App& parent, Action& action) {
    CLI::App& command =
        *parent.add_subcommand("print", "Print a configuration as Capstan reads it");
    auto file = std::make_shared<std::string>();
    command
        .add_option("-c,--config", *file,
                    "Configuration file (TOML); without it, the defaults are printed")
        ->type_name("FILE");
    auto defaults = std::make_shared<bool>(false);
    command.add_flag("--defaults", *defaults,
                     "Print every key, with its documentation (always so without --config)");
    command.callback([&action, file, defaults] {
        action = [file, defaults](Streams streams) {
            return print_configuration(*file, *defaults, streams);
        };
    });
}

namespace {

int print_schema(const std::string& file, Streams streams) {
    const auto prepared = file.empty() ? load_default_pipeline() : load_pipeline(file);
    streams.err << prepared->loaded.diagnostics.text();
    if (!prepared->loaded.config) return exit_usage;
    streams.out << json_indented(configuration_schema(prepared->plugins)) << '\n';
    return exit_ok;
}

}  // namespace

void add_config_schema(CLI::App& parent, Action& action) {
    CLI::App& command = *parent.add_subcommand(
        "schema", "Print a JSON Schema of the configuration, for completion in editors");
    auto file = std::make_shared<std::string>();
    command
        .add_option("-c,--config", *file,
                    "Configuration file (TOML); adds the settings of its plugins")
        ->type_name("FILE");
    command.callback([&action, file] {
        action = [file](Streams streams) { return print_schema(*file, streams); };
    });
}

}  // namespace capstan::commands
