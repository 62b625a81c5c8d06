#include "config/toml_values.hpp"

#include <algorithm>
#include <utility>

namespace capstan::config {

using Kind = TomlValue::Kind;

std::string text_of(const TomlValue& table, std::string_view key) {
    const TomlValue* member = table.find(key);
    return member == nullptr || member->kind != Kind::string ? "" : member->text;
}

TomlValue text_value(std::string key, std::string text, Place place) {
    return {.kind = Kind::string,
            .key = std::move(key),
            .key_place = place,
            .place = place,
            .text = std::move(text)};
}

TomlValue& list_of(TomlValue& table, std::string_view key, Place place) {
    const auto at = std::ranges::find(table.children, key, &TomlValue::key);
    if (at != table.children.end()) return *at;
    table.children.push_back(
        {.kind = Kind::array, .key = std::string(key), .key_place = place, .place = place});
    return table.children.back();
}

void erase(TomlValue& table, std::string_view key) {
    std::erase_if(table.children, [&](const TomlValue& member) { return member.key == key; });
}

void put(TomlValue value, TomlValue& table) {
    const auto at = std::ranges::find(table.children, value.key, &TomlValue::key);
    if (at == table.children.end()) {
        table.children.push_back(std::move(value));
    } else if (at->kind == Kind::table && value.kind == Kind::table) {
        for (TomlValue& member : value.children) put(std::move(member), *at);
    } else {
        *at = std::move(value);
    }
}

}  // namespace capstan::config
