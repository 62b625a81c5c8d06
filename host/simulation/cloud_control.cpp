#include "simulation/cloud_control.hpp"

#include <algorithm>
#include <chrono>
#include <memory>
#include <utility>

#include <capstan/duration.hpp>

#include "runtime/config/settings_view.hpp"
#include "simulation/cloud_changes.hpp"
#include "simulation/toml_values.hpp"

namespace capstan::simulation {
namespace {

using runtime::TomlValue;

constexpr Duration reconfigure_patience = std::chrono::minutes(1);
/// Settings, and the view of them that a plugin reads: both live as long as it does.
struct Lent {
    explicit Lent(runtime::SettingValue value, const std::string& path)
        : settings(std::move(value)), view(settings, path, nullptr) {}
    runtime::SettingValue settings;
    runtime::SettingsView view;
};

}  // namespace

Result<void> CloudControl::happen(const CloudChange& change, Time now) {
    TomlValue settings = settings_;
    CAPSTAN_CHECK(add_change(settings, change, now - start_));
    return apply(std::move(settings));
}

Result<void> CloudControl::happen(const AddGroup& add, Time) {
    TomlValue settings = settings_;
    add_group(settings, add.group);
    return apply(std::move(settings));
}

Result<void> CloudControl::happen(const RemoveGroup& remove, Time) {
    TomlValue settings = settings_;
    CAPSTAN_CHECK(remove_group(settings, remove.id));
    return apply(std::move(settings));
}

Result<void> CloudControl::happen(const CloudEdit& edit, Time) {
    TomlValue settings = settings_;
    for (const std::string& key : edit.dropped) erase(settings, key);
    for (const TomlValue& member : edit.settings.children) put(member, settings);
    return apply(std::move(settings));
}

std::vector<std::string> CloudControl::groups() const {
    std::vector<std::string> out;
    const TomlValue* const groups = settings_.find("groups");
    if (groups == nullptr) return out;
    for (const TomlValue& group : groups->children) out.push_back(text_of(group, "id"));
    return out;
}

std::optional<int> CloudControl::capacity_of(const std::string& id, Time now) const {
    TomlValue settings = settings_;
    const TomlValue* const group = find_group(settings, id);
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

Result<void> CloudControl::apply(TomlValue settings) {
    const auto plugin = std::ranges::find(
        plugins_, simulated_cloud, [](const runtime::LoadedPlugin& p) { return p.config.id; });
    const std::shared_ptr<runtime::PluginInstance> instance = host_.find(simulated_cloud);
    if (plugin == plugins_.end() || !instance)
        return fail(ErrorCode::invalid_config, "this cloud is not the simulated one");
    runtime::PluginConfig own = plugin->config;
    own.settings = settings;
    const std::string path = runtime::settings_path(own);
    runtime::Diagnostics complaints(source_);
    auto checked = runtime::validate_plugin_settings(config_, own, plugin->fields, complaints);
    if (checked)
        runtime::check_settings(plugin->plugin_class, *checked, path, own.place, complaints);
    if (complaints.errors() > 0)
        return fail(ErrorCode::invalid_config, complaints.sorted().front().message);
    const auto lent = std::make_shared<Lent>(*std::move(checked), path);
    CAPSTAN_CHECK(host_.wait<void>(
        [&](const runtime::PluginHost::Done<void>& done) {
            instance->reconfigure({lent, lent->view.abi()}, reconfigure_patience, done);
        },
        reconfigure_patience));
    settings_ = std::move(settings);
    return {};
}

}  // namespace capstan::simulation
