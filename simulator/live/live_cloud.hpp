/// The configuration with which `capstan run` scales a live cluster of a scenario: the simulated
/// cloud as settings of its plugin, and all settings with durations in real time.
#pragma once

#include <map>
#include <optional>
#include <string>

#include <capstan/result.hpp>

#include "config/configuration.hpp"
#include "simulator/input.hpp"

namespace capstan::simulator::live {

class LiveCloud {
public:
    /// Copies what it needs of the input. The scenario's times are divided by `speed`.
    LiveCloud(const Input& input, double speed);

    /// Applies a CloudChange, AddGroup, RemoveGroup, CloudEdit or Registration to the settings.
    /// `unsupported`: the event is not a change of the cloud. `since`: real time from the start of
    /// the scenario.
    Result<void> apply(const ExternalEvent& what, Duration since);

    /// The plugin's settings as a table: groups, `register_nodes`, and the scenario's other
    /// settings of the cloud. A machine's boot time includes the time until its node is registered.
    config::TomlValue settings() const;
    /// The time from a request to the node, of the slowest group. Groups with machines that never
    /// join are left out.
    Duration slowest_boot() const;

private:
    Duration boot_of(const config::TomlValue& group) const;
    void scale_group(config::TomlValue& group) const;

    const double speed_;
    Duration register_delay_;
    config::TomlValue settings_;  ///< in the scenario's time
    std::map<std::string, Registration> registrations_{};
};

/// A duration of a scenario in real time: divided by `speed`, and at least a millisecond if it is
/// positive.
Duration sped_up(Duration time, double speed);

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
