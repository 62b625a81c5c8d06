#include "config/schema.hpp"

namespace capstan::config {
SettingRule rule_of(const Field& field) {
    return {.type = field.type,
            .min = field.min,
            .max = field.max,
            .allowed = {field.allowed.begin(), field.allowed.end()}};
}

bool is_section(const Field& field) {
    return field.type == SettingType::table && !field.list && !field.map;
}

std::vector<std::string> keys_of(const Fields& fields) {
    std::vector<std::string> keys;
    keys.reserve(fields.size());
    for (const Field& field : fields) keys.push_back(field.key);
    return keys;
}

std::string describe_item(const Field& field) {
    const std::string item = describe_expected(rule_of(field));
    return field.shorthand.empty() ? item : item + " or string (its '" + field.shorthand + "')";
}

std::string describe_type(const Field& field) {
    const bool is_plain = field.shorthand.empty();
    const std::string item = is_plain ? describe_rule(rule_of(field)) : describe_item(field);
    const std::string kind = field.instance_kind.empty() ? "" : " (" + field.instance_kind + ")";
    const std::string values = field.list ? "list of " + item : item;
    return (field.map ? "map of " + values : values) + kind;
}

}  // namespace capstan::config
