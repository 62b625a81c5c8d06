#include "commands/loaded_dump.hpp"

#include <utility>

#include "autoscaler/dump/label_preset.hpp"

namespace capstan::commands {

std::unique_ptr<autoscaler::offline::PreparedSetup> prepare_plugins(
    CalledPlugins called, config::Loaded loaded,
    const std::vector<autoscaler::offline::CloudSettings>& clouds, config::ShippedPlugins shipped,
    std::ostream& err) {
    std::vector<std::string> left_out;
    if (called != CalledPlugins::all && loaded.config) {
        left_out = autoscaler::offline::leave_out_uncallable(*loaded.config, shipped,
                                                             called == CalledPlugins::offline);
        // What controllers do is among the events of a simulation.
        for (const PluginInstanceId& id : loaded.config->pipeline.controllers)
            loaded.config->log.per_plugin.try_emplace(id.value(), config::LogLevel::error);
    }
    auto out = autoscaler::offline::prepare(std::move(loaded), clouds, std::move(shipped));
    err << out->complaints;
    for (const std::string& sentence : left_out) err << "capstan: " << sentence << '\n';
    return out->is_sound ? std::move(out) : nullptr;
}

config::Loaded config_or_default(const std::string& file, const std::vector<std::string>& set,
                                 const config::ShippedPlugins& shipped) {
    if (!file.empty()) return config::load_config(file, shipped, set);
    return config::load_config(config::Source{"defaults", ""}, shipped, set);
}

std::optional<LoadedDump> load_dump(const DumpChoice& choice, bool calls_all, std::ostream& err) {
    config::ShippedPlugins shipped(config::shipped_plugins_root());
    config::Loaded loaded = config_or_default(choice.config, choice.set, shipped);
    if (!loaded.config) {
        err << loaded.diagnostics.text();
        return std::nullopt;
    }
    Result<autoscaler::dump::Dump> dump = autoscaler::dump::read_dump(choice.file, *loaded.config);
    if (!dump) {
        err << "capstan: " << dump.error().message << '\n';
        return std::nullopt;
    }
    for (const std::string& remark : dump->remarks) err << "capstan: " << remark << '\n';
    const std::string remark =
        autoscaler::dump::set_label_preset(*loaded.config, dump->label_preset);
    if (!remark.empty()) err << "capstan: " << remark << '\n';
    const CalledPlugins offline =
        dump->clouds.empty() ? CalledPlugins::offline : CalledPlugins::on_known_groups;
    auto prepared = prepare_plugins(calls_all ? CalledPlugins::all : offline, std::move(loaded),
                                    dump->clouds, std::move(shipped), err);
    if (!prepared) return std::nullopt;
    return LoadedDump{*std::move(dump), std::move(prepared)};
}

}  // namespace capstan::commands
