/// The configuration with which `capstan run` scales a live cluster of a scenario.
#pragma once

#include <string>

#include <capstan/result.hpp>

#include "runtime/config/configuration.hpp"
#include "simulation/input.hpp"

namespace capstan::simulation::live {

struct LiveConfigOptions {
    std::string kubeconfig{};  ///< a path
    std::string admin{};       ///< HOST:PORT of the daemon's admin port
    double speed = 1;          ///< by which the autoscaler's own times are divided, too
};

/// What a scenario, or its configuration, says, in TOML; the simulated cloud with those `settings`
/// in place of the clouds where there are any. `own` is that of `prepare`.
Result<std::string> make_live_config(const runtime::config::Config& own, const Input& input,
                                     const runtime::config::TomlValue* settings,
                                     const runtime::config::ShippedPlugins& shipped,
                                     const LiveConfigOptions& options);

/// How long an autoscaler with this configuration may go without doing anything and still be about
/// to, in real time: the sum of what it waits for before it removes a node.
Duration patience_of(const runtime::config::Config& own, const Input& input, double speed);

}  // namespace capstan::simulation::live
