#include "runtime/named_machine_types.hpp"

#include <algorithm>
#include <optional>
#include <string_view>

#include <capstan/sentence.hpp>

#include "runtime/config/text.hpp"

namespace capstan::runtime {
namespace {

constexpr std::string_view key = "machine_types";

/// NULL: the plugin has no such setting.
const config::SettingValue* find_machine_types(const PluginSet& plugins,
                                               const PluginInstanceId& id) {
    const auto plugin = std::ranges::find(
        plugins, id, [](const LoadedPlugin& p) -> const auto& { return p.config.id; });
    return plugin == plugins.end() ? nullptr : plugin->settings.find(key);
}

/// The machine types of all clouds. Absent: a cloud does not have them in its settings.
std::optional<std::vector<std::string>> find_known(const config::Config& config,
                                                   const PluginSet& plugins) {
    std::vector<std::string> out;
    for (const PluginInstanceId& cloud : config.pipeline.clouds) {
        const config::SettingValue* const types = find_machine_types(plugins, cloud);
        if (types == nullptr) return std::nullopt;
        for (const config::SettingValue& type : types->children) {
            const config::SettingValue* const machine = type.find("machine");
            const config::SettingValue* const name =
                machine == nullptr ? nullptr : machine->find("type");
            if (name == nullptr) return std::nullopt;
            out.push_back(name->text);
        }
    }
    return out;
}

config::Place place_of_sources(const config::Config& config) {
    const config::SettingValue* at = &config.tree;
    for (const std::string_view name : {"pipeline", "scale_up", "group_sources"})
        at = at == nullptr ? nullptr : at->find(name);
    return at == nullptr ? config::Place() : at->key_place;
}

}  // namespace

std::vector<MachineTypeDoubt> find_machine_type_doubts(const config::Config& config,
                                                       const PluginSet& plugins) {
    const auto& sources = config.pipeline.scale_up.group_sources;
    const auto known = find_known(config, plugins);
    if (sources.empty() || config.pipeline.clouds.empty() || !known) return {};
    const auto id_of = [](const PluginInstanceId& id) { return id.value(); };
    if (known->empty())
        return {{.place = place_of_sources(config),
                 .found = "no group can be created: no cloud offers machine types",
                 .fix = "add machine_types to the settings of " +
                        listed(config.pipeline.clouds, id_of)}};
    std::vector<MachineTypeDoubt> out;
    for (const PluginInstanceId& source : sources) {
        const config::SettingValue* const named = find_machine_types(plugins, source);
        if (named == nullptr) continue;
        for (const config::SettingValue& name : named->children) {
            if (std::ranges::count(*known, name.text) > 0) continue;
            out.push_back({.place = name.place,
                           .found = "plugin." + source.value() +
                                    ".settings.machine_types: no cloud offers machine type '" +
                                    config::shortened(name.text, 60) + "'" +
                                    config::suggestion(name.text, *known),
                           .fix = "use a machine type that a cloud offers"});
        }
    }
    return out;
}

}  // namespace capstan::runtime
