#include "simulator/api_server/json_patch.hpp"

#include <algorithm>
#include <charconv>
#include <string>
#include <utility>
#include <vector>

#include "simulator/api_server/api_request.hpp"

namespace capstan::simulator::api_server {
namespace {

using Steps = std::vector<std::string>;

StatusError unfit(const std::string& why) {
    return {
        422, "Invalid", "the server rejected our request due to an error in our request: " + why,
        {},  {},        {}};
}

/// One step of a JSON pointer, with "~1" and "~0" unescaped.
std::string unescaped_step(std::string_view step) {
    std::string out;
    for (std::size_t i = 0; i < step.size(); ++i) {
        const bool is_escape = step[i] == '~' && i + 1 < step.size();
        out += is_escape ? (step[++i] == '1' ? '/' : '~') : step[i];
    }
    return out;
}

Answer<Steps> parse_pointer(std::string_view pointer) {
    Steps out;
    if (pointer.empty()) return out;
    if (pointer.front() != '/')
        return fail(unfit("path " + std::string(pointer) + " does not start with /"));
    for (pointer.remove_prefix(1);;) {
        const std::size_t slash = pointer.find('/');
        out.push_back(unescaped_step(pointer.substr(0, slash)));
        if (slash == std::string_view::npos) return out;
        pointer.remove_prefix(slash + 1);
    }
}

/// The step as an index. Absent: `step` is not an index up to `limit`.
std::optional<std::size_t> index_of(const std::string& step, std::size_t limit) {
    std::size_t out = 0;
    const auto [end, error] = std::from_chars(step.data(), step.data() + step.size(), out);
    if (error != std::errc() || end != step.data() + step.size() || out > limit)
        return std::nullopt;
    return out;
}

/// The member or element that `step` names; NULL: there is none.
json::value* find_step(json::value& at, const std::string& step) {
    if (json::object* object = at.if_object()) return object->if_contains(step);
    json::array* list = at.if_array();
    if (list == nullptr || list->empty()) return nullptr;
    const auto index = index_of(step, list->size() - 1);
    return index ? &(*list)[*index] : nullptr;
}

json::value* find_place(json::value& document, const Steps& steps, std::size_t count) {
    json::value* at = &document;
    for (std::size_t i = 0; i < count && at != nullptr; ++i) at = find_step(*at, steps[i]);
    return at;
}

StatusError missing(const std::string& path) {
    return unfit("doc is missing path: \"" + path + "\"");
}

Answer<void> add(json::value& document, const std::string& path, const Steps& steps,
                 json::value value) {
    if (steps.empty()) {
        document = std::move(value);
        return {};
    }
    json::value* parent = find_place(document, steps, steps.size() - 1);
    if (parent == nullptr) return fail(missing(path));
    if (json::object* object = parent->if_object()) {
        (*object)[steps.back()] = std::move(value);
        return {};
    }
    json::array* list = parent->if_array();
    if (list == nullptr) return fail(missing(path));
    const auto index =
        steps.back() == "-" ? std::optional(list->size()) : index_of(steps.back(), list->size());
    if (!index) return fail(missing(path));
    list->insert(list->begin() + static_cast<std::ptrdiff_t>(*index), std::move(value));
    return {};
}

Answer<json::value> take(json::value& document, const std::string& path, const Steps& steps) {
    json::value* found = steps.empty() ? nullptr : find_place(document, steps, steps.size());
    if (found == nullptr) return fail(missing(path));
    json::value out = std::move(*found);
    json::value* parent = find_place(document, steps, steps.size() - 1);
    if (json::object* object = parent->if_object()) {
        object->erase(steps.back());
    } else {
        parent->get_array().erase(found);
    }
    return out;
}

Answer<json::value> source(json::value& document, const json::object& operation, bool moves) {
    const std::string from(text_at(operation, "from"));
    CAPSTAN_TRY(const Steps steps, parse_pointer(from));
    if (moves) return take(document, from, steps);
    const json::value* found = find_place(document, steps, steps.size());
    if (found == nullptr) return fail(missing(from));
    return *found;
}

Answer<void> replace_or_test(json::value& document, const std::string& path, const Steps& steps,
                             const json::value& value, bool tests) {
    json::value* found = find_place(document, steps, steps.size());
    if (found == nullptr && !(tests && value.is_null())) return fail(missing(path));
    if (!tests) {
        *found = value;
    } else if (found != nullptr && *found != value) {
        return fail(unfit("testing value " + path + " failed: test failed"));
    }
    return {};
}

Answer<void> apply_one(json::value& document, const json::object& operation) {
    const std::string_view op = text_at(operation, "op");
    const std::string path(text_at(operation, "path"));
    CAPSTAN_TRY(const Steps steps, parse_pointer(path));
    if (op == "remove") {
        CAPSTAN_TRY(const json::value taken, take(document, path, steps));
        return {};
    }
    if (op == "move" || op == "copy") {
        CAPSTAN_TRY(json::value moved, source(document, operation, op == "move"));
        return add(document, path, steps, std::move(moved));
    }
    const json::value* value = operation.if_contains("value");
    if (value == nullptr)
        return fail(unfit("operation " + std::string(op) + " is missing the value field"));
    if (op == "add") return add(document, path, steps, *value);
    if (op == "replace" || op == "test")
        return replace_or_test(document, path, steps, *value, op == "test");
    return fail(unfit("Unexpected kind: " + std::string(op)));
}

}  // namespace

Answer<void> apply_json_patch(json::value& document, const json::array& operations) {
    for (const json::value& operation : operations) {
        if (!operation.is_object()) return fail(unfit("operation is not a JSON object"));
        CAPSTAN_CHECK(apply_one(document, operation.get_object()));
    }
    return {};
}

void apply_merge_patch(json::value& document, const json::value& patch) {
    const json::object* changes = patch.if_object();
    if (changes == nullptr) {
        document = patch;
        return;
    }
    if (!document.is_object()) document.emplace_object();
    json::object& object = document.get_object();
    for (const auto& [key, value] : *changes) {
        if (value.is_null()) {
            object.erase(key);
        } else {
            apply_merge_patch(object[key], value);
        }
    }
}

namespace {

constexpr std::string_view order_prefix = "$setElementOrder/";
constexpr std::string_view delete_prefix = "$deleteFromPrimitiveList/";

void merge_object(json::object& target, const json::object& patch, std::string_view name);

bool is_in(const json::array& list, const json::value& value) {
    return std::ranges::find(list, value) != list.end();
}

/// The object that a patch makes where there was none.
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

/// The value by which elements are compared: that of the merge key, or the element itself.
json::value identity(const json::value& item, std::string_view key) {
    if (key.empty()) return item;
    const json::value* value = key_value(item, key);
    return value == nullptr ? json::value() : *value;
}

/// $setElementOrder: sorts the elements that `wanted` names among the places that they occupy; all
/// other elements keep their places.
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

/// $deleteFromPrimitiveList and $setElementOrder, which take effect after all members are merged.
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

}  // namespace capstan::simulator::api_server
