/// The configuration with which `capstan run` scales a live cluster of a scenario.
#pragma once

#include <string>

#include <capstan/result.hpp>

#include "config/configuration.hpp"
#include "simulator/input.hpp"

namespace capstan::simulator::live {

struct LiveConfigOptions {
    std::string kubeconfig{};  ///< a path
    std::string admin{};       ///< HOST:PORT of the daemon's admin port
    double speed = 1;          ///< the autoscaler's times are divided by it, too
};

/// The configuration of the scenario in TOML. `own`: the configuration that `prepare` made.
/// `settings`: of the simulated cloud, which replaces the clouds of the configuration; NULL: the
/// clouds stay.
Result<std::string> make_live_config(const config::Config& own, const Input& input,
                                     const config::TomlValue* settings,
                                     const config::ShippedPlugins& shipped,
                                     const LiveConfigOptions& options);

/// The real time for which an autoscaler with this configuration may do nothing although it is
/// about to remove a node: three scan intervals plus its delays before a removal.
Duration quiet_period_of(const config::Config& own, const Input& input, double speed);

}  // namespace capstan::simulator::live
