#include "plugin_tool/settings_table.hpp"

#include <utility>

namespace capstan::plugin_tool {
namespace {

using testing::Value;

Value to_value(const config::TomlValue& v) {
    using Kind = config::TomlValue::Kind;
    switch (v.kind) {
        case Kind::integer: return Value(v.integer);
        case Kind::floating: return Value(v.number);
        case Kind::boolean: return Value(v.boolean);
        case Kind::table: return Value(to_table(v));
        case Kind::array: {
            Value::List items;
            for (const config::TomlValue& item : v.children) items.push_back(to_value(item));
            return Value(std::move(items));
        }
        case Kind::string:
        case Kind::date: return Value(v.text);
    }
    return Value(v.text);
}

}  // namespace

Value::Table to_table(const config::TomlValue& v) {
    Value::Table out;
    for (const config::TomlValue& member : v.children)
        out.emplace_back(member.key, to_value(member));
    return out;
}

}  // namespace capstan::plugin_tool
