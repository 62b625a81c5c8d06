#include "simulator/api_server/column_paths.hpp"

#include <charconv>
#include <string>
#include <utility>

namespace capstan::simulator::api_server {
namespace {

using Values = std::vector<const json::value*>;

std::string_view unquoted(std::string_view text) {
    while (!text.empty() && std::string_view(" '\"").find(text.front()) != std::string_view::npos)
        text.remove_prefix(1);
    while (!text.empty() && std::string_view(" '\"").find(text.back()) != std::string_view::npos)
        text.remove_suffix(1);
    return text;
}

void go_to_member(Values& values, std::string_view name) {
    Values out;
    for (const json::value* value : values) {
        const json::object* object = value->if_object();
        const json::value* member =
            object == nullptr ? nullptr : object->if_contains(json_view(name));
        if (member != nullptr) out.push_back(member);
    }
    values = std::move(out);
}

/// Whether the value matches a filter: `?(@.type=="Ready")`.
bool passes(const json::value& value, std::string_view filter) {
    if (filter.ends_with(')')) filter.remove_suffix(1);
    const std::size_t equals = filter.find("==");
    const std::size_t open = filter.find("@.");
    const json::object* object = value.if_object();
    if (object == nullptr || equals == std::string_view::npos || open == std::string_view::npos)
        return false;
    const std::string_view path = unquoted(filter.substr(open + 2, equals - open - 2));
    return text_at(*object, path) == unquoted(filter.substr(equals + 2));
}

void go_to_elements(Values& values, std::string_view bracket) {
    Values out;
    for (const json::value* value : values) {
        const json::array* list = value->if_array();
        if (list == nullptr) continue;
        std::size_t index = 0;
        const auto parsed = std::from_chars(bracket.data(), bracket.data() + bracket.size(), index);
        for (std::size_t i = 0; i < list->size(); ++i) {
            const bool is_meant = bracket == "*" ||
                                  (bracket.starts_with("?(") && passes((*list)[i], bracket)) ||
                                  (parsed.ec == std::errc() && i == index);
            if (is_meant) out.push_back(&(*list)[i]);
        }
    }
    values = std::move(out);
}

}  // namespace

std::vector<const json::value*> values_at(const json::object& object, std::string_view path) {
    Values values;
    bool is_first = true;
    while (!path.empty()) {
        if (path.front() == '.') path.remove_prefix(1);
        if (path.starts_with('[')) {
            const std::size_t close = path.find(']');
            if (close == std::string_view::npos) return {};
            const std::string_view inside = path.substr(1, close - 1);
            path.remove_prefix(close + 1);
            if (inside.starts_with('\'') || inside.starts_with('"')) {
                go_to_member(values, unquoted(inside));
            } else {
                go_to_elements(values, inside);
            }
            continue;
        }
        std::size_t end = 0;
        std::string name;
        for (; end < path.size() && path[end] != '.' && path[end] != '['; ++end) {
            if (path[end] == '\\' && end + 1 < path.size()) ++end;
            name += path[end];
        }
        path.remove_prefix(end);
        if (!is_first) {
            go_to_member(values, name);
        } else if (const json::value* member = object.if_contains(name)) {
            values.push_back(member);
        }
        is_first = false;
    }
    return values;
}

}  // namespace capstan::simulator::api_server
