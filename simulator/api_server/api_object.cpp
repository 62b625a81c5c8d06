#include "simulator/api_server/api_object.hpp"

#include <algorithm>
#include <chrono>
#include <utility>

namespace capstan::simulator::api_server {
bool is_equal(const json::object& a, const json::object& b) {
    if (a.size() != b.size()) return false;
    auto same_place = b.begin();
    for (const json::key_value_pair& member : a) {
        // Mostly one object is a changed copy of the other, with its members in the same order.
        const json::value* match =
            same_place->key() == member.key() ? &same_place->value() : b.if_contains(member.key());
        ++same_place;
        if (match == nullptr || !is_equal(member.value(), *match)) return false;
    }
    return true;
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
    return std::chrono::seconds(std::clamp<std::int64_t>(written, 0, longest));
}

}  // namespace capstan::simulator::api_server
