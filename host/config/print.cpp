#include "config/print.hpp"

#include <algorithm>
#include <sstream>

#include "config/text.hpp"

namespace capstan::config {
namespace {

class Printer {
public:
    explicit Printer(PrintDefaults defaults) : all_(defaults == PrintDefaults::yes) {}

    void table(const SettingValue& value, const Fields& fields, const std::string& path) {
        std::string lines;
        for (const Field& field : fields) {
            if (!is_section(field)) lines += line(value.find(field.key), field);
        }
        if (!lines.empty()) section(path, lines);
        for (const Field& field : fields) {
            const SettingValue* member = value.find(field.key);
            if (is_section(field) && member != nullptr)
                table(*member, field.fields, join_path(path, field.key));
        }
    }

    void plugin(const Config& config, const PluginConfig& plugin, const PluginSettings* loaded) {
        if (!plugin.declared && !all_) return;
        const auto field = std::ranges::find(config_schema(), "plugin", &Field::key);
        const std::string path = join_path("plugin", plugin.id.value());
        const std::size_t before = out_.size();
        const SettingValue* tables = config.tree.find("plugin");
        const SettingValue* written = tables == nullptr ? nullptr : tables->find(plugin.id.value());
        Diagnostics none({"", ""});
        table(written != nullptr ? *written : validate_settings({}, field->fields, path, none),
              field->fields, path);
        if (loaded != nullptr) {
            table(loaded->settings, loaded->fields, join_path(path, "settings"));
        } else {
            raw(plugin.settings, join_path(path, "settings"));
        }
        // An empty table still declares the instance.
        if (plugin.declared && out_.size() == before) section(path, "");
    }

    std::string take() { return std::move(out_); }

private:
    void section(const std::string& path, const std::string& lines) {
        out_ += (out_.empty() ? "[" : "\n[") + path + "]\n" + lines;
    }

    std::string line(const SettingValue* value, const Field& field) const {
        const bool set = value != nullptr && !value->defaulted;
        if (!set && !all_) return "";
        std::string doc = all_ ? "# " + printable(field.doc) + "\n" : "";
        if (all_ && !field.upstream.empty())
            doc += "# Upstream's default: " + field.upstream + "\n";
        const std::string key = toml_key(field.key);
        if (value == nullptr)
            return doc + "# " + key + " is not set: " + printable(describe_type(field)) + "\n";
        return doc + key + " = " + to_toml(*value) + "\n";
    }

    void raw(const TomlValue& table, const std::string& path) {
        std::string lines;
        for (const TomlValue& member : table.children)
            lines += toml_key(member.key) + " = " + to_toml(member) + "\n";
        if (!lines.empty()) section(path, lines);
    }

    bool all_;
    std::string out_;
};

}  // namespace

std::string print_config(const Config& config, PrintDefaults defaults,
                         const PluginSettingsOf& settings_of) {
    Printer printer(defaults);
    for (const Field& section : config_schema()) {
        const SettingValue* value = config.tree.find(section.key);
        if (section.key != "plugin") {
            if (value != nullptr) printer.table(*value, section.fields, section.key);
            continue;
        }
        for (const PluginConfig& plugin : config.plugins)
            printer.plugin(config, plugin, settings_of(plugin.id));
    }
    return printer.take();
}

}  // namespace capstan::config
