#include "simulator/scenario_groups.hpp"

#include <algorithm>
#include <map>
#include <string>
#include <string_view>
#include <utility>

#include <capstan/duration.hpp>
#include <capstan/quantity.hpp>
#include <capstan/resources.hpp>

#include "config/text.hpp"
#include "config/toml_values.hpp"
#include "simulator/cloud_control.hpp"
#include "simulator/scenario_input_keys.hpp"
#include "simulator/scenario_objects.hpp"

namespace capstan::simulator {
namespace {

using config::Diagnostics;
using config::TomlValue;

/// Adds a copy of the group for each of its `zones` to `to`, or the group itself if it has none.
void expand(const TomlValue& group, std::vector<TomlValue>& to, Diagnostics& diagnostics) {
    const TomlValue* zones = group.find("zones");
    if (zones == nullptr) return to.push_back(group);
    if (zones->kind != TomlValue::Kind::array || zones->children.empty() ||
        group.find("zone") != nullptr) {
        diagnostics.error(zones->place,
                          "group: 'zones' must be a list of zones and excludes 'zone'");
        return;
    }
    for (const TomlValue& zone : zones->children) {
        TomlValue copy = group;
        for (const char* key : {"zones", "id"}) erase(copy, key);
        copy.children.push_back(
            config::text_value("id", text_of(group, "id") + "-" + zone.text, group.place));
        TomlValue own = zone;
        own.key = "zone";
        own.key_place = zone.place;
        copy.children.push_back(std::move(own));
        to.push_back(std::move(copy));
    }
}

/// A group with `boot = "never"` gets a capacity of 0 at the start: it keeps the machines it starts
/// with, and machines that it is asked for later never come.
void stop_booting(TomlValue& group) {
    if (text_of(group, "boot") != "never") return;
    erase(group, "boot");
    if (group.find("on_exhausted") == nullptr)
        group.children.push_back(config::text_value("on_exhausted", "silent", group.place));
    TomlValue none{.place = group.place};
    none.children.push_back(config::text_value("at", "0s", group.place));
    none.children.push_back({.kind = TomlValue::Kind::integer,
                             .key = "capacity",
                             .key_place = group.place,
                             .place = group.place});
    std::vector<TomlValue>& changes = list_of(group, "changes", group.place).children;
    changes.insert(changes.begin(), std::move(none));
}

/// Takes the keys that say how machines become nodes out of the table. Absent: there are none, or
/// they have errors, which are reported.
std::optional<Registration> take_registration(TomlValue& table, std::string id,
                                              Diagnostics& diagnostics) {
    static const config::Fields fields = config::fields_of(Registration{});
    TomlValue own{.place = table.place};
    for (const config::Field& field : fields) {
        if (const TomlValue* const member = table.find(field.key)) own.children.push_back(*member);
        erase(table, field.key);
    }
    if (own.children.empty()) return std::nullopt;
    const std::size_t before = diagnostics.errors();
    const config::SettingValue read = config::validate_settings(own, fields, "group", diagnostics);
    if (diagnostics.errors() > before) return std::nullopt;
    check_taints(read.find("join_taints"), diagnostics);
    Registration out = config::read_section<Registration>(read);
    out.group = std::move(id);
    return out;
}

/// The cpu and memory of a machine type. A value that is not a quantity is left to the plugin to
/// refuse.
Resources amounts_of(const TomlValue& type) {
    Resources out;
    for (const char* resource : {"cpu", "memory"}) {
        const TomlValue* const member = type.find(resource);
        if (member == nullptr) continue;
        const auto quantity = parse_quantity(member->kind == TomlValue::Kind::integer
                                                 ? std::to_string(member->integer)
                                                 : member->text);
        if (quantity) out.set(resource, amount_of(resource, *quantity));
    }
    return out;
}

/// The resources of a group's machine types, by type; empty: the group has a single type.
std::map<std::string, Resources> types_of(const TomlValue& group) {
    const TomlValue* const machine = group.find("machine");
    const TomlValue* const mix = machine == nullptr ? nullptr : machine->find("mix");
    if (mix == nullptr) return {};
    std::map<std::string, Resources> out{{text_of(*machine, "type"), amounts_of(*machine)}};
    for (const TomlValue& type : mix->children)
        out.insert_or_assign(text_of(type, "type"), amounts_of(type));
    return out;
}

/// The tables of the list at `key`. If the value there is no list, `what` is reported.
std::vector<TomlValue> tables_of(const TomlValue& parent, std::string_view key,
                                 const std::string& what, Diagnostics& diagnostics) {
    const TomlValue* const given = parent.find(key);
    if (given == nullptr) return {};
    if (given->kind == TomlValue::Kind::array) return given->children;
    diagnostics.error(given->place, what);
    return {};
}

const TomlValue* find_list(const TomlValue& root, std::string_view key) {
    const TomlValue* const given = root.find(key);
    return given != nullptr && given->kind == TomlValue::Kind::array ? given : nullptr;
}

/// Turns groups as they are written into the plugin's settings, and adds what they say of
/// registration to `registrations`.
std::vector<TomlValue> take_groups(const std::vector<TomlValue>& given,
                                   std::vector<Registration>& registrations,
                                   Diagnostics& diagnostics) {
    std::vector<TomlValue> out;
    for (const TomlValue& group : given) expand(group, out, diagnostics);
    for (TomlValue& group : out) {
        stop_booting(group);
        if (auto own = take_registration(group, text_of(group, "id"), diagnostics))
            registrations.push_back(*std::move(own));
        if (auto types = types_of(group); !types.empty())
            registrations.push_back({.group = text_of(group, "id"), .types = std::move(types)});
    }
    return out;
}

/// When, after the start, groups change by themselves; ascending.
std::vector<Duration> change_moments(const std::vector<TomlValue>& groups) {
    std::vector<Duration> out;
    for (const TomlValue& group : groups) {
        const TomlValue* changes = group.find("changes");
        if (changes == nullptr) continue;
        for (const TomlValue& change : changes->children) {
            if (const auto at = parse_duration(text_of(change, "at"))) out.push_back(*at);
        }
    }
    std::ranges::sort(out);
    return out;
}

}  // namespace

std::optional<ScenarioCloud> make_cloud(const TomlValue& root, Diagnostics& diagnostics) {
    const TomlValue* const given = find_list(root, "group");
    const TomlValue* const types = find_list(root, "machine_type");
    const std::vector<TomlValue> tables =
        tables_of(root, "group", "group: expected tables, written [[group]]", diagnostics);
    tables_of(root, "machine_type", "machine_type: expected tables, written [[machine_type]]",
              diagnostics);
    if (given == nullptr && types == nullptr) return std::nullopt;
    ScenarioCloud out;
    // Without [[group]] the cloud has only the groups that it is asked to make.
    TomlValue list = given != nullptr ? *given : TomlValue{.kind = TomlValue::Kind::array};
    list.key = "groups";
    list.children = take_groups(tables, out.registrations, diagnostics);
    out.settings.source = diagnostics.source();
    out.settings.changes = change_moments(list.children);
    if (const TomlValue* const cloud = root.find("cloud"))
        out.settings.settings.children = cloud->children;
    out.settings.settings.children.push_back(std::move(list));
    if (types != nullptr) {
        out.settings.settings.children.push_back(*types);
        out.settings.settings.children.back().key = "machine_types";
    }
    return out;
}

namespace {

/// `{ id = "west", drop = ["fail"], latency = "2s" }`. Also changes the settings of the scenario's
/// own cloud, so that they are checked.
CloudEdit make_cloud_edit(const TomlValue& table, GroupsKnown known, TomlValue& changed) {
    CloudEdit out{.cloud = PluginInstanceId(text_of(table, "id"))};
    for (const TomlValue& member : table.children) {
        if (member.key == "id") continue;
        if (member.key == "drop") {
            for (const TomlValue& key : member.children) out.dropped.push_back(key.text);
            continue;
        }
        out.settings.children.push_back(member);
    }
    if (known != GroupsKnown::all) return out;
    for (const std::string& key : out.dropped) erase(changed, key);
    for (const TomlValue& member : out.settings.children) put(member, changed);
    return out;
}

}  // namespace

TomlValue groups_of_plugins(const TomlValue& root) {
    TomlValue out;
    const TomlValue* const plugins = root.find("plugin");
    if (plugins == nullptr) return out;
    TomlValue& all = list_of(out, "groups");
    for (const TomlValue& plugin : plugins->children) {
        const TomlValue* const settings = plugin.find("settings");
        const TomlValue* const groups = settings == nullptr ? nullptr : settings->find("groups");
        if (groups == nullptr) continue;
        all.children.insert(all.children.end(), groups->children.begin(), groups->children.end());
    }
    return out;
}

std::vector<Action> make_cloud_actions(const TomlValue& step, CloudSettings& cloud,
                                       GroupsKnown known, Diagnostics& diagnostics) {
    std::vector<Action> out;
    TomlValue& changed = cloud.changed;
    if (changed.children.empty()) changed = cloud.settings;
    std::vector<Registration> registrations;
    for (const TomlValue& group : take_groups(
             tables_of(step, "groups", "step.groups: expected a list of tables", diagnostics),
             registrations, diagnostics)) {
        add_group(changed, group);
        out.push_back({.what = AddGroup{group}, .place = group.place});
    }
    for (Registration& own : registrations) out.push_back({.what = std::move(own)});
    // Removed groups stay in `changed`, since their settings are checked, too.
    for (const TomlValue& id : tables_of(step, "remove_groups", "", diagnostics))
        out.push_back({.what = RemoveGroup{id.text}, .place = id.place});
    for (TomlValue change :
         tables_of(step, "change", "step.change: expected a list of tables", diagnostics)) {
        const std::string id = text_of(change, "group");
        erase(change, "group");
        if (auto own = take_registration(change, id, diagnostics))
            out.push_back({.what = *std::move(own), .place = change.place});
        CloudChange external_event{id, change};
        const bool is_known = add_change(changed, external_event, Duration(0)).has_value();
        if (!is_known && known == GroupsKnown::all) {
            diagnostics.error(change.place,
                              "step.change: unknown group '" + config::shortened(id, 60) + "'");
        } else if (!change.children.empty()) {
            const TomlValue* const group = find_group(changed, id);
            if (auto types = types_of(group != nullptr ? *group : change); !types.empty())
                out.push_back({.what = Registration{.group = id, .types = std::move(types)}});
            out.push_back({.what = std::move(external_event), .place = change.place});
        }
    }
    for (const TomlValue& edit :
         tables_of(step, "cloud", "step.cloud: expected a list of tables", diagnostics))
        out.push_back({.what = make_cloud_edit(edit, known, changed), .place = edit.place});
    return out;
}

}  // namespace capstan::simulator
