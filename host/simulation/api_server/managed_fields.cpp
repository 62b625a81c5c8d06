#include "simulation/api_server/managed_fields.hpp"

#include <algorithm>
#include <utility>

#include <capstan/time_text.hpp>

#include "simulation/api_server/api_request.hpp"

namespace capstan::simulation::api_server {
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

/// All entries but the manager's, without `taken`; those that have nothing left go.
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

/// Elements that both have are merged; those that are new come last.
void merge_config(json::object& live, const json::object& config, std::string_view name,
                  bool is_custom);

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

/// As kubectl's users know it: "kubectl" with subresource "scale" using apps/v1.
std::string manager_text(const json::object& entry) {
    std::string out = "\"" + std::string(text_at(entry, "manager")) + "\"";
    if (const std::string_view below = text_at(entry, "subresource"); !below.empty())
        out += " with subresource \"" + std::string(below) + "\"";
    return out + " using " + std::string(text_at(entry, "apiVersion"));
}

Answer<void> check_owners(const ResourceKind& kind, const json::object& live,
                          const FieldSet& changes, const FieldManager& manager) {
    json::array causes;
    std::string said;
    for (const json::value& item : managers_of(live)) {
        const json::object* entry = item.if_object();
        if (entry == nullptr || is_of(*entry, manager)) continue;
        const FieldSet both = intersect(changes, fields_in(*entry));
        if (both.empty()) continue;
        const std::string field = first_field(both);
        const std::string message = "conflict with " + manager_text(*entry);
        said += (said.empty() ? "" : ", ") + message + ": " + field;
        causes.push_back(json::object{
            {"reason", "FieldManagerConflict"}, {"message", message}, {"field", field}});
    }
    if (causes.empty()) return {};
    StatusError refusal =
        conflict(kind.resource(), std::string(text_at(live, "metadata.name")), "");
    refusal.message = "Apply failed with " + std::to_string(causes.size()) +
                      (causes.size() == 1 ? " conflict: " : " conflicts: ") + said;
    refusal.details["causes"] = std::move(causes);
    return fail(std::move(refusal));
}

/// What the manager had set, sets no more, and no other manager sets.
FieldSet given_up(const json::array& entries, const FieldManager& manager, const FieldSet& set) {
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
        remove_fields(out, given_up(managers_of(*live), manager, set));
        entries = others_without(managers_of(*live), manager, changes);
    }
    entries.push_back(make_entry(out, manager, set, now));
    make_object(out, "metadata")["managedFields"] = std::move(entries);
    return out;
}

}  // namespace capstan::simulation::api_server
