#include "autoscaler/offline/prepare.hpp"

#include <algorithm>
#include <array>
#include <chrono>
#include <filesystem>
#include <string_view>
#include <utility>

#include <capstan/abi/cloud.h>

namespace capstan::autoscaler::offline {
namespace {

/// Removes the instances that one list of the pipeline names, and empties the list.
void drop(config::Config& config, std::vector<PluginInstanceId>& names) {
    std::erase_if(config.plugins, [&](const config::PluginConfig& plugin) {
        return std::ranges::count(names, plugin.id) > 0;
    });
    names.clear();
}

/// The shipped plugins that are of no use without a network.
constexpr std::array<std::string_view, 4> network_plugins{"aws", "gce", "external_grpc",
                                                          "grpc_expander"};

/// Whether the value of the pipeline is the name of the instance, or a stage that uses it.
bool is_use_of(const config::SettingValue& value, const std::string& name) {
    if (value.shape == config::SettingValue::Shape::value) return value.text == name;
    const config::SettingValue* const use = value.find("use");
    return use != nullptr && use->text == name;
}

/// Removes the name from all lists of the pipeline's tree.
void drop_uses(config::SettingValue& tree, const std::string& name) {
    std::erase_if(tree.children, [&](const auto& child) { return is_use_of(child, name); });
    for (config::SettingValue& child : tree.children) drop_uses(child, name);
}

/// Removes the instance and all of its uses.
void leave_out(config::Config& config, const PluginInstanceId& id,
               const config::ShippedPlugins& shipped) {
    config::Pipeline& pipeline = config.pipeline;
    std::erase_if(config.plugins, [&](const auto& plugin) { return plugin.id == id; });
    std::erase(pipeline.controllers, id);
    std::erase_if(pipeline.scale_up.expanders, [&](const auto& stage) { return stage.use == id; });
    std::erase(pipeline.scale_up.similarity, id);
    std::erase(pipeline.scale_up.group_sources, id);
    for (config::SettingValue& section : config.tree.children)
        if (section.key == "pipeline") drop_uses(section, id.value());
    if (pipeline.scale_up.splitter != id) return;
    pipeline.scale_up.splitter = config::ScaleUpPipeline().splitter;
    const std::string& name = pipeline.scale_up.splitter.value();
    if (config.find_plugin(name) != nullptr) return;
    config.plugins.push_back({.id = pipeline.scale_up.splitter,
                              .declared = false,
                              .shipped = true,
                              .file = shipped.find(name).value_or("").string()});
}

/// Removes the clouds of the configuration, also from the tree that is printed, and instances of
/// the names in `names`.
void drop_clouds(config::Config& config, std::vector<PluginInstanceId> names) {
    drop(config, names);
    drop(config, config.pipeline.clouds);
    const auto pipeline =
        std::ranges::find(config.tree.children, "pipeline", &config::SettingValue::key);
    if (pipeline == config.tree.children.end()) return;
    std::erase_if(pipeline->children, [](const auto& member) { return member.key == "clouds"; });
}

std::vector<PluginInstanceId> ids_of(const std::vector<CloudSettings>& clouds) {
    std::vector<PluginInstanceId> out;
    for (const CloudSettings& cloud : clouds) out.push_back(cloud.id);
    return out;
}

/// As if [pipeline] said clouds = ["ID"].
config::SettingValue tree_of_cloud(const PluginInstanceId& id) {
    using config::SettingValue;
    SettingValue name{.shape = SettingValue::Shape::value,
                      .type = SettingType::instance,
                      .text = id.value(),
                      .instance_kind = CAPSTAN_KIND_CLOUD};
    SettingValue clouds{.shape = SettingValue::Shape::list,
                        .type = SettingType::instance,
                        .key = "clouds",
                        .children = {std::move(name)}};
    SettingValue pipeline{.key = "pipeline", .children = {std::move(clouds)}};
    return {.children = {std::move(pipeline)}};
}

/// A configuration with the simulated cloud as its only plugin.
config::Config cloud_config(const CloudSettings& cloud, const config::Config& like,
                            const config::ShippedPlugins& shipped) {
    config::Config config;
    config.trust = like.trust;
    config.secrets = like.secrets;
    config.pipeline.clouds = {cloud.id};
    config.tree = tree_of_cloud(cloud.id);
    config.plugins.push_back({.id = cloud.id,
                              .declared = false,
                              .shipped = true,
                              .file = shipped.find(simulated_cloud.value()).value_or("").string(),
                              .settings = cloud.settings});
    return config;
}

/// Checks the settings that steps will change before anything runs.
void check_changes(const CloudSettings& cloud, const config::Config& config, PreparedSetup& out,
                   config::Diagnostics& complaints) {
    if (cloud.changed.children.empty()) return;
    CloudSettings changed = cloud;
    changed.settings = cloud.changed;
    const config::Config own = cloud_config(changed, config, out.shipped);
    config::Diagnostics all(cloud.source);
    load_plugins(own, out.shipped, out.registry, all);
    if (all.errors() == 0) return;
    // Errors in the settings at the start are not caused by the changes and are reported elsewhere.
    config::Diagnostics first(cloud.source);
    load_plugins(cloud_config(cloud, config, out.shipped), out.shipped, out.registry, first);
    if (first.errors() == 0) complaints = all;
}

/// Call deadlines count real time, and a missed deadline changes the decision. A deadline that the
/// configuration leaves open becomes a minute, so that a busy machine does not change the outcome
/// of a simulation.
void extend_deadlines(config::Config& config) {
    for (config::PluginConfig& plugin : config.plugins) {
        if (!plugin.limits.call_deadline) plugin.limits.call_deadline = std::chrono::minutes(1);
    }
}

/// Adds the cloud to the configuration of `out` and loads its plugin; returns the number of errors.
std::size_t add_cloud(const CloudSettings& cloud, config::Config& config, PreparedSetup& out) {
    config::Diagnostics complaints(cloud.source);
    check_changes(cloud, config, out, complaints);
    config::Config own = cloud_config(cloud, config, out.shipped);
    extend_deadlines(own);
    for (auto& plugin : load_plugins(own, out.shipped, out.registry, complaints))
        out.plugins.push_back(std::move(plugin));
    config.pipeline.clouds.push_back(cloud.id);
    config.plugins.push_back(own.plugins.front());
    out.complaints += complaints.text();
    return complaints.errors();
}

/// Does the same for plugins that are loaded. A hook that misses its deadline is left out, so a
/// busy machine would change the outcome. A hook that hangs for ever is still noticed.
void extend_hook_deadlines(PluginSet& plugins) {
    for (LoadedPlugin& plugin : plugins) {
        std::optional<Duration>& deadline = plugin.config.limits.call_deadline;
        if (!deadline) deadline = std::chrono::minutes(1);
    }
}

}  // namespace

bool needs_network(const config::PluginConfig& plugin) {
    const std::string name = std::filesystem::path(plugin.file).stem().string();
    return !plugin.grants.http.empty() ||
           (plugin.shipped && std::ranges::count(network_plugins, name) > 0);
}

std::vector<std::string> leave_out_uncallable(config::Config& config,
                                              const config::ShippedPlugins& shipped,
                                              bool has_machine_types) {
    std::vector<std::string> out;
    const std::vector<config::PluginConfig> plugins = config.plugins;
    for (const config::PluginConfig& plugin : plugins) {
        const auto is_among = [&](const std::vector<PluginInstanceId>& names) {
            return std::ranges::count(names, plugin.id) > 0;
        };
        std::string why;
        if (is_among(config.pipeline.clouds)) continue;
        if (needs_network(plugin)) {
            why = "it needs the network";
        } else if (!has_machine_types && is_among(config.pipeline.scale_up.group_sources)) {
            why = "the machine types and launch templates of the clouds are unknown";
        } else {
            continue;
        }
        leave_out(config, plugin.id, shipped);
        out.push_back("plugin " + plugin.id.value() + ": not called in a simulation; " + why);
    }
    return out;
}

std::unique_ptr<PreparedSetup> prepare(config::Loaded loaded,
                                       const std::vector<CloudSettings>& clouds,
                                       config::ShippedPlugins shipped) {
    auto out = std::make_unique<PreparedSetup>(PreparedSetup{.shipped = std::move(shipped)});
    std::size_t errors = 0;
    if (loaded.config) {
        config::Config& config = out->config.emplace(*std::move(loaded.config));
        if (!clouds.empty()) drop_clouds(config, ids_of(clouds));
        extend_deadlines(config);
        out->plugins = load_plugins(config, out->shipped, out->registry, loaded.diagnostics);
    }
    if (auto& config = out->config) {
        for (const CloudSettings& cloud : clouds) errors += add_cloud(cloud, *config, *out);
    }
    extend_hook_deadlines(out->plugins);
    out->complaints.insert(0, loaded.diagnostics.text());
    out->is_sound = out->config && loaded.diagnostics.errors() + errors == 0;
    return out;
}

std::unique_ptr<PreparedSetup> prepare_to_decide(config::Loaded loaded,
                                                 config::ShippedPlugins shipped) {
    if (loaded.config) {
        config::Config& config = *loaded.config;
        drop_clouds(config, {simulated_cloud});
        drop(config, config.pipeline.controllers);
    }
    return prepare(std::move(loaded), {}, std::move(shipped));
}

}  // namespace capstan::autoscaler::offline
