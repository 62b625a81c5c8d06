#include "pipeline.hpp"

#include <stdexcept>

namespace capstan::bench {
namespace {

template <class T>
T value_or_throw(Result<T> result) {
    if (!result) throw std::runtime_error(result.error().message);
    return std::move(*result);
}

}  // namespace

BenchPipeline::BenchPipeline(const std::string& toml) {
    const config::ShippedPlugins shipped(config::shipped_plugins_root());
    config::Loaded loaded = config::load_config(config::Source{"benchmark", toml}, shipped);
    if (loaded.config) {
        plugins_ = autoscaler::load_plugins(*loaded.config, shipped, registry_, loaded.diagnostics);
    }
    if (!loaded.config || loaded.diagnostics.errors() > 0)
        throw std::runtime_error(loaded.diagnostics.text());
    host_ = value_or_throw(autoscaler::PluginHost::start(*loaded.config, plugins_, {}));
    wiring_ = value_or_throw(autoscaler::wire(loaded.config->pipeline, *host_));
}

autoscaler::PassPolicies BenchPipeline::policies(
    plugin_runtime::instances::PassWatch& watch) const {
    return value_or_throw(autoscaler::PassPolicies::make(
        wiring_, watch, std::make_shared<autoscaler::policies::ExpanderAnswers>()));
}

}  // namespace capstan::bench
