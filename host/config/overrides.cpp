#include "config/overrides.hpp"

#include <algorithm>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include <capstan/sentence.hpp>

namespace capstan::config {
namespace {

/// Splits at the first `=` outside of quotes.
std::optional<std::pair<std::string_view, std::string_view>> split_assignment(
    std::string_view assignment) {
    bool in_key_quotes = false;
    for (std::size_t i = 0; i < assignment.size(); ++i) {
        if (assignment[i] == '"') in_key_quotes = !in_key_quotes;
        if (assignment[i] == '=' && !in_key_quotes)
            return std::pair(assignment.substr(0, i), assignment.substr(i + 1));
    }
    return std::nullopt;
}

/// The parts of `a."b.c".d`. Absent: a part is empty.
std::optional<std::vector<std::string>> parts_of(std::string_view key) {
    std::vector<std::string> out(1);
    bool is_quoted = false;
    for (const char c : key) {
        if (c == '"') {
            is_quoted = !is_quoted;
        } else if (c == '.' && !is_quoted) {
            out.emplace_back();
        } else {
            out.back() += c;
        }
    }
    const bool has_gap = std::ranges::any_of(out, &std::string::empty);
    return is_quoted || has_gap ? std::nullopt : std::optional(std::move(out));
}

/// Sets the place of the value and of all values in it, because an error may be about any of them.
void set_place(TomlValue& value, const Place& place) {
    value.place = value.key_place = place;
    for (TomlValue& child : value.children) set_place(child, place);
}

TomlValue value_of(std::string_view text, const Place& place) {
    TomlValue out{.kind = TomlValue::Kind::string, .text = std::string(text)};
    if (Result<TomlValue> value = parse_toml_value(text)) out = *std::move(value);
    set_place(out, place);
    return out;
}

TomlValue& member(TomlValue& table, const std::string& key, const Place& place) {
    const auto at = std::ranges::find(table.children, key, &TomlValue::key);
    if (at != table.children.end()) return *at;
    return table.children.emplace_back(TomlValue{.key = key, .key_place = place, .place = place});
}

/// Sets the value at `path`. Returns an error message; empty: success.
std::string put_at(TomlValue& root, const std::vector<std::string>& path, TomlValue value) {
    TomlValue* at = &root;
    for (std::size_t i = 0; i < path.size(); ++i) {
        if (at->kind != TomlValue::Kind::table) return in_quotes(path[i - 1]) + " is not a table";
        at = &member(*at, path[i], value.place);
    }
    value.key = path.back();
    *at = std::move(value);
    return {};
}

}  // namespace

void override_values(TomlValue& root, std::span<const std::string> assignments,
                     Diagnostics& diagnostics) {
    diagnostics.set_options({assignments.begin(), assignments.end()});
    Place place;
    for (const std::string& assignment : assignments) {
        ++place.option;
        const auto halves = split_assignment(assignment);
        const auto path = halves ? parts_of(halves->first) : std::nullopt;
        const std::string wrong = path
                                      ? put_at(root, *path, value_of(halves->second, place))
                                      : "expected KEY=VALUE, such as scale_up.backoff=until_joined";
        if (!wrong.empty()) diagnostics.error(place, wrong);
    }
}

}  // namespace capstan::config
