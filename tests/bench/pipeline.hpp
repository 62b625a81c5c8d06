/// The shipped plugins, loaded and wired by a configuration.
#pragma once

#include <memory>
#include <string>

#include "autoscaler/plugin_host.hpp"
#include "autoscaler/wiring.hpp"

namespace capstan::bench {

/// Loads the plugins once. Each measurement makes its own policies from them, like a pass.
class BenchPipeline {
public:
    /// Throws std::runtime_error with the errors of the configuration or the plugins.
    explicit BenchPipeline(const std::string& toml);
    BenchPipeline(const BenchPipeline&) = delete;
    BenchPipeline& operator=(const BenchPipeline&) = delete;

    /// Policies for one measurement. Throws std::runtime_error.
    autoscaler::PassPolicies policies(plugin_runtime::instances::PassWatch& watch) const;

private:
    plugin_runtime::plugin_files::LibraryRegistry registry_;
    autoscaler::PluginSet plugins_;
    std::unique_ptr<autoscaler::PluginHost> host_;
    autoscaler::Wiring wiring_;
};

}  // namespace capstan::bench
