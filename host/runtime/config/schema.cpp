#include "runtime/config/schema.hpp"

#include <climits>
#include <cstdint>
#include <cstdio>

#include <capstan/duration.hpp>

#include "runtime/config/text.hpp"

namespace capstan::runtime::config {
namespace {

std::string_view type_name(SettingType type) {
    switch (type) {
        case SettingType::string: return "string";
        case SettingType::integer: return "integer";
        case SettingType::number: return "number";
        case SettingType::boolean: return "boolean";
        case SettingType::duration: return "duration";
        case SettingType::quantity: return "quantity";
        case SettingType::url: return "URL";
        case SettingType::regex: return "regular expression";
        case SettingType::enumeration: return "one of";
        case SettingType::secret: return "secret";
        case SettingType::instance: return "plugin instance";
        case SettingType::table: return "table";
    }
    return "value";
}

std::string bound_text(const Field& field, double value) {
    if (field.type == SettingType::duration)
        return format_duration(Duration(static_cast<std::int64_t>(value)));
    char out[32];
    std::snprintf(out, sizeof out, "%.15g", value);
    return out;
}

/// The bounds in words. The limits of int are not shown.
std::string range(const Field& field) {
    const bool integer = field.type == SettingType::integer;
    const bool has_min = field.min && !(integer && *field.min <= INT_MIN);
    const bool has_max = field.max && !(integer && *field.max >= INT_MAX);
    if (has_min && has_max)
        return " " + bound_text(field, *field.min) + ".." + bound_text(field, *field.max);
    if (has_min) return " of at least " + bound_text(field, *field.min);
    if (has_max) return " of at most " + bound_text(field, *field.max);
    return "";
}

std::string choices(const std::vector<std::string>& allowed) {
    std::string out;
    for (const std::string& value : allowed) out += (out.empty() ? "" : ", ") + toml_string(value);
    return out;
}

}  // namespace

std::vector<std::string> keys_of(const Fields& fields) {
    std::vector<std::string> keys;
    keys.reserve(fields.size());
    for (const Field& field : fields) keys.push_back(field.key);
    return keys;
}

std::string describe_item(const Field& field) {
    switch (field.type) {
        case SettingType::enumeration: return "one of " + choices(field.allowed);
        case SettingType::duration: return "duration such as \"90s\" or \"1h30m\"" + range(field);
        case SettingType::quantity: return "quantity such as \"500m\" or \"32Gi\"" + range(field);
        case SettingType::secret: return "secret such as { secret = \"name\" }";
        case SettingType::instance: return "the name of a plugin";
        case SettingType::table:
            return field.shorthand.empty() ? "table"
                                           : "table or the text of its '" + field.shorthand + "'";
        default: return std::string(type_name(field.type)) + range(field);
    }
}

std::string describe_type(const Field& field) {
    const std::string item =
        field.type == SettingType::enumeration || field.type == SettingType::table
            ? describe_item(field)
            : std::string(type_name(field.type)) + range(field);
    const std::string kind = field.instance_kind.empty() ? "" : " (" + field.instance_kind + ")";
    const std::string values = field.list ? "list, each " + item : item;
    return (field.map ? "table of free keys, each " + values : values) + kind;
}

}  // namespace capstan::runtime::config
