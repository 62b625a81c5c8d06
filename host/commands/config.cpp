#include <algorithm>
#include <charconv>
#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>

#include <boost/json.hpp>

#include <capstan/sentence.hpp>

#include "autoscaler/config_doubts.hpp"
#include "autoscaler/plugin_host.hpp"
#include "autoscaler/plugin_set.hpp"
#include "commands/child_process.hpp"
#include "commands/loaded_pipeline.hpp"
#include "commands/options.hpp"
#include "commands/result_output.hpp"
#include "commands/single_plugin.hpp"
#include "commands/value_text.hpp"
#include "config/text.hpp"
#include "io/printable.hpp"

namespace capstan::commands {
namespace {

namespace json = boost::json;

// The check that creates each instance once.

constexpr std::chrono::seconds patience{10};
constexpr std::size_t message_max = 4096;

/// The message of a line of the log in JSON. Empty: it is no such line.
std::string message_of(std::string_view line) {
    boost::system::error_code error;
    const boost::json::value parsed = boost::json::parse(line, error);
    const boost::json::object* const object = error ? nullptr : parsed.if_object();
    const boost::json::value* const message =
        object == nullptr ? nullptr : object->if_contains("message");
    const boost::json::string* const text = message == nullptr ? nullptr : message->if_string();
    return text == nullptr ? "" : std::string(*text);
}

/// The setting that a message of the plugin is about: it begins with "settings.region: ". NULL:
/// none.
const config::SettingValue* find_setting(const autoscaler::LoadedPlugin& plugin,
                                         std::string_view message) {
    constexpr std::string_view prefix = "settings.";
    if (!message.starts_with(prefix)) return nullptr;
    message.remove_prefix(prefix.size());
    return plugin.settings.find(message.substr(0, message.find_first_of(".:")));
}

/// Between the index of a plugin and what it logs. An error has a space there.
constexpr char warning_mark = '!';

/// Runs in the child, for the plugins from index `first` on. Each begins a line with its index
/// before its code runs, so that after a crash the last line names the plugin.
int create_all(const config::Config& config, const autoscaler::PluginSet& plugins,
               std::size_t first, const SendLine& send) {
    std::size_t i = first;
    config::Config logging = config;
    logging.log = {
        .level = config::LogLevel::warn, .format = config::LogFormat::json, .per_plugin = {}};
    const auto host = autoscaler::PluginHost::open(
        logging, plugins,
        {.version = CAPSTAN_VERSION,
         .has_cluster = true,
         .is_dry_run = true,
         .log = [&i, &send](std::string_view line) {
             send(std::to_string(i) + warning_mark + io::printable(message_of(line), message_max));
         }});
    if (!host) throw Failure(host.error());
    for (; i < plugins.size(); ++i) {
        send(std::to_string(i));
        const auto created = (*host)->create(plugins[i]);
        if (created) {
            (*host)->stop({*created}, StopReason::shutdown);
        } else {
            send(std::to_string(i) + " " + io::printable(created.error().message, message_max));
        }
    }
    return 0;
}

/// Reads the lines of a child, which the plugins' code can write as well.
class LineReader {
public:
    LineReader(const autoscaler::PluginSet& plugins, config::Diagnostics& diagnostics)
        : plugins_(plugins), diagnostics_(diagnostics) {}

    void read(std::string_view line) {
        std::size_t index = 0;
        const char* const end = line.data() + line.size();
        const auto number = std::from_chars(line.data(), end, index);
        if (number.ec != std::errc() || index >= plugins_.size()) return;
        begun_ = index;
        if (number.ptr == end) return;
        const std::string what(number.ptr + 1, end);
        if (*number.ptr == warning_mark) return warn(index, what);
        refuse(index, what);
    }
    /// The plugin whose code ran last. Absent: no code has run.
    std::optional<std::size_t> begun() const noexcept { return begun_; }
    void refuse(std::size_t index, const std::string& why) {
        diagnostics_.error(plugins_[index].config.place, io::printable(why, message_max));
    }

private:
    void warn(std::size_t index, const std::string& what) {
        const autoscaler::LoadedPlugin& plugin = plugins_[index];
        const config::SettingValue* const setting = find_setting(plugin, what);
        const std::string& id = plugin.config.id.value();
        diagnostics_.warning(
            setting == nullptr ? plugin.config.place : setting->place,
            io::printable(setting == nullptr ? "plugin " + id + ": " + what
                                             : config::join_path("plugin", id) + "." + what,
                          message_max));
    }

