#include "simulation/cloud_changes.hpp"

#include <algorithm>
#include <array>
#include <utility>

#include <capstan/duration.hpp>

#include "simulation/toml_values.hpp"

namespace capstan::simulation {
namespace {

using runtime::config::TomlValue;

/// What of a change is a group's own setting; the rest is something that happens to it.
constexpr std::array<std::string_view, 10> group_keys{
    "min",         "max",         "machine",        "boot", "on_exhausted",
    "error_after", "delete_time", "price_per_hour", "spot", "options"};

Unexpected no_group(const std::string& id) {
    return fail(ErrorCode::not_found, "no group '" + id + "'");
}

}  // namespace

const TomlValue* find_group(const TomlValue& settings, const std::string& id) {
    const TomlValue* const groups = settings.find("groups");
    if (groups == nullptr) return nullptr;
    const auto at = std::ranges::find_if(
        groups->children, [&](const TomlValue& g) { return text_of(g, "id") == id; });
    return at == groups->children.end() ? nullptr : &*at;
}

TomlValue* find_group(TomlValue& settings, const std::string& id) {
    return const_cast<TomlValue*>(find_group(std::as_const(settings), id));
}

Result<void> add_change(TomlValue& settings, const CloudChange& change, Duration at) {
    TomlValue* const group = find_group(settings, change.group);
    if (group == nullptr) return no_group(change.group);
    TomlValue external_event{.place = change.change.place};
    for (const TomlValue& member : change.change.children) {
        // How many it began with may not fit the new bounds, and counts no more.
        if (member.key == "min" || member.key == "max") erase(*group, "size");
        const bool is_setting = std::ranges::count(group_keys, member.key) > 0;
        if (is_setting) {
            put(member, *group);
        } else {
            external_event.children.push_back(member);
        }
    }
    if (external_event.children.empty()) return {};
    external_event.children.push_back(text_value("at", format_duration(at), external_event.place));
    list_of(*group, "changes", external_event.place).children.push_back(std::move(external_event));
    return {};
}

void add_group(TomlValue& settings, TomlValue group) {
    list_of(settings, "groups").children.push_back(std::move(group));
}

Result<void> remove_group(TomlValue& settings, const std::string& id) {
    if (find_group(settings, id) == nullptr) return no_group(id);
    std::erase_if(list_of(settings, "groups").children,
                  [&](const TomlValue& group) { return text_of(group, "id") == id; });
    return {};
}

}  // namespace capstan::simulation
