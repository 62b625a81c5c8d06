// read_schema: a plugin's untrusted descriptors as consistent Fields.
#include <capstan/setting_rules.hpp>
#include <capstan/view.hpp>

#include "config/diagnostics.hpp"
#include "config/schema.hpp"
#include "config/text.hpp"
#include "config/validated_settings.hpp"
#include "plugin_runtime/plugin_files/plugin_file.hpp"

namespace capstan::config {
namespace {

/// Checks that a default, which is TOML text of the plugin, passes the rules of its field.
Result<void> check_default(const std::string& path, const Field& field) {
    if (field.default_toml.empty()) return {};
    const std::string what = path + ": default " + shortened(field.default_toml, 60);
    const Result<TomlValue> value = parse_toml_value(field.default_toml);
    if (!value) return fail(ErrorCode::invalid_config, what + ": " + value.error().message);
    Diagnostics found({"", ""});
    validate_value(*value, field, what, found);
    if (found.errors() == 0) return {};
    return fail(ErrorCode::invalid_config, printable(found.sorted().front().message));
}

void copy_flags(const capstan_field& from, Field& to) {
    to.type = static_cast<SettingType>(from.type);
    to.required = (from.flags & CAPSTAN_FIELD_REQUIRED) != 0;
    to.list = (from.flags & CAPSTAN_FIELD_LIST) != 0;
    to.map = (from.flags & CAPSTAN_FIELD_MAP) != 0;
    to.live = (from.flags & CAPSTAN_FIELD_LIVE) != 0;
    to.deprecated = (from.flags & CAPSTAN_FIELD_DEPRECATED) != 0;
}

void copy_bounds(const capstan_field& from, Field& to) {
    if ((from.flags & CAPSTAN_FIELD_MIN) != 0) to.min = from.min;
    if ((from.flags & CAPSTAN_FIELD_MAX) != 0) to.max = from.max;
}

Result<Fields> copy_fields(capstan_array from, const std::string& path);

Result<Field> copy_field(const capstan_field& from, const std::string& parent) {
    Field to{.key = std::string(text(from.key)),
             .doc = std::string(text(from.doc)),
             .default_toml = std::string(absent_value(from)),
             .instance_kind = std::string(text(from.instance_kind)),
             .replaced_by = std::string(text(from.replaced_by))};
    const std::string path = join_path(parent, to.key);
    copy_flags(from, to);
    copy_bounds(from, to);
    for (const capstan_str& value : View<capstan_str>(from.allowed))
        to.allowed.emplace_back(text(value));
    if (to.type == SettingType::table) {
        CAPSTAN_TRY(to.fields, copy_fields(from.fields, path));
    }
    CAPSTAN_CHECK(check_default(path, to));
    return to;
}

Result<Fields> copy_fields(capstan_array from, const std::string& path) {
    Fields to;
    to.reserve(from.count);
    for (const capstan_field& field : View<capstan_field>(from)) {
        CAPSTAN_TRY(Field copy, copy_field(field, path));
        to.push_back(std::move(copy));
    }
    return to;
}

}  // namespace

Result<Fields> read_schema(capstan_array fields) {
    CAPSTAN_CHECK(plugin_runtime::plugin_files::check_fields(fields));
    return copy_fields(fields, "settings");
}

}  // namespace capstan::config
