#include "simulation/api_server/api_object.hpp"

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <utility>

#include <capstan/time_text.hpp>

namespace capstan::simulation::api_server {
namespace {

using namespace std::chrono;

/// The first part of a path and what is behind it.
std::pair<std::string_view, std::string_view> split_path(std::string_view path) {
    const std::size_t point = path.find('.');
    if (point == std::string_view::npos) return {path, {}};
    return {path.substr(0, point), path.substr(point + 1)};
}

std::string_view without_point(std::string_view path) {
    if (path.starts_with('.')) path.remove_prefix(1);
    return path;
}

}  // namespace

const json::value* find_value(const json::object& object, std::string_view path) {
    const json::object* at = &object;
    for (path = without_point(path);;) {
        const auto [first, rest] = split_path(path);
        const json::value* found = at->if_contains(json_view(first));
        if (found == nullptr || found->is_null() || rest.empty())
            return found == nullptr || found->is_null() ? nullptr : found;
        at = found->if_object();
        if (at == nullptr) return nullptr;
        path = rest;
    }
}

const json::object* find_object(const json::object& object, std::string_view path) {
    const json::value* found = find_value(object, path);
    return found == nullptr ? nullptr : found->if_object();
}

const json::array* find_array(const json::object& object, std::string_view path) {
    const json::value* found = find_value(object, path);
    return found == nullptr ? nullptr : found->if_array();
}

const json::array& list_at(const json::object& object, std::string_view path) {
    static const json::array none;
    const json::array* found = find_array(object, path);
    return found == nullptr ? none : *found;
}

std::string_view text_at(const json::object& object, std::string_view path) {
    const json::value* found = find_value(object, path);
    return found == nullptr || !found->is_string() ? std::string_view() : view(found->get_string());
}

std::optional<std::int64_t> integer_at(const json::object& object, std::string_view path) {
    const json::value* found = find_value(object, path);
    if (found == nullptr || !found->is_int64()) return std::nullopt;
    return found->get_int64();
}

bool is_true_at(const json::object& object, std::string_view path) {
    const json::value* found = find_value(object, path);
    return found != nullptr && found->is_bool() && found->get_bool();
}

bool is_equal(const json::object& a, const json::object& b) {
    if (a.size() != b.size()) return false;
    auto beside = b.begin();
    for (const json::key_value_pair& member : a) {
        // Mostly one was made from the other, with its members in the same order.
        const json::value* match =
            beside->key() == member.key() ? &beside->value() : b.if_contains(member.key());
        ++beside;
        if (match == nullptr || !is_equal(member.value(), *match)) return false;
    }
    return true;
}

const json::object* find_condition(const json::object& object, std::string_view type) {
    for (const json::value& item : list_at(object, "status.conditions"))
        if (const json::object* condition = item.if_object();
            condition != nullptr && text_at(*condition, "type") == type)
            return condition;
    return nullptr;
}

bool has_condition(const json::object& object, std::string_view type, std::string_view status) {
    const json::object* found = find_condition(object, type);
    return found != nullptr && text_at(*found, "status") == status;
}

bool is_equal(const json::value& a, const json::value& b) {
    if (a.is_object() && b.is_object()) return is_equal(a.get_object(), b.get_object());
    if (a.is_array() && b.is_array()) return is_equal(a.get_array(), b.get_array());
    return a == b;
}

bool is_equal(const json::array& a, const json::array& b) {
    return std::ranges::equal(a, b, [](const json::value& one, const json::value& other) {
        return is_equal(one, other);
    });
}

json::object& make_object(json::object& object, std::string_view key) {
    json::value& member = object[json_view(key)];
    return member.is_object() ? member.get_object() : member.emplace_object();
}

void set_value(json::object& object, std::string_view path, json::value value) {
    json::object* at = &object;
    for (path = without_point(path);;) {
        const auto [first, rest] = split_path(path);
        if (rest.empty()) {
            (*at)[json_view(first)] = std::move(value);
            return;
        }
        at = &make_object(*at, first);
        path = rest;
    }
}

void set_default(json::object& object, std::string_view path, json::value value) {
    if (find_value(object, path) == nullptr) set_value(object, path, std::move(value));
}

void take_member(json::object& object, const json::object& from, std::string_view key) {
    const json::value* member = from.if_contains(json_view(key));
    if (member == nullptr) {
        object.erase(json_view(key));
    } else if (json::value& own = object[json_view(key)]; !is_equal(own, *member)) {
        own = *member;
    }
}

Duration bounded_seconds(std::int64_t written) {
    constexpr std::int64_t longest = 10LL * 365 * 24 * 3600;
    return seconds(std::clamp<std::int64_t>(written, 0, longest));
}

std::string timestamp_text(Time time) { return format_rfc3339(floor<seconds>(time)); }

std::string micro_timestamp_text(Time time) {
    std::string out = timestamp_text(time);
    out.pop_back();
    char fraction[16];
    std::snprintf(fraction, sizeof fraction, ".%06dZ",
                  static_cast<int>(floor<microseconds>(time - floor<seconds>(time)).count()));
    return out + fraction;
}

std::optional<Time> parse_timestamp_text(std::string_view text) {
    const Result<Time> time = parse_rfc3339(text);
    return time ? std::optional(*time) : std::nullopt;
}

}  // namespace capstan::simulation::api_server
