#include "config/document.hpp"

#include <algorithm>
#include <sstream>
#include <tuple>

#include <toml++/toml.h>

#include "config/diagnostics.hpp"
#include "config/text.hpp"
#include "io/text_format.hpp"

namespace capstan::config {
namespace {

using Kind = TomlValue::Kind;

Place toml_place(const toml::source_region& region) {
    const bool one_line =
        region.end.line == region.begin.line && region.end.column > region.begin.column;
    return {region.begin.line, region.begin.column,
            one_line ? region.end.column - region.begin.column : 1};
}

TomlValue convert(const toml::node& node);

void convert_table(const toml::table& from, TomlValue& to) {
    to.kind = Kind::table;
    to.children.reserve(from.size());
    for (auto&& [key, node] : from) {
        to.children.push_back(convert(node));
        to.children.back().key = key.str();
        to.children.back().key_place = toml_place(key.source());
    }
    std::ranges::sort(to.children, {}, [](const TomlValue& member) {
        return std::tuple(member.key_place.line, member.key_place.column);
    });
}

void convert_array(const toml::array& from, TomlValue& to) {
    to.kind = Kind::array;
    to.children.reserve(from.size());
    for (const toml::node& node : from) to.children.push_back(convert(node));
}

/// No setting is a date. The text is for the error message.
void convert_date(const toml::node& node, TomlValue& to) {
    std::ostringstream text;
    if (const auto* date = node.as_date()) text << date->get();
    if (const auto* time = node.as_time()) text << time->get();
    if (const auto* both = node.as_date_time()) text << both->get();
    to.kind = Kind::date;
    to.text = text.str();
}

void convert_scalar(const toml::node& node, TomlValue& to) {
    if (const auto* text = node.as_string()) {
        to.kind = Kind::string;
        to.text = text->get();
    } else if (const auto* integer = node.as_integer()) {
        to.kind = Kind::integer;
        to.integer = integer->get();
    } else if (const auto* number = node.as_floating_point()) {
        to.kind = Kind::floating;
        to.number = number->get();
    } else if (const auto* boolean = node.as_boolean()) {
        to.kind = Kind::boolean;
        to.boolean = boolean->get();
    } else {
        convert_date(node, to);
    }
}

TomlValue convert(const toml::node& node) {
    TomlValue out;
    out.place = toml_place(node.source());
    if (const toml::table* table = node.as_table()) {
        convert_table(*table, out);
    } else if (const toml::array* array = node.as_array()) {
        convert_array(*array, out);
    } else {
        convert_scalar(node, out);
    }
    return out;
}

/// Whether `place` seems to be in a value that is text without quotes: `name = prod`,
/// `unneeded_time = 10m`.
bool is_unquoted_text(std::string_view text, const Place& place) {
    for (std::uint32_t line = 1; line < place.line; ++line) {
        const std::size_t end = text.find('\n');
        text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
    }
    text = text.substr(0, text.find('\n')).substr(0, place.column);
    const std::size_t equals = text.rfind('=');
    if (equals == std::string_view::npos) return false;
    const std::size_t first = text.find_first_not_of(" \t", equals + 1);
    return first != std::string_view::npos && text.find_first_of("\"'[{#") == text.npos;
}

}  // namespace

const TomlValue* TomlValue::find(std::string_view name) const {
    if (kind != Kind::table) return nullptr;
    const auto it = std::ranges::find(children, name, &TomlValue::key);
    return it == children.end() ? nullptr : &*it;
}

std::optional<TomlValue> parse_toml(Diagnostics& diagnostics) {
    const Source& source = diagnostics.source();
    if (const std::optional<Place> deep = find_deep_nesting(source.text)) {
        diagnostics.error(*deep,
                          "nested more than " + std::to_string(max_nesting) + " levels deep");
        return std::nullopt;
    }
    try {
        TomlValue root =
            convert(toml::parse(std::string_view(source.text), std::string_view(source.name)));
        root.place = {};
        return root;
    } catch (const toml::parse_error& e) {
        const std::string_view format = io::recognize_format(source.text);
        if (!format.empty() && format != "TOML") {
            diagnostics.error({}, "is " + std::string(format) +
                                      "; configurations and scenarios are TOML, cluster dumps are "
                                      "JSON, as from kubectl get ... -o json");
            return std::nullopt;
        }
        const Place place = toml_place(e.source());
        std::string what(e.description());
        // toml++'s message about a boolean names the valid words already.
        const bool is_boolean = what.find("boolean") != std::string::npos;
        if (!is_boolean && is_unquoted_text(source.text, place)) what += "; text needs quotes";
        diagnostics.error(place, std::move(what));
    } catch (const std::exception& e) {
        diagnostics.error({}, std::string("invalid TOML: ") + e.what());
    }
    return std::nullopt;
}

Result<TomlValue> parse_toml_value(std::string_view text) {
    Diagnostics diagnostics({"", "value = " + std::string(text)});
    std::optional<TomlValue> root = parse_toml(diagnostics);
    if (!root) return fail(ErrorCode::invalid_config, diagnostics.sorted().front().message);
    if (root->children.size() != 1 || root->children.front().key != "value") {
        return fail(ErrorCode::invalid_config, "more than one value");
    }
    TomlValue value = std::move(root->children.front());
    value.key.clear();
    return value;
}

}  // namespace capstan::config
