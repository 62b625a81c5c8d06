/// Holds passes back until plugins know what they follow of the cluster. What an expander decides
/// before it has read its priorities is not what its user asked for, and a machine that was ordered
/// costs.
#pragma once

#include <string>

#include "io/loop.hpp"
#include "runtime/services/kube_gateway.hpp"
#include "runtime/services/logger.hpp"

namespace capstan::runtime::daemon {

/// Ends when all StartupWatches are settled, or ten seconds after it was made: a plugin whose kind
/// cannot be read must not keep a cluster from growing. Used on the loop's thread alone.
class StartupGate {
public:
    /// To be made when the host has seen the whole cluster. Borrows all; `plugins` NULL: they have
    /// no cluster, and nothing is held.
    StartupGate(const services::KubeGateway* plugins, io::Loop& loop, services::Logger& log);

    /// What passes wait for, as a sentence; empty: they may begin.
    std::string reason() const;
    /// Whether they may begin. To be asked again and again until then: an end for want of time is
    /// found here, and said in the log.
    bool is_over();

private:
    std::string awaited() const;

    const services::KubeGateway* const plugins_;
    io::Loop& loop_;
    services::Logger& log_;
    const Duration end_;
    bool has_given_up_ = false;
};

}  // namespace capstan::runtime::daemon
