#include "simulation/api_server/field_sets.hpp"

#include <algorithm>
#include <array>
#include <string>
#include <utility>

#include <boost/json/parse.hpp>
#include <boost/json/serialize.hpp>

#include "simulation/api_server/api_request.hpp"

namespace capstan::simulation::api_server {
namespace {

constexpr std::array unowned_metadata = {"name",
                                         "namespace",
                                         "uid",
                                         "creationTimestamp",
                                         "resourceVersion",
                                         "generation",
                                         "generateName",
                                         "managedFields",
                                         "deletionTimestamp",
                                         "deletionGracePeriodSeconds"};

/// NULL where there is none of that key.
const json::value* find_match(const json::array& list, std::string_view key,
                              const json::value& value) {
    for (const json::value& item : list) {
        const json::object* object = item.if_object();
        const json::value* member =
            object == nullptr ? nullptr : object->if_contains(json_view(key));
        if (member != nullptr && is_equal(*member, value)) return &item;
    }
    return nullptr;
}

class Collector {
public:
    explicit Collector(bool is_custom) : is_custom_(is_custom) {}

    /// `before`: NULL: everything counts.
    FieldSet object(const json::object& now, const json::object* before, std::string_view name) {
        FieldSet out;
        for (const auto& [key, value] : now) {
            const json::value* old = before == nullptr ? nullptr : before->if_contains(key);
            if (value.is_null() || (old != nullptr && is_equal(*old, value))) continue;
            out["f:" + std::string(key)] = value_fields(value, old, {name, view(key), is_custom_});
        }
        return out;
    }

private:
    FieldSet value_fields(const json::value& now, const json::value* old, const ListPlace& place) {
        if (const json::object* object_now = now.if_object())
            return object(*object_now, old == nullptr ? nullptr : old->if_object(), place.field);
        const json::array* list = now.if_array();
        const json::array* old_list = old == nullptr ? nullptr : old->if_array();
        if (list == nullptr) return {};
        if (is_set(place)) return values(*list, old_list);
        const std::string_view key = merge_key(place);
        return key.empty() ? FieldSet() : elements(*list, old_list, key, place);
    }

    FieldSet values(const json::array& list, const json::array* old) {
        FieldSet out;
        for (const json::value& item : list)
            if (old == nullptr || std::ranges::find(*old, item) == old->end())
                out["v:" + json::serialize(item)] = FieldSet();
        return out;
    }

    FieldSet elements(const json::array& list, const json::array* old, std::string_view key,
                      const ListPlace& place) {
        FieldSet out;
        for (const json::value& item : list) {
            const json::object* element = item.if_object();
            const json::value* value =
                element == nullptr ? nullptr : element->if_contains(json_view(key));
            if (value == nullptr) continue;
            const json::value* match = old == nullptr ? nullptr : find_match(*old, key, *value);
            if (match != nullptr && is_equal(*match, item)) continue;
            FieldSet fields =
                object(*element, match == nullptr ? nullptr : match->if_object(), place.field);
            if (match == nullptr) fields["."] = FieldSet();
            out["k:" + json::serialize(json::object{{json_view(key), *value}})] = std::move(fields);
        }
        return out;
    }

    bool is_custom_;
};

FieldSet collected(const json::object& object, const json::object* before, bool is_custom) {
    FieldSet out = Collector(is_custom).object(object, before, {});
    out.erase("f:apiVersion");
    out.erase("f:kind");
    if (json::value* metadata = out.if_contains("f:metadata")) {
        for (const char* key : unowned_metadata)
            metadata->get_object().erase("f:" + std::string(key));
        if (metadata->get_object().empty()) out.erase("f:metadata");
    }
    return out;
}

const FieldSet& below(const json::value& value) {
    static const FieldSet none;
    const json::object* object = value.if_object();
    return object == nullptr ? none : *object;
}

void remove_elements(json::array& list, std::string_view step, const FieldSet& fields) {
    boost::system::error_code error;
    const json::value key = json::parse(json_view(step.substr(2)), error);
    if (error) return;
    for (auto item = list.begin(); item != list.end(); ++item) {
        const bool is_it = step.starts_with("v:") ? is_equal(*item, key) : [&] {
            const json::object* element = item->if_object();
            if (element == nullptr || !key.is_object()) return false;
            return std::ranges::all_of(key.get_object(), [&](const auto& member) {
                const json::value* found = element->if_contains(member.key());
                return found != nullptr && is_equal(*found, member.value());
            });
        }();
        if (!is_it) continue;
        if (step.starts_with("v:") || fields.contains(".")) {
            list.erase(item);
        } else {
            remove_fields(item->get_object(), fields);
        }
        return;
    }
}

}  // namespace

FieldSet fields_of(const json::object& object, bool is_custom) {
    return collected(object, nullptr, is_custom);
}

FieldSet changed_fields(const json::object& before, const json::object& after, bool is_custom) {
    return collected(after, &before, is_custom);
}

void unite(FieldSet& into, const FieldSet& other) {
    for (const auto& [step, value] : other) {
        json::value& member = into[step];
        if (!member.is_object()) member.emplace_object();
        unite(member.get_object(), below(value));
    }
}

FieldSet subtract(const FieldSet& from, const FieldSet& other) {
    FieldSet out;
    for (const auto& [step, value] : from) {
        const json::value* match = other.if_contains(step);
        const FieldSet& fields = below(value);
        if (match == nullptr) {
            out[step] = value;
        } else if (!fields.empty()) {
            FieldSet left = subtract(fields, below(*match));
            if (!left.empty()) out[step] = std::move(left);
        }
    }
    return out;
}

FieldSet intersect(const FieldSet& a, const FieldSet& b) {
    FieldSet out;
    for (const auto& [step, value] : a) {
        const json::value* match = b.if_contains(step);
        if (match == nullptr) continue;
        const FieldSet& ours = below(value);
        const FieldSet& theirs = below(*match);
        FieldSet both = intersect(ours, theirs);
        if (ours.empty() || theirs.empty() || !both.empty()) out[step] = std::move(both);
    }
    return out;
}

void remove_fields(json::object& object, const FieldSet& fields) {
    for (const auto& [step, value] : fields) {
        if (!step.starts_with("f:")) continue;
        const json::string_view key = step.substr(2);
        json::value* member = object.if_contains(key);
        if (member == nullptr) continue;
        const FieldSet& rest = below(value);
        if (rest.empty()) {
            object.erase(key);
        } else if (json::object* inner = member->if_object()) {
            remove_fields(*inner, rest);
        } else if (json::array* list = member->if_array()) {
            for (const auto& [element, element_fields] : rest)
                if (element.starts_with("k:") || element.starts_with("v:"))
                    remove_elements(*list, view(element), below(element_fields));
        }
    }
}

std::string first_field(const FieldSet& fields) {
    for (const auto& [step, value] : fields) {
        const std::string_view text = view(step);
        if (text == ".") continue;
        const std::string own = text.starts_with("f:") ? "." + std::string(text.substr(2))
                                                       : "[" + std::string(text.substr(2)) + "]";
        return own + first_field(below(value));
    }
    return {};
}

}  // namespace capstan::simulation::api_server
