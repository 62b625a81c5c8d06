#include "simulator/cloud_control.hpp"

#include <algorithm>
#include <array>
#include <chrono>
#include <memory>
#include <utility>

#include <capstan/assert.hpp>
#include <capstan/duration.hpp>

#include "config/settings_view.hpp"
#include "config/toml_values.hpp"

namespace capstan::simulator {
namespace {

using config::TomlValue;

constexpr Duration reconfigure_patience = std::chrono::minutes(1);

/// Settings with the view through which a plugin reads them. Both live as long as the plugin uses
/// them.
struct SettingsWithView {
    explicit SettingsWithView(config::SettingValue value, const std::string& path)
        : settings(std::move(value)), view(settings, path, nullptr) {}
    config::SettingValue settings;
    config::SettingsView view;
};

}  // namespace

Result<void> CloudControl::apply(const CloudChange& change, Time now) {
    SimulatedCloud& cloud = cloud_of(change.group);
    TomlValue settings = cloud.settings;
    CAPSTAN_CHECK(add_change(settings, change, now - start_));
    return apply_settings(cloud, std::move(settings));
}

Result<void> CloudControl::apply(const AddGroup& add, Time) {
    TomlValue settings = clouds_.front().settings;
    add_group(settings, add.group);
    CAPSTAN_CHECK(apply_settings(clouds_.front(), std::move(settings)));
    left_.erase(text_of(add.group, "id"));
    return {};
}

Result<void> CloudControl::apply(const RemoveGroup& remove, Time) {
    SimulatedCloud& cloud = cloud_of(remove.id);
    TomlValue settings = cloud.settings;
    CAPSTAN_CHECK(remove_group(settings, remove.id));
    CAPSTAN_CHECK(apply_settings(cloud, std::move(settings)));
    left_.insert(remove.id);
    return {};
}

Result<void> CloudControl::apply(const CloudEdit& edit, Time) {
    SimulatedCloud& cloud = cloud_named(edit.cloud);
    TomlValue settings = cloud.settings;
    for (const std::string& key : edit.dropped) erase(settings, key);
    for (const TomlValue& member : edit.settings.children) put(member, settings);
    return apply_settings(cloud, std::move(settings));
}

std::vector<std::string> CloudControl::groups() const {
    std::vector<std::string> out;
    for (const SimulatedCloud& cloud : clouds_) {
        const TomlValue* const groups = cloud.settings.find("groups");
        if (groups == nullptr) continue;
        for (const TomlValue& group : groups->children) out.push_back(text_of(group, "id"));
    }
    return out;
}

const TomlValue* CloudControl::find(const PluginInstanceId& id, std::string_view key) const {
    const auto cloud = std::ranges::find(clouds_, id, &SimulatedCloud::id);
    return cloud == clouds_.end() ? nullptr : cloud->settings.find(key);
}

/// The cloud that has the group. If no cloud has it, the first cloud, whose settings then lead to
/// the error.
SimulatedCloud& CloudControl::cloud_of(const std::string& group) {
    const auto has_it = [&](SimulatedCloud& cloud) {
        return find_group(cloud.settings, group) != nullptr;
    };
    const auto cloud = std::ranges::find_if(clouds_, has_it);
    return cloud == clouds_.end() ? clouds_.front() : *cloud;
}

/// The cloud of that id, or the first cloud if there is none.
SimulatedCloud& CloudControl::cloud_named(const PluginInstanceId& id) {
    const auto cloud = std::ranges::find(clouds_, id, &SimulatedCloud::id);
    return cloud == clouds_.end() ? clouds_.front() : *cloud;
}

std::optional<int> CloudControl::capacity_of(const std::string& id, Time now) const {
    const TomlValue* group = nullptr;
    for (const SimulatedCloud& cloud : clouds_)
        if (const TomlValue* const its = find_group(cloud.settings, id)) group = its;
    if (group == nullptr) return std::nullopt;
    std::optional<int> out;
    if (const TomlValue* const first = group->find("capacity"))
        out = static_cast<int>(first->integer);
    const TomlValue* const changes = group->find("changes");
    if (changes == nullptr) return out;
    for (const TomlValue& change : changes->children) {
        const auto at = parse_duration(text_of(change, "at"));
        if (!at || start_ + *at > now) continue;
        if (const TomlValue* const later = change.find("capacity"))
            out = static_cast<int>(later->integer);
        if (change.find("unlimited") != nullptr) out.reset();
    }
    return out;
}

Result<void> CloudControl::apply_settings(SimulatedCloud& cloud, TomlValue settings) {
    const auto plugin = std::ranges::find(
        plugins_, cloud.id, [](const autoscaler::LoadedPlugin& p) { return p.config.id; });
    const std::shared_ptr<plugin_runtime::instances::PluginInstance> instance =
        host_.find(cloud.id);
    if (plugin == plugins_.end() || !instance)
        return fail(ErrorCode::invalid_config, "the cloud is not simulated");
    config::PluginConfig own = plugin->config;
    own.settings = settings;
    const std::string path = config::settings_path(own);
    config::Diagnostics complaints(cloud.source);
    auto checked = config::validate_plugin_settings(config_, own, plugin->fields, complaints);
    if (checked)
        autoscaler::check_settings(plugin->plugin_class, *checked, path, own.place, complaints);
    if (complaints.errors() > 0)
        return fail(ErrorCode::invalid_config, complaints.sorted().front().message);
    CAPSTAN_ASSERT(checked, "settings without errors have no values");
    const auto with_view = std::make_shared<SettingsWithView>(*std::move(checked), path);
    CAPSTAN_CHECK(host_.wait<void>(
        [&](const autoscaler::PluginHost::Done<void>& done) {
            instance->reconfigure({with_view, with_view->view.abi()}, reconfigure_patience, done);
        },
        reconfigure_patience));
    cloud.settings = std::move(settings);
    return {};
}

namespace {

using config::TomlValue;

/// The keys of a change that are settings of the group. All other keys become an entry of the
/// group's `changes`.
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
        // The size at the start may not fit the new bounds, and no longer matters.
        if (member.key == "min" || member.key == "max") erase(*group, "size");
        const bool is_setting = std::ranges::count(group_keys, member.key) > 0;
        if (is_setting) {
            put(member, *group);
        } else {
            external_event.children.push_back(member);
        }
    }
    if (external_event.children.empty()) return {};
    external_event.children.push_back(
        config::text_value("at", format_duration(at), external_event.place));
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

}  // namespace capstan::simulator
