// explain_key: from a dotted key, or upstream's flag, to the field it names, and the field in
// words.
#include <algorithm>
#include <optional>

#include "config/print.hpp"
#include "config/text.hpp"
#include "config/upstream_flags.hpp"

namespace capstan::config {
namespace {

/// The parts of a dotted key by TOML's rules: `a."b.c"` has two.
std::optional<std::vector<std::string>> split_key(std::string_view key) {
    Diagnostics none({"", std::string(key) + " = 0"});
    const std::optional<TomlValue> root = parse_toml(none);
    if (!root) return std::nullopt;
    std::vector<std::string> parts;
    const TomlValue* at = &*root;
    for (; at->kind == TomlValue::Kind::table && at->children.size() == 1;
         at = &at->children.front()) {
        parts.push_back(at->children.front().key);
    }
    const bool whole = at->kind == TomlValue::Kind::integer && at->integer == 0;
    return whole ? std::optional(parts) : std::nullopt;
}

/// Adds all dotted keys of `fields` and their tables; a free key of a map is written as ID.
void collect_paths(const Fields& fields, const std::string& path, std::vector<std::string>& out) {
    for (const Field& field : fields) {
        const std::string here = join_path(path, field.key);
        out.push_back(here);
        collect_paths(field.fields, field.map ? here + ".ID" : here, out);
    }
}

/// `--scale-down-enabled` as `scale_down_enabled`.
std::string snake_case(std::string_view flag) {
    std::string out(flag.substr(std::min(flag.find_first_not_of('-'), flag.size())));
    std::ranges::replace(out, '-', '_');
    return out;
}

/// A suggestion of the keys whose last part, or upstream's flag, is `key`, or similar to it: "; did
/// you mean scale_down.unneeded_time?" for `unneeded_time` and for `unneded_time`. Empty: there is
/// none.
std::string longer_keys(std::string_view key) {
    std::vector<std::string> all, last_parts, found;
    collect_paths(config_schema(), "", all);
    for (const std::string& path : all) last_parts.push_back(path.substr(path.rfind('.') + 1));
    const auto ending_in = [&](std::string_view end) {
        for (const std::string& path : all)
            if (path.ends_with("." + std::string(end))) found.push_back(path);
    };
    ending_in(key);
    if (found.empty()) {
        for (const UpstreamFlag& flag : upstream_flags())
            if (!flag.key.empty()) last_parts.push_back(snake_case(flag.name));
        const std::string similar = find_similar(snake_case(key), last_parts);
        const UpstreamFlag* const flag = find_upstream_flag(similar);
        if (flag != nullptr) {
            found.emplace_back(flag->key);
        } else {
            ending_in(similar);
        }
    }
    if (found.empty()) return {};
    std::string out = "; did you mean ";
    for (const std::string& path : found)
        out += (&path == &found.front() ? "" : &path == &found.back() ? " or " : ", ") + path;
    return out + "?";
}

/// Walks down the schema and, in parallel, the values that are set.
class Finder {
public:
    Finder(const Config* config, const PluginSettingsOf& settings_of) : settings_of_(settings_of) {
        root_ = {.key = "", .type = SettingType::table, .fields = config_schema()};
        field_ = &root_;
        value_ = config == nullptr ? nullptr : &config->tree;
    }

    Result<void> step(const std::string& key) {
        if (field_->map && !in_map_) {
            in_map_ = true;  // a free key: the value below it is what the field describes
            if (path_ == "plugin") instance_ = PluginInstanceId(key);
        } else {
            const auto next = std::ranges::find(field_->fields, key, &Field::key);
            if (next == field_->fields.end()) return unknown(key);
            field_ = &*next;
            in_map_ = false;
        }
        path_ = join_path(path_, key);
        value_ = value_ == nullptr ? nullptr : value_->find(key);
        return field_->opaque ? enter_settings() : Result<void>{};
    }

    const Field& field() const { return *field_; }
    const SettingValue* value() const { return value_; }
    const std::string& path() const { return path_; }
    bool in_map() const { return in_map_; }

private:
    Result<void> unknown(const std::string& key) const {
        const std::string where = path_.empty() ? "the configuration" : path_;
        std::string hint = upstream_flag_hint(key);
        if (hint.empty()) hint = suggestion(key, keys_of(field_->fields));
        return fail(ErrorCode::not_found,
                    "there is no key '" + shortened(key, 60) + "' in " + where + hint);
    }

