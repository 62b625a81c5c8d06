#include "simulation/scenario_groups.hpp"

#include <algorithm>
#include <string>
#include <utility>

#include <capstan/duration.hpp>

#include "runtime/config/text.hpp"

namespace capstan::simulation {
namespace {

using runtime::Diagnostics;
using runtime::TomlValue;
using Kind = TomlValue::Kind;

TomlValue text_value(std::string key, std::string text, runtime::Place place) {
    return {.kind = Kind::string,
            .key = std::move(key),
            .key_place = place,
            .place = place,
            .text = std::move(text)};
}

void erase(TomlValue& table, std::string_view key) {
    std::erase_if(table.children, [&](const TomlValue& member) { return member.key == key; });
}

std::string text_of(const TomlValue& table, std::string_view key) {
    const TomlValue* member = table.find(key);
    return member == nullptr || member->kind != Kind::string ? "" : member->text;
}

/// A group for each of its zones.
void add_group(const TomlValue& group, std::vector<TomlValue>& to, Diagnostics& diagnostics) {
    const TomlValue* zones = group.find("zones");
    if (zones == nullptr) return to.push_back(group);
    if (zones->kind != Kind::array || zones->children.empty() || group.find("zone") != nullptr) {
        diagnostics.error(zones->place, "group: 'zones' is a list of zones, in place of 'zone'");
        return;
    }
    for (const TomlValue& zone : zones->children) {
        TomlValue copy = group;
        for (const char* key : {"zones", "id"}) erase(copy, key);
        copy.children.push_back(
            text_value("id", text_of(group, "id") + "-" + zone.text, group.place));
        TomlValue own = zone;
        own.key = "zone";
        own.key_place = zone.place;
        copy.children.push_back(std::move(own));
        to.push_back(std::move(copy));
    }
}

/// The list of the group's own changes, made if there is none.
TomlValue& changes_of(TomlValue& group, runtime::Place place) {
    const auto at = std::ranges::find(group.children, "changes", &TomlValue::key);
    if (at != group.children.end()) return *at;
    group.children.push_back(
        {.kind = Kind::array, .key = "changes", .key_place = place, .place = place});
    return group.children.back();
}

void add_change(const GroupChange& change, std::vector<TomlValue>& groups,
                Diagnostics& diagnostics) {
    const std::string id = text_of(change.table, "group");
    const auto group =
        std::ranges::find_if(groups, [&](const TomlValue& g) { return text_of(g, "id") == id; });
    if (group == groups.end()) {
        diagnostics.error(change.table.place,
                          "step.change: no group '" + runtime::shortened(id, 60) + "'");
        return;
    }
    TomlValue table = change.table;
    erase(table, "group");
    table.children.push_back(text_value("at", format_duration(change.at), change.table.place));
    changes_of(*group, table.place).children.push_back(std::move(table));
}

/// When groups change by themselves.
std::vector<Duration> moments_of(const std::vector<TomlValue>& groups) {
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

std::optional<CloudSettings> make_cloud(const TomlValue& root,
                                        const std::vector<GroupChange>& changes,
                                        Diagnostics& diagnostics) {
    const TomlValue* given = root.find("group");
    std::vector<TomlValue> groups;
    if (given != nullptr && given->kind != Kind::array) {
        diagnostics.error(given->place, "group: expected tables, written [[group]]");
        return std::nullopt;
    }
    if (given != nullptr) {
        for (const TomlValue& group : given->children) add_group(group, groups, diagnostics);
    }
    for (const GroupChange& change : changes) add_change(change, groups, diagnostics);
    if (given == nullptr) return std::nullopt;
    TomlValue list = *given;
    list.key = "groups";
    list.children = std::move(groups);
    CloudSettings out{.source = diagnostics.source(), .changes = moments_of(list.children)};
    out.settings.children.push_back(std::move(list));
    return out;
}

}  // namespace capstan::simulation
