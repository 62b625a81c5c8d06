/// Holds passes back until the startup watches of plugins are settled. An expander that decides
/// before it has read its priorities may choose a group with the wrong, more expensive machines.
#pragma once

#include <string>

#include "io/loop.hpp"
#include "plugin_runtime/services/kube_gateway.hpp"
#include "plugin_runtime/services/logger.hpp"

namespace capstan::autoscaler::daemon {

/// Opens when all StartupWatches are settled, or ten seconds after its construction: a plugin that
/// cannot read its objects must not keep a cluster from growing. Used on the loop's thread alone.
class StartupGate {
public:
    /// To be constructed when the host has seen the whole cluster. Borrows its arguments. `plugins`
    /// NULL: plugins have no cluster, and the gate is open.
    StartupGate(const plugin_runtime::services::KubeGateway* plugins, io::Loop& loop,
                plugin_runtime::services::Logger& log);

    /// What passes wait for, as a sentence; empty: they may begin.
    std::string reason() const;
    /// Whether passes may begin. To be called repeatedly until it is true: the time limit is
    /// checked and logged here.
    bool is_open();

private:
    std::string awaited() const;

    const plugin_runtime::services::KubeGateway* const plugins_;
    io::Loop& loop_;
    plugin_runtime::services::Logger& log_;
    const Duration end_;
    bool has_given_up_ = false;
};

}  // namespace capstan::autoscaler::daemon
