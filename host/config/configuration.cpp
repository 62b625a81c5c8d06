#include "config/configuration.hpp"

#include <algorithm>
#include <array>
#include <system_error>

#include <capstan/ascii.hpp>

#include "config/balancing.hpp"
#include "config/overrides.hpp"
#include "config/references.hpp"
#include "config/text.hpp"
#include "config/upstream_flags.hpp"
#include "plugin_runtime/plugin_files/plugin_file.hpp"

namespace capstan::config {
namespace {

/// The whole file as a struct, so that its schema is made like that of each section.
struct Sections {
    Config config;
    std::map<std::string, PluginTable> plugin;
};
void describe(auto&& key, Sections& s) {
    key("cluster", s.config.cluster, "The cluster to scale.");
    key("pipeline", s.config.pipeline, "Which plugins are used, where, and in which order.");
    key("plugin", s.plugin,
        "Plugin instances by name. A shipped plugin that the pipeline names needs no table.");
    key("scale_up", s.config.scale_up, "When and how nodes are added.");
    key("scale_down", s.config.scale_down, "When and how nodes are removed.");
    key("limits", s.config.limits, "Minimum and maximum size of the cluster.");
    key("log", s.config.log, "Logging, to standard error.");
    key("admin", s.config.admin, "Metrics, health and status over HTTP.");
    key("trust", s.config.trust, "Which plugin files may be loaded.");
    key("secrets", s.config.secrets, "Location of the secrets.");
    key("watchdog", s.config.watchdog, "Reaction to calls and threads that do not return.");
    key("reload", s.config.reload, "Reloading of this file.");
    key("simulate", s.config.simulate,
        "Node groups in simulations of a cluster dump; ignored by run.");
}

Fields make_schema() {
    Fields fields = fields_of(Sections{});
    Field& plugin = *std::ranges::find(fields, "plugin", &Field::key);
    plugin.fields.push_back(
        {.key = "settings",
         .type = SettingType::table,
         .doc = "The plugin's own settings; `capstan plugin inspect --run FILE.so` lists them.",
         .opaque = true});
    return fields;
}

/// The section where a key that is unknown in `path` is valid.
std::string hint(std::string_view path, std::string_view key) {
    if (path.starts_with("plugin.") && path.find('.', 7) == std::string_view::npos) {
        const bool close =
            !find_similar(key, {"file", "class", "sha256", "grants", "tls", "limits", "settings"})
                 .empty();
        return close ? "" : "; settings of the plugin belong in " + std::string(path) + ".settings";
    }
    if (path != "scale_up" && path != "scale_down" && path != "limits")
        return upstream_flag_hint(key);
    for (const Field& section : config_schema()) {
        const bool here = section.map || section.key == path;
        if (!here && std::ranges::count(section.fields, key, &Field::key) > 0) {
            return "; it belongs in [" + section.key + "]";
        }
    }
    std::string flag = upstream_flag_hint(key);
    if (!flag.empty() || path == "limits") return flag;
    const auto section = std::ranges::find(config_schema(), path, &Field::key);
    const bool is_close = !find_similar(key, keys_of(section->fields)).empty();
    return is_close ? "" : "; `capstan config explain " + std::string(path) + "` lists its keys";
}

constexpr std::size_t plugins_max = 1000;

/// An instance from its [plugin.ID] table; `written` is the table in the file.
PluginConfig make_plugin(const SettingValue& table, const TomlValue& written) {
    PluginTable read = read_section<PluginTable>(table);
    PluginConfig out{.id = PluginInstanceId(table.key),
                     .file = read.file.value_or(""),
                     .class_name = read.class_name.value_or(""),
                     .sha256 = std::move(read.sha256),
                     .grants = std::move(read.grants),
                     .tls = std::move(read.tls),
                     .limits = read.limits,
                     .settings = {.place = written.place},
                     .place = table.key_place,
                     .file_place = table.key_place};
    if (const SettingValue* file = table.find("file")) out.file_place = file->place;
    if (const TomlValue* settings = written.find("settings")) out.settings = *settings;
    return out;
}

std::vector<PluginConfig> declared_plugins(const SettingValue& tree, const TomlValue& root) {
    std::vector<PluginConfig> out;
    const SettingValue* tables = tree.find("plugin");
    const TomlValue* written = root.find("plugin");
    if (tables == nullptr || written == nullptr) return out;
    for (const SettingValue& table : tables->children)
        out.push_back(make_plugin(table, *written->find(table.key)));
    return out;
}

Config make_config(SettingValue tree, const TomlValue& root) {
    Sections sections = read_section<Sections>(tree);
    Config config = std::move(sections.config);
    config.plugins = declared_plugins(tree, root);
    config.tree = std::move(tree);
    return config;
}

}  // namespace

const Fields& config_schema() {
    static const Fields fields = make_schema();
    return fields;
}

const PluginConfig* Config::find_plugin(std::string_view id) const {
    const auto it = std::ranges::find(
        plugins, id, [](const PluginConfig& p) { return std::string_view(p.id.value()); });
    return it == plugins.end() ? nullptr : &*it;
}

std::string settings_path(const PluginConfig& plugin) {
    return join_path("plugin", plugin.id.value()) + ".settings";
}

Loaded load_config(const std::filesystem::path& file, const ShippedPlugins& shipped,
                   std::span<const std::string> overrides) {
    Result<Source> source = read_source(file);
    if (source) return load_config(std::move(*source), shipped, overrides);
    Loaded failed{std::nullopt, Diagnostics({file.string(), ""})};
    failed.diagnostics.error({}, source.error().message);
    return failed;
}

Loaded load_config(Source source, const ShippedPlugins& shipped,
                   std::span<const std::string> overrides) {
    Loaded out{std::nullopt, Diagnostics(std::move(source))};
    std::optional<TomlValue> root = parse_toml(out.diagnostics);
    if (!root) return out;
    override_values(*root, overrides, out.diagnostics);
    if (out.diagnostics.errors() > 0) return out;
    out.config = read_config(*root, shipped, out.diagnostics);
    return out;
}

std::optional<Config> read_config(const TomlValue& root, const ShippedPlugins& shipped,
                                  Diagnostics& diagnostics) {
    const TomlValue* plugins = root.find("plugin");
    if (plugins != nullptr && plugins->children.size() > plugins_max) {
        diagnostics.error(plugins->key_place,
                          "plugin: more than " + std::to_string(plugins_max) + " instances");
        return std::nullopt;
    }
    SettingValue tree = validate_settings(root, config_schema(), "", diagnostics, hint);
    apply_balancing_defaults(tree);
    Config config = make_config(std::move(tree), root);
    find_plugin_files(config, shipped, diagnostics);
    check_sections(config, diagnostics);
    check_balancing(config, diagnostics);
    return config;
}

namespace {

namespace fs = std::filesystem;

constexpr std::array<const char*, 4> folders{"", "expanders", "similarity", "balancer"};

bool is_plain_name(std::string_view name) {
    return !name.empty() && std::ranges::all_of(name, [](char c) {
        return is_ascii_alnum(c) || c == '_' || c == '-';
    });
}

}  // namespace

fs::path shipped_plugins_root() {
    std::error_code error;
    const fs::path program = fs::read_symlink("/proc/self/exe", error);
    return error ? fs::path() : program.parent_path().parent_path() / "lib/capstan/plugins";
}

std::optional<fs::path> ShippedPlugins::find(std::string_view name) const {
    if (root_.empty() || !is_plain_name(name)) return std::nullopt;
    for (const char* folder : folders) {
        std::error_code error;
        fs::path file =
            fs::absolute(root_ / folder / (std::string(name) + ".so"), error).lexically_normal();
        if (!error && fs::is_regular_file(file, error)) return file;
    }
    return std::nullopt;
}

std::vector<std::string> ShippedPlugins::names() const {
    std::vector<std::string> out;
    for (const char* folder : folders) {
        std::error_code error;
        for (fs::directory_iterator it(root_ / folder, error), end; !error && it != end;
             it.increment(error)) {
            if (it->path().extension() == ".so") out.push_back(it->path().stem().string());
        }
    }
    std::ranges::sort(out);
    return out;
}

std::vector<std::string> ShippedPlugins::names_of_kind(std::string_view kind) const {
    std::vector<std::string> out;
    for (std::string& name : names()) {
        const Result<plugin_runtime::plugin_files::PluginFile> file =
            plugin_runtime::plugin_files::read_plugin_file(find(name).value_or(fs::path()));
        const bool is_of_kind = file && std::ranges::count(file->facts.note.kinds, kind) > 0;
        if (is_of_kind) out.push_back(std::move(name));
    }
    return out;
}

}  // namespace capstan::config
