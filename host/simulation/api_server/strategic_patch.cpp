#include "simulation/api_server/strategic_patch.hpp"

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "simulation/api_server/list_keys.hpp"

namespace capstan::simulation {
namespace {

constexpr std::string_view order_prefix = "$setElementOrder/";
constexpr std::string_view delete_prefix = "$deleteFromPrimitiveList/";

void merge_object(json::object& target, const json::object& patch, std::string_view name);

bool is_in(const json::array& list, const json::value& value) {
    return std::ranges::find(list, value) != list.end();
}

/// What a patch makes where there was nothing.
json::object without_directives(const json::object& patch, std::string_view name) {
    json::object out;
    merge_object(out, patch, name);
    return out;
}

const json::value* key_value(const json::value& item, std::string_view key) {
    const json::object* object = item.if_object();
    return object == nullptr ? nullptr : object->if_contains(json_view(key));
}

void remove_element(json::array& target, std::string_view key, const json::value& value) {
    for (auto item = target.begin(); item != target.end(); ++item) {
        const json::value* found = key_value(*item, key);
        if (found == nullptr || *found != value) continue;
        target.erase(item);
        return;
    }
}

void merge_element(json::array& target, const json::object& patch, std::string_view key,
                   std::string_view name) {
    const json::value* value = patch.if_contains(json_view(key));
    if (value == nullptr) return;
    if (text_at(patch, "$patch") == "delete") {
        remove_element(target, key, *value);
    } else if (json::object* found = find_element(target, key, *value)) {
        merge_object(*found, patch, name);
    } else {
        target.push_back(without_directives(patch, name));
    }
}

void merge_list(json::array& target, const json::array& patch, std::string_view key,
                std::string_view name) {
    for (const json::value& item : patch) {
        const json::object* object = item.if_object();
        if (object != nullptr && text_at(*object, "$patch") == "replace") target.clear();
    }
    for (const json::value& item : patch)
        if (item.is_object()) merge_element(target, item.get_object(), key, name);
}

/// What tells an element apart: its key's value, or itself.
json::value identity(const json::value& item, std::string_view key) {
    if (key.empty()) return item;
    const json::value* value = key_value(item, key);
    return value == nullptr ? json::value() : *value;
}

/// Those that are named stand in that order, in the places that they have together.
void order(json::array& target, const json::array& wanted, std::string_view key) {
    const auto rank = [&](const json::value& item) {
        std::size_t at = 0;
        const json::value own = identity(item, key);
        while (at < wanted.size() && identity(wanted[at], key) != own) ++at;
        return at;
    };
    std::vector<std::pair<std::size_t, std::size_t>> named;  // rank, place
    for (std::size_t i = 0; i < target.size(); ++i)
        if (const std::size_t at = rank(target[i]); at < wanted.size()) named.emplace_back(at, i);
    std::vector<std::size_t> places;
    for (const auto& entry : named) places.push_back(entry.second);
    std::ranges::sort(named);
    const json::array before = target;
    for (std::size_t i = 0; i < named.size(); ++i) target[places[i]] = before[named[i].second];
}

void retain_keys(json::object& target, const json::object& patch) {
    const json::array* keys = find_array(patch, "$retainKeys");
    if (keys == nullptr) return;
    std::vector<std::string> gone;
    for (const auto& member : target)
        if (!is_in(*keys, json::value(member.key()))) gone.emplace_back(member.key());
    for (const std::string& key : gone) target.erase(key);
}

void merge_array(json::object& target, const json::string_view field, const json::array& patch,
                 std::string_view name) {
    const ListPlace place{name, view(field)};
    const std::string_view key = merge_key(place);
    json::value& member = target[field];
    if (!member.is_array()) member.emplace_array();
    json::array& list = member.get_array();
    if (!key.empty()) {
        merge_list(list, patch, key, view(field));
    } else if (is_set(place)) {
        for (const json::value& item : patch)
            if (!is_in(list, item)) list.push_back(item);
    } else {
        list = patch;
    }
}

void merge_member(json::object& target, json::string_view field, const json::value& value,
                  std::string_view name) {
    if (value.is_null()) {
        target.erase(field);
    } else if (const json::object* object = value.if_object()) {
        if (text_at(*object, "$patch") == "delete") {
            target.erase(field);
        } else {
            merge_object(make_object(target, view(field)), *object, view(field));
        }
    } else if (const json::array* list = value.if_array()) {
        merge_array(target, field, *list, name);
    } else {
        target[field] = value;
    }
}

/// Those that come after the rest is merged.
void follow_directives(json::object& target, const json::object& patch, std::string_view name) {
    for (const auto& [directive, value] : patch) {
        const json::array* list = value.if_array();
        if (list == nullptr) continue;
        if (view(directive).starts_with(delete_prefix)) {
            json::value* member = target.if_contains(directive.substr(delete_prefix.size()));
            if (member == nullptr || !member->is_array()) continue;
            json::array kept;
            for (const json::value& item : member->get_array())
                if (!is_in(*list, item)) kept.push_back(item);
            *member = std::move(kept);
        }
        if (view(directive).starts_with(order_prefix)) {
            const json::string_view field = directive.substr(order_prefix.size());
            json::value* member = target.if_contains(field);
            if (member != nullptr && member->is_array())
                order(member->get_array(), *list, merge_key({name, view(field)}));
        }
    }
}

void merge_object(json::object& target, const json::object& patch, std::string_view name) {
    if (text_at(patch, "$patch") == "replace") target.clear();
    retain_keys(target, patch);
    for (const auto& [field, value] : patch)
        if (!field.starts_with('$')) merge_member(target, field, value, name);
    follow_directives(target, patch, name);
}

}  // namespace

void apply_strategic_patch(json::object& object, const json::object& patch) {
    merge_object(object, patch, {});
}

}  // namespace capstan::simulation
