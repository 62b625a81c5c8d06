/// One pass on the cluster of a dump.
#pragma once

#include <memory>
#include <string>

#include <capstan/result.hpp>

#include "autoscaler/dump/dump.hpp"
#include "autoscaler/dump/dumped_api.hpp"
#include "autoscaler/pass_report.hpp"
#include "autoscaler/plugin_host.hpp"
#include "autoscaler/plugin_set.hpp"
#include "config/configuration.hpp"

namespace capstan::autoscaler::dump {

/// A pass that was decided and not carried out, with the host that answers questions about it.
struct DumpPass {
    DumpPass() = default;
    DumpPass(const DumpPass&) = delete;
    DumpPass& operator=(const DumpPass&) = delete;
    /// Disconnects and stops the plugins.
    ~DumpPass();

    std::unique_ptr<DumpedApi> api{};  ///< NULL: no plugin uses the Kubernetes API
    std::unique_ptr<PluginHost> host{};
    std::shared_ptr<const PassReport> report{};  ///< as a dry run leaves it
};

/// Decides on the dump as it is, on virtual time: the first pass of a simulation in which the
/// scheduler has not placed any pod. Controllers are not started. Fails if a plugin does not start,
/// or if an object for plugins cannot be read; the error names the dump. `version`: of the host, as
/// plugins see it.
Result<std::unique_ptr<DumpPass>> decide_on_dump(const Dump& dump, const config::Config& config,
                                                 const PluginSet& plugins,
                                                 const std::string& version);

}  // namespace capstan::autoscaler::dump