    Result<void> enter_settings() {
        const PluginSettings* loaded = settings_of_(instance_);
        if (loaded == nullptr) {
            return fail(ErrorCode::not_found, path_ + ": plugin '" +
                                                  shortened(instance_.value(), 60) +
                                                  "' is not loaded, so its settings are unknown; "
                                                  "use --config with a file that has it");
        }
        settings_ = *field_;
        settings_.fields = loaded->fields;
        settings_.opaque = false;
        field_ = &settings_;
        value_ = &loaded->settings;
        return {};
    }

    const PluginSettingsOf& settings_of_;
    Field root_;
    Field settings_;
    const Field* field_ = nullptr;
    const SettingValue* value_ = nullptr;
    PluginInstanceId instance_;
    std::string path_;
    bool in_map_ = false;
};

std::string notes(const Field& field) {
    std::string out;
    if (field.required) out += "  required\n";
    if (field.live) out += "  live: takes effect without a restart\n";
    if (field.deprecated) {
        out += "  deprecated" +
               (field.replaced_by.empty() ? "" : "; use " + printable(field.replaced_by)) + "\n";
    }
    return out;
}

std::string members(const Field& field) {
    std::size_t width = 0;
    for (const Field& member : field.fields) width = std::max(width, member.key.size());
    std::string out = "  keys:\n";
    for (const Field& member : field.fields) {
        const std::string key = printable(member.key);
        out += "    " + key + std::string(width + 2 - std::min(width, key.size()), ' ') +
               printable(member.doc) + "\n";
    }
    return out;
}

std::string flags_of(std::string_view path) {
    std::string out;
    for (const UpstreamFlag* flag : upstream_flags_of(path))
        out += "  upstream flag: " + flag->text() +
               (flag->remark.empty() ? "" : " (" + std::string(flag->remark) + ")") + "\n";
    return out;
}

std::string in_words(const Finder& found) {
    Field field = found.field();
    if (found.in_map()) field.map = false;
    const bool table = field.type == SettingType::table;
    const bool section = is_section(field);
    std::string out = found.path() + "\n  " + printable(field.doc) + "\n";
    if (!section) out += "  type: " + printable(describe_type(field)) + "\n";
    if (!section && !field.default_toml.empty() && !found.in_map()) {
        out += "  default: " + printable(field.default_toml) + "\n";
    }
    out += flags_of(found.path());
    if (!field.upstream.empty()) out += "  upstream default: " + field.upstream + "\n";
    const SettingValue* value = found.value();
    if (!section && value != nullptr && !value->defaulted) {
        out += "  set to: " + printable(to_toml(*value)) + " (line " +
               std::to_string(value->place.line) + ")\n";
    }
    return out + notes(field) + (table ? members(field) : "");
}

/// A flag that a plugin's setting replaces, or none.
std::string in_words(const UpstreamFlag& flag) {
    const std::string remark(flag.remark);
    if (flag.key.empty()) return flag.text() + "\n  No key replaces this flag: " + remark + "\n";
    return flag.text() + "\n  key: " + std::string(flag.key) +
           (remark.empty() ? "" : " (" + remark + ")") + "\n";
}

}  // namespace

Result<std::string> explain_key(std::string_view key, const Config* config,
                                const PluginSettingsOf& settings_of) {
    if (const UpstreamFlag* const flag = find_upstream_flag(key)) {
        if (flag->key.empty() || flag->key.starts_with("plugin.")) return in_words(*flag);
        key = flag->key;
    }
    const std::optional<std::vector<std::string>> parts = split_key(key);
    if (!parts)
        return fail(ErrorCode::not_found, "'" + shortened(key, 60) + "' is not a dotted TOML key");
    Finder finder(config, settings_of);
    for (const std::string& part : *parts) {
        const Result<void> done = finder.step(part);
        if (done) continue;
        const std::string longer = &part == &parts->front() ? longer_keys(key) : "";
        if (longer.empty()) return fail(done.error());
        return fail(ErrorCode::not_found, "there is no key '" + shortened(key, 60) + "'" + longer);
    }
    return in_words(finder);
}

}  // namespace capstan::config
