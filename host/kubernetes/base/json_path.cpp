#include "kubernetes/base/json_path.hpp"

#include <utility>

#include <boost/json/parse.hpp>

namespace capstan::kubernetes::base {
namespace {

namespace json = boost::json;

// Boost's own limit of 32 is less than what schemas of custom resources nest.
constexpr std::size_t depth_limit = 512;

/// The first part of a path, and the rest without the dot.
std::pair<std::string_view, std::string_view> split_path(std::string_view path) noexcept {
    const std::size_t dot = path.find('.');
    if (dot == std::string_view::npos) return {path, {}};
    return {path.substr(0, dot), path.substr(dot + 1)};
}

std::string_view without_dot(std::string_view path) noexcept {
    if (path.starts_with('.')) path.remove_prefix(1);
    return path;
}

std::string_view text_of(const json::value* value) noexcept {
    const json::string* text = value == nullptr ? nullptr : value->if_string();
    return text == nullptr ? std::string_view() : std::string_view(text->data(), text->size());
}

}  // namespace

Result<json::object> parse_json_object(std::string_view text) {
    boost::system::error_code error;
    json::value value = json::parse(text, error, {}, {.max_depth = depth_limit});
    if (error) return fail(ErrorCode::invalid_argument, "not JSON: " + error.message());
    if (!value.is_object()) return fail(ErrorCode::invalid_argument, "not a JSON object");
    return std::move(value.get_object());
}

const json::value* find_member(JsonRoot root, std::string_view key) noexcept {
    const json::value* found = root.object() == nullptr ? nullptr : root.object()->if_contains(key);
    return found == nullptr || found->is_null() ? nullptr : found;
}

const json::value* find_value(JsonRoot root, std::string_view path) noexcept {
    for (path = without_dot(path);;) {
        const auto [first, rest] = split_path(path);
        const json::value* found = find_member(root, first);
        if (found == nullptr || rest.empty()) return found;
        root = *found;
        path = rest;
    }
}

const json::object* find_object(JsonRoot root, std::string_view path) noexcept {
    const json::value* found = find_value(root, path);
    return found == nullptr ? nullptr : found->if_object();
}

const json::array* find_array(JsonRoot root, std::string_view path) noexcept {
    const json::value* found = find_value(root, path);
    return found == nullptr ? nullptr : found->if_array();
}

const json::array& list_at(JsonRoot root, std::string_view path) noexcept {
    static const json::array none;
    const json::array* found = find_array(root, path);
    return found == nullptr ? none : *found;
}

std::string_view text_at(JsonRoot root, std::string_view path) noexcept {
    return text_of(find_value(root, path));
}

std::optional<std::int64_t> integer_at(JsonRoot root, std::string_view path) noexcept {
    const json::value* found = find_value(root, path);
    if (found == nullptr || !found->is_int64()) return std::nullopt;
    return found->get_int64();
}

bool is_true_at(JsonRoot root, std::string_view path) noexcept {
    const json::value* found = find_value(root, path);
    return found != nullptr && found->is_bool() && found->get_bool();
}

std::string_view label_of(JsonRoot object, std::string_view key) noexcept {
    return text_of(find_member(find_object(object, "metadata.labels"), key));
}

std::string_view annotation_of(JsonRoot object, std::string_view key) noexcept {
    return text_of(find_member(find_object(object, "metadata.annotations"), key));
}

const json::object* find_condition(JsonRoot object, std::string_view type) noexcept {
    for (const json::value& item : list_at(object, "status.conditions"))
        if (item.is_object() && text_at(item, "type") == type) return &item.get_object();
    return nullptr;
}

bool has_condition(JsonRoot object, std::string_view type, std::string_view status) noexcept {
    const json::object* found = find_condition(object, type);
    return found != nullptr && text_at(*found, "status") == status;
}

json::object& make_object(json::object& object, std::string_view key) {
    json::value& member = object[key];
    return member.is_object() ? member.get_object() : member.emplace_object();
}

void set_value(json::object& object, std::string_view path, json::value value) {
    json::object* at = &object;
    for (path = without_dot(path);;) {
        const auto [first, rest] = split_path(path);
        if (rest.empty()) {
            (*at)[first] = std::move(value);
            return;
        }
        at = &make_object(*at, first);
        path = rest;
    }
}

void set_default(json::object& object, std::string_view path, json::value value) {
    if (find_value(object, path) == nullptr) set_value(object, path, std::move(value));
}

}  // namespace capstan::kubernetes::base
