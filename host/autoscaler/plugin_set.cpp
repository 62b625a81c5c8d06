#include "autoscaler/plugin_set.hpp"

#include <algorithm>

#include "config/settings_view.hpp"
#include "plugin_runtime/instances/operation_call.hpp"
#include "plugin_runtime/loop/guarded_call.hpp"
#include "plugin_runtime/services/drafts.hpp"

namespace capstan::autoscaler {
namespace {

std::string names_of_classes(const plugin_runtime::plugin_files::PluginLibrary& library) {
    std::string out;
    for (const plugin_runtime::plugin_files::ClassInfo& c : library.classes())
        out += (out.empty() ? "" : ", ") + std::string(c.id);
    return out;
}

/// Loads the file, finds the class and reads its schema. Errors are recorded at the place of the
/// instance.
std::optional<LoadedPlugin> load_plugin(const config::PluginConfig& config,
                                        const plugin_runtime::plugin_files::TrustPolicy& policy,
                                        const plugin_runtime::services::DraftIds& drafts,
                                        plugin_runtime::plugin_files::LibraryRegistry& registry,
                                        config::Diagnostics& diagnostics) {
    const auto refuse = [&](config::Place place, const Error& error) {
        diagnostics.error(place, "plugin." + config.id.value() + ": " + error.message);
        return std::nullopt;
    };
    plugin_runtime::plugin_files::PluginRequest request{.file = config.file,
                                                        .sha256 = config.sha256};
    plugin_runtime::plugin_files::TrustPolicy own = policy;
    if (config.shipped) own.require_sha256 = false;  // it came with this very host
    auto library = registry.load(request, own);
    if (!library) return refuse(config.file_place, library.error());
    for (const std::string& doubt : (*library)->facts().warnings)
        diagnostics.warning(config.file_place, "plugin." + config.id.value() + ": " + doubt);
    auto plugin_class = find_class(**library, config.class_name);
    if (!plugin_class) return refuse(config.place, plugin_class.error());
    if (drafts.withholds(plugin_class->kind))
        return refuse(config.place, {ErrorCode::invalid_config,
                                     plugin_runtime::services::withheld_text(plugin_class->kind)});
    auto fields = config::read_schema(plugin_class->fields);
    if (!fields)
        return refuse(config.place,
                      within("class " + std::string(plugin_class->id), fields.error()));
    return LoadedPlugin{config, *std::move(library), *plugin_class, *std::move(fields), {}};
}

std::string plugin_kind(const PluginSet& set, const PluginInstanceId& id) {
    const auto found =
        std::ranges::find(set, id, [](const LoadedPlugin& p) { return p.config.id; });
    return found == set.end() ? std::string() : std::string(found->plugin_class.kind);
}

}  // namespace

plugin_runtime::plugin_files::TrustPolicy trust_policy(const config::Trust& trust,
                                                       const config::ShippedPlugins& shipped) {
    plugin_runtime::plugin_files::TrustPolicy policy;
    policy.search_paths.push_back(shipped.root());
    // Another path is an error of the configuration, which has been reported.
    for (const std::string& path : trust.search_paths)
        if (path.starts_with('/')) policy.search_paths.emplace_back(path);
    policy.require_sha256 = trust.require_sha256;
    return policy;
}

Result<plugin_runtime::plugin_files::ClassInfo> find_class(
    const plugin_runtime::plugin_files::PluginLibrary& library, const std::string& name) {
    if (name.empty() && library.classes().size() == 1) return library.classes().front();
    if (const plugin_runtime::plugin_files::ClassInfo* found = library.find_class(name))
        return *found;
    const std::string where = "plugin " + library.facts().path.string();
    if (name.empty()) {
        return fail(
            ErrorCode::invalid_config,
            where + ": has several classes; set `class` to one of: " + names_of_classes(library));
    }
    return fail(ErrorCode::invalid_config,
                where + ": has no class '" + name + "'; it has " + names_of_classes(library));
}

void check_settings(const plugin_runtime::plugin_files::ClassInfo& plugin_class,
                    const config::SettingValue& settings, const std::string& path,
                    config::Place place, config::Diagnostics& diagnostics) {
    if (!CAPSTAN_HAS(plugin_class.raw, capstan_class, check)) return;
    config::SettingsView view(settings, path, &diagnostics);
    plugin_runtime::instances::LoadCall call;
    const Result<capstan_status> status = plugin_runtime::loop::call_guarded([&] {
        return plugin_runtime::loop::distrusted(plugin_class.raw->check)(view.abi(), call.abi());
    });
    if (!status) {
        diagnostics.error(place, path + ": the class's check " + status.error().message);
    } else if (*status != CAPSTAN_OK && view.rejections() == 0) {
        diagnostics.error(place, path + ": " + call.error(*status).message);
    }
}

PluginSet load_plugins(const config::Config& config, const config::ShippedPlugins& shipped,
                       plugin_runtime::plugin_files::LibraryRegistry& registry,
                       config::Diagnostics& diagnostics) {
    const plugin_runtime::plugin_files::TrustPolicy policy = trust_policy(config.trust, shipped);
    const plugin_runtime::services::DraftIds drafts =
        plugin_runtime::services::draft_ids(config.trust.drafts);
    PluginSet set;
    for (const config::PluginConfig& plugin : config.plugins) {
        if (plugin.file.empty()) continue;  // find_plugin_files has said so
        if (auto loaded = load_plugin(plugin, policy, drafts, registry, diagnostics))
            set.push_back(*std::move(loaded));
    }
    config::InstanceSettings all_settings;
    for (LoadedPlugin& plugin : set) {
        auto settings =
            config::validate_plugin_settings(config, plugin.config, plugin.fields, diagnostics);
        if (!settings) continue;
        plugin.settings = *std::move(settings);
        all_settings.emplace_back(plugin.config.id, plugin.settings);
    }
    config::check_kinds(
        config, all_settings, [&](const PluginInstanceId& id) { return plugin_kind(set, id); },
        diagnostics);
    for (const auto& [id, settings] : all_settings) {
        const auto plugin =
            std::ranges::find(set, id, [](const LoadedPlugin& p) { return p.config.id; });
        check_settings(plugin->plugin_class, settings, config::settings_path(plugin->config),
                       plugin->config.place, diagnostics);
    }
    return set;
}

}  // namespace capstan::autoscaler
