#include "commands/json_schema.hpp"

#include <algorithm>
#include <cstdint>
#include <string>

#include <boost/json.hpp>

#include "commands/json_texts.hpp"

namespace capstan::commands {
namespace {

namespace json = boost::json;

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
        case SettingType::enumeration: out["enum"] = array_of_texts(field.allowed); break;
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

}  // namespace

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

}  // namespace capstan::commands
