#include "simulation/control_plane/conditions.hpp"

#include <algorithm>

namespace capstan::simulation {
namespace {

bool is_of_type(const json::value& item, std::string_view type) {
    const json::object* condition = item.if_object();
    return condition != nullptr && text_at(*condition, "type") == type;
}

json::array& conditions_in(json::object& object) {
    json::value& list = make_object(object, "status")["conditions"];
    return list.is_array() ? list.get_array() : list.emplace_array();
}

/// No member at all where there is nothing to say.
void set_text(json::object& condition, std::string_view key, std::string_view text) {
    if (text.empty()) {
        condition.erase(json_view(key));
    } else {
        condition[json_view(key)] = json_view(text);
    }
}

}  // namespace

std::optional<Time> condition_since(const json::object& object, std::string_view type) {
    const json::object* found = find_condition(object, type);
    if (found == nullptr) return std::nullopt;
    return parse_timestamp_text(text_at(*found, "lastTransitionTime"));
}

json::object& set_condition(json::object& object, const Condition& condition, Time now) {
    json::array& list = conditions_in(object);
    auto* found = std::ranges::find_if(
        list, [&](const json::value& item) { return is_of_type(item, condition.type); });
    if (found == list.end()) {
        list.push_back(json::object{{"type", json_view(condition.type)}});
        found = list.end() - 1;
    }
    json::object& out = found->get_object();
    if (text_at(out, "status") != condition.status) {
        out["status"] = json_view(condition.status);
        out["lastTransitionTime"] = timestamp_text(now);
    }
    set_text(out, "reason", condition.reason);
    set_text(out, "message", condition.message);
    return out;
}

void remove_condition(json::object& object, std::string_view type) {
    if (find_condition(object, type) == nullptr) return;
    json::array kept;
    for (const json::value& item : conditions_in(object))
        if (!is_of_type(item, type)) kept.push_back(item);
    conditions_in(object) = std::move(kept);
}

}  // namespace capstan::simulation
