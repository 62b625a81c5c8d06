#include "simulator/api_server/managed_fields.hpp"

#include <algorithm>
#include <array>
#include <string>
#include <utility>

#include <boost/json/parse.hpp>
#include <boost/json/serialize.hpp>

#include <capstan/time_text.hpp>

#include "simulator/api_server/api_request.hpp"

namespace capstan::simulator::api_server {
namespace {

bool is_of(const json::object& entry, const FieldManager& manager) {
    return text_at(entry, "manager") == manager.name &&
           text_at(entry, "operation") == manager.operation &&
           text_at(entry, "subresource") == manager.subresource;
}

FieldSet fields_in(const json::object& entry) {
    const json::object* fields = find_object(entry, "fieldsV1");
    return fields == nullptr ? FieldSet() : *fields;
}

json::object make_entry(const json::object& object, const FieldManager& manager, FieldSet fields,
                        Time now) {
    json::object out{{"manager", manager.name},
                     {"operation", manager.operation},
                     {"apiVersion", json_view(text_at(object, "apiVersion"))},
                     {"time", format_rfc3339(now, 0)},
                     {"fieldsType", "FieldsV1"},
                     {"fieldsV1", std::move(fields)}};
    if (!manager.subresource.empty()) out["subresource"] = manager.subresource;
    return out;
}

/// The entries of all other managers, without the fields `taken`. Entries that become empty are
/// left out.
json::array others_without(const json::array& entries, const FieldManager& manager,
                           const FieldSet& taken) {
    json::array out;
    for (const json::value& item : entries) {
        const json::object* entry = item.if_object();
        if (entry == nullptr || entry->empty() || is_of(*entry, manager)) continue;
        FieldSet left = subtract(fields_in(*entry), taken);
        if (left.empty()) continue;
        json::object kept = *entry;
        kept["fieldsV1"] = std::move(left);
        out.push_back(std::move(kept));
    }
    return out;
}

FieldSet fields_of_manager(const json::array& entries, const FieldManager& manager) {
    for (const json::value& item : entries)
        if (const json::object* entry = item.if_object();
            entry != nullptr && is_of(*entry, manager))
            return fields_in(*entry);
    return {};
}

void merge_config(json::object& live, const json::object& config, std::string_view name,
                  bool is_custom);

/// Merges elements with the same merge key, and appends the elements that `live` lacks. A list
/// without a merge key is replaced.
void merge_config_list(json::value& live, const json::array& config, const ListPlace& place) {
    const std::string_view key = merge_key(place);
    if (!live.is_array() || (key.empty() && !is_set(place))) {
        live = config;
        return;
    }
    json::array& list = live.get_array();
    for (const json::value& item : config) {
        const json::value* value = item.is_object() && !key.empty()
                                       ? item.get_object().if_contains(json_view(key))
                                       : nullptr;
        json::object* match = value == nullptr ? nullptr : find_element(list, key, *value);
        if (match != nullptr) {
            merge_config(*match, item.get_object(), place.field, place.is_custom);
        } else if (std::ranges::find(list, item) == list.end()) {
            list.push_back(item);
        }
    }
}

void merge_config(json::object& live, const json::object& config, std::string_view name,
                  bool is_custom) {
    for (const auto& [key, value] : config) {
        if (value.is_null()) continue;
        if (const json::object* object = value.if_object()) {
            merge_config(make_object(live, view(key)), *object, view(key), is_custom);
        } else if (const json::array* list = value.if_array()) {
            merge_config_list(live[key], *list, {name, view(key), is_custom});
        } else {
            live[key] = value;
        }
    }
}

/// A manager in a conflict's message: "kubectl" with subresource "scale" using apps/v1.
std::string manager_text(const json::object& entry) {
    std::string out = "\"" + std::string(text_at(entry, "manager")) + "\"";
    if (const std::string_view below = text_at(entry, "subresource"); !below.empty())
        out += " with subresource \"" + std::string(below) + "\"";
    return out + " using " + std::string(text_at(entry, "apiVersion"));
}

Answer<void> check_owners(const ResourceKind& kind, const json::object& live,
                          const FieldSet& changes, const FieldManager& manager) {
    json::array causes;
    std::string conflicts;
    for (const json::value& item : managers_of(live)) {
        const json::object* entry = item.if_object();
        if (entry == nullptr || is_of(*entry, manager)) continue;
        const FieldSet both = intersect(changes, fields_in(*entry));
        if (both.empty()) continue;
        const std::string field = first_field(both);
        const std::string message = "conflict with " + manager_text(*entry);
        conflicts += (conflicts.empty() ? "" : ", ") + message + ": " + field;
        causes.push_back(json::object{
            {"reason", "FieldManagerConflict"}, {"message", message}, {"field", field}});
    }
    if (causes.empty()) return {};
    StatusError refusal = conflict(kind.resource(), std::string(name_of(live)), "");
    refusal.message = "Apply failed with " + std::to_string(causes.size()) +
                      (causes.size() == 1 ? " conflict: " : " conflicts: ") + conflicts;
    refusal.details["causes"] = std::move(causes);
    return fail(std::move(refusal));
}

/// The fields that the manager had set, that are not in `set`, and that no other manager has.
FieldSet abandoned_fields(const json::array& entries, const FieldManager& manager,
                          const FieldSet& set) {
    FieldSet out = subtract(fields_of_manager(entries, manager), set);
    for (const json::value& item : entries)
        if (const json::object* entry = item.if_object();
            entry != nullptr && !is_of(*entry, manager))
            out = subtract(out, fields_in(*entry));
    return out;
}

}  // namespace

const json::array& managers_of(const json::object& object) {
    static const json::array none;
    const json::array* entries = find_array(object, "metadata.managedFields");
    return entries == nullptr ? none : *entries;
}

void record_fields(json::object& fresh, const json::object* before, const FieldManager& manager,
                   Time now) {
    static const json::object nothing;
    const FieldSet changes = changed_fields(before == nullptr ? nothing : *before, fresh, false);
    if (changes.empty()) return;
    json::array entries = others_without(managers_of(fresh), manager, changes);
    FieldSet own = fields_of_manager(managers_of(fresh), manager);
    unite(own, changes);
    entries.push_back(make_entry(fresh, manager, std::move(own), now));
    make_object(fresh, "metadata")["managedFields"] = std::move(entries);
}

Answer<json::object> apply_config(const ResourceKind& kind, const json::object* live,
                                  const json::object& config, const FieldManager& manager,
                                  bool force, Time now) {
    const FieldSet set = fields_of(config, kind.is_custom);
    json::object out = live == nullptr ? json::object() : *live;
    merge_config(out, config, {}, kind.is_custom);
    json::array entries;
    if (live != nullptr) {
        const FieldSet changes = intersect(changed_fields(*live, out, kind.is_custom), set);
        if (!force) CAPSTAN_CHECK(check_owners(kind, *live, changes, manager));
        remove_fields(out, abandoned_fields(managers_of(*live), manager, set));
        entries = others_without(managers_of(*live), manager, changes);
    }
    entries.push_back(make_entry(out, manager, set, now));
    make_object(out, "metadata")["managedFields"] = std::move(entries);
    return out;
}

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

/// The element with the member `key` equal to `value`; NULL: there is none.
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

    /// The fields of `now` that differ from `before`. `before`, NULL: all fields of `now`.
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

/// The fields below a key of a set; empty: the key stands for the whole field.
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
        const bool is_match = step.starts_with("v:") ? is_equal(*item, key) : [&] {
            const json::object* element = item->if_object();
            if (element == nullptr || !key.is_object()) return false;
            return std::ranges::all_of(key.get_object(), [&](const auto& member) {
                const json::value* found = element->if_contains(member.key());
                return found != nullptr && is_equal(*found, member.value());
            });
        }();
        if (!is_match) continue;
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
        const FieldSet& fields_a = below(value);
        const FieldSet& fields_b = below(*match);
        FieldSet both = intersect(fields_a, fields_b);
        if (fields_a.empty() || fields_b.empty() || !both.empty()) out[step] = std::move(both);
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

}  // namespace capstan::simulator::api_server