    const autoscaler::PluginSet& plugins_;
    config::Diagnostics& diagnostics_;
    std::optional<std::size_t> begun_;
};

/// Creates each instance of `plugins`, does not start it, and destroys it again. A `create` that
/// fails, crashes or does not return within ten seconds is an error at the place of the instance's
/// table. The plugins run in a child process, which has the rights of this one. The caller must
/// have no other thread.
void check_creation(const config::Config& config, const autoscaler::PluginSet& plugins,
                    config::Diagnostics& diagnostics) {
    for (std::size_t first = 0; first < plugins.size();) {
        LineReader lines(plugins, diagnostics);
        const ChildEnd end = run_child(
            [&](const SendLine& send) { return create_all(config, plugins, first, send); },
            {.patience = patience, .deadline = patience * static_cast<int>(plugins.size() + 1)},
            [&](std::string_view line) { lines.read(line); });
        if (end.is_well()) return;
        const std::size_t failed = std::max(lines.begun().value_or(first), first);
        lines.refuse(failed, "plugin " + plugins[failed].config.id.value() +
                                 ": create: the child process " + end.story());
        first = failed + 1;
    }
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
        streams.out << file << ": ok, " << counted(prepared.plugins.size(), "plugin")
                    << " loaded\n";
    } else {
        streams.err << file << ": " << counted(diagnostics.errors(), "error") << '\n';
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

// The JSON Schema.

using config::Field;
using config::Fields;
using config::TomlValue;

json::object table_schema(const Fields& fields);

json::value json_from(const TomlValue& value) {
    switch (value.kind) {
        case TomlValue::Kind::string:
        case TomlValue::Kind::date: return json::value(value.text);
        case TomlValue::Kind::integer: return value.integer;
        case TomlValue::Kind::floating: return value.number;
        case TomlValue::Kind::boolean: return value.boolean;
        case TomlValue::Kind::array: {
            json::array out;
            for (const TomlValue& item : value.children) out.push_back(json_from(item));
            return out;
        }
        case TomlValue::Kind::table: {
            json::object out;
            for (const TomlValue& member : value.children) out[member.key] = json_from(member);
            return out;
        }
    }
    return nullptr;
}

json::value limit_of(double limit, const Field& field) {
    if (field.type == SettingType::integer) return static_cast<std::int64_t>(limit);
    return limit;
}

void add_limits(json::object& out, const Field& field) {
    if (field.min) out["minimum"] = limit_of(*field.min, field);
    if (field.max) out["maximum"] = limit_of(*field.max, field);
}

json::object secret_schema() {
    return {{"type", "object"},
            {"properties", json::object{{"secret", json::object{{"type", "string"}}}}},
            {"required", json::array{"secret"}},
            {"additionalProperties", false}};
}

json::object item_schema(const Field& field) {
    json::object out{{"type", "string"}};
    switch (field.type) {
        case SettingType::boolean: out["type"] = "boolean"; break;
        case SettingType::integer:
            out["type"] = "integer";
            add_limits(out, field);
            break;
        case SettingType::number:
            out["type"] = "number";
            add_limits(out, field);
            break;
        case SettingType::quantity: out["type"] = json::array{"string", "integer"}; break;
        case SettingType::enumeration: out["enum"] = json::value_from(field.allowed); break;
        case SettingType::url: out["format"] = "uri"; break;
        case SettingType::regex: out["format"] = "regex"; break;
        case SettingType::secret: return secret_schema();
        case SettingType::table:
            if (field.opaque) return {{"type", "object"}};
            if (field.shorthand.empty()) return table_schema(field.fields);
            return {{"anyOf", json::array{out, table_schema(field.fields)}}};
        case SettingType::string:
        case SettingType::duration:
        case SettingType::instance: break;
    }
    return out;
}

json::object in_list(json::object item) { return {{"type", "array"}, {"items", std::move(item)}}; }

json::object field_schema(const Field& field) {
    json::object out = item_schema(field);
    if (field.list) out = in_list(std::move(out));
    if (field.map) out = {{"type", "object"}, {"additionalProperties", std::move(out)}};
    const bool is_section = config::is_section(field);
    out["description"] = is_section ? field.doc : field.doc + " (" + describe_type(field) + ")";
    const auto standard = config::parse_toml_value(field.default_toml);
    if (!is_section && !field.default_toml.empty() && standard)
        out["default"] = json_from(*standard);
    if (field.deprecated) out["deprecated"] = true;
    return out;
}

json::object table_schema(const Fields& fields) {
    json::object properties;
    json::array required;
    for (const Field& field : fields) {
        properties[field.key] = field_schema(field);
        if (field.required) required.emplace_back(field.key);
    }
    json::object out{
        {"type", "object"}, {"properties", std::move(properties)}, {"additionalProperties", false}};
    if (!required.empty()) out["required"] = std::move(required);
    return out;
}

/// The schema of [plugin.ID], with the settings of the instance's class.
json::object instance_schema(const Field& plugin, const Fields& settings) {
    Field out = plugin;
    out.map = false;
    const auto at = std::ranges::find(out.fields, "settings", &Field::key);
    if (at != out.fields.end()) {
        at->opaque = false;
        at->fields = settings;
    }
    return field_schema(out);
}

/// Made from the tables of keys that the configuration is parsed with. Settings of an instance in
/// `plugins` follow the schema of its class; settings of other instances may be any table.
json::object configuration_schema(const autoscaler::PluginSet& plugins) {
    json::object out{{"$schema", "http://json-schema.org/draft-07/schema#"},
                     {"title", "Capstan configuration"}};
    for (auto& member : table_schema(config::config_schema()))
        out[member.key()] = std::move(member.value());
    const auto plugin = std::ranges::find(config::config_schema(), "plugin", &Field::key);
    if (plugin == config::config_schema().end()) return out;
    json::object instances;
    for (const autoscaler::LoadedPlugin& each : plugins)
        instances[each.config.id.value()] = instance_schema(*plugin, each.fields);
    out["properties"].at("plugin").as_object()["properties"] = std::move(instances);
    return out;
}

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
