#include <boost/json.hpp>

#include "autoscaler/config_doubts.hpp"
#include "commands/creation_check.hpp"
#include "commands/json_schema.hpp"
#include "commands/loaded_pipeline.hpp"
#include "commands/options.hpp"
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

struct CheckArguments {
    std::string file;
    OutputFormat format{};
};

int check(const CheckArguments& arguments, Streams streams) {
    const auto& [file, format] = arguments;
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
    const auto [command, arguments] =
        add_command(parent, action, "check",
                    "Check a configuration: load its plugins, create each instance "
                    "once, and print all errors and warnings",
                    check);
    add_option(command, "file,-c,--config", arguments.file, "FILE", config_help)->required();
    add_output_format(command, arguments.format);
}

namespace {

int print_result(const Result<std::string>& explanation, Streams streams) {
    if (!explanation) return refuse(streams, explanation.error().message, exit_usage);
    streams.out << *explanation;
    return exit_ok;
}

struct ExplainKeyArguments {
    std::string key, file;
};

int explain_config_key(const ExplainKeyArguments& arguments, Streams streams) {
    const auto& [key, file] = arguments;
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
    const auto [command, arguments] = add_command(
        parent, action, "explain",
        "Print the meaning and default of a key and, with --config, its value and where it is set",
        explain_config_key);
    command
        .add_option("key", arguments.key,
                    "Key, such as scale_down.unneeded_time or plugin.aws.settings.region, or flag "
                    "of Cluster Autoscaler, such as --scale-down-unneeded-time")
        ->required();
    add_option(command, "-c,--config", arguments.file, "FILE",
               "Configuration file (TOML); required for settings of plugins");
}

namespace {

struct PrintArguments {
    std::string file;
    bool defaults = false;
};

int print_configuration(const PrintArguments& arguments, Streams streams) {
    const auto& [file, defaults] = arguments;
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
    const auto [command, arguments] = add_command(
        parent, action, "print", "Print a configuration as Capstan reads it", print_configuration);
    add_option(command, "-c,--config", arguments.file, "FILE",
               "Configuration file (TOML); without it, the defaults are printed");
    command.add_flag("--defaults", arguments.defaults,
                     "Print every key, with its documentation (always so without --config)");
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
    const auto [command, file] = add_command(
        parent, action, "schema",
        "Print a JSON Schema of the configuration, for completion in editors", print_schema);
    add_option(command, "-c,--config", file, "FILE",
               "Configuration file (TOML); adds the settings of its plugins");
}

}  // namespace capstan::commands
