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
    const runtime::config::ShippedPlugins shipped(runtime::config::shipped_plugins_root());
    runtime::config::Loaded loaded =
        runtime::config::load_config(runtime::config::Source{"benchmark", toml}, shipped);
    if (loaded.config) {
        plugins_ = runtime::load_plugins(*loaded.config, shipped, registry_, loaded.diagnostics);
    }
    if (!loaded.config || loaded.diagnostics.errors() > 0)
        throw std::runtime_error(loaded.diagnostics.text());
    host_ = value_or_throw(runtime::PluginHost::start(*loaded.config, plugins_, {}));
    wiring_ = value_or_throw(runtime::wire(loaded.config->pipeline, *host_));
}

runtime::PassPolicies BenchPipeline::policies(runtime::instances::PassWatch& watch) const {
    return value_or_throw(runtime::PassPolicies::make(
        wiring_, watch, std::make_shared<runtime::instances::ExpanderAnswers>()));
}

}  // namespace capstan::bench
