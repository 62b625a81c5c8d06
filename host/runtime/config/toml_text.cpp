#include "runtime/config/toml_text.hpp"

#include <charconv>

#include "runtime/config/text.hpp"

namespace capstan::runtime {
namespace {

bool is_defaulted(const TomlValue&) { return false; }
bool is_defaulted(const SettingValue& value) { return value.defaulted; }

template <class Value>
std::string array_text(const Value& value) {
    std::string out;
    for (const Value& item : value.children) out += (out.empty() ? "" : ", ") + to_toml(item);
    return "[" + out + "]";
}

template <class Value>
std::string table_text(const Value& value) {
    std::string out;
    for (const Value& member : value.children) {
        if (is_defaulted(member)) continue;
        out += (out.empty() ? "" : ", ") + toml_key(member.key) + " = " + to_toml(member);
    }
    return out.empty() ? "{}" : "{ " + out + " }";
}

}  // namespace

std::string toml_number(double number) {
    char out[64];
    const auto end = std::to_chars(out, out + sizeof out, number).ptr;
    const std::string text(out, end);
    return text.find_first_of(".en") == std::string::npos ? text + ".0" : text;
}

std::string to_toml(const TomlValue& value) {
    switch (value.kind) {
        case TomlValue::Kind::string: return toml_string(value.text);
        case TomlValue::Kind::integer: return std::to_string(value.integer);
        case TomlValue::Kind::floating: return toml_number(value.number);
        case TomlValue::Kind::boolean: return value.boolean ? "true" : "false";
        case TomlValue::Kind::date: return value.text;
        case TomlValue::Kind::array: return array_text(value);
        case TomlValue::Kind::table: return table_text(value);
    }
    return "\"\"";
}

std::string to_toml(const SettingValue& value) {
    if (value.shape == SettingValue::Shape::list) return array_text(value);
    if (value.shape == SettingValue::Shape::table)
        return value.text.empty() ? table_text(value) : toml_string(value.text);
    switch (value.type) {
        case SettingType::integer: return std::to_string(value.integer);
        case SettingType::number: return toml_number(value.number);
        case SettingType::boolean: return value.boolean ? "true" : "false";
        case SettingType::secret: return "{ secret = " + toml_string(value.text) + " }";
        default: return toml_string(value.text);
    }
}

}  // namespace capstan::runtime
