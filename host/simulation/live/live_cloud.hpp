/// The simulated cloud of a scenario as `capstan run` is to be told of it: settings of the plugin,
/// in the real time of its host.
#pragma once

#include <map>
#include <optional>
#include <string>

#include <capstan/result.hpp>

#include "simulation/input.hpp"

namespace capstan::simulation::live {

class LiveCloud {
public:
    /// Copies what it needs. Times of the scenario pass `speed` times as fast.
    LiveCloud(const Input& input, double speed);

    /// Only CloudChange, AddGroup, RemoveGroup, CloudEdit and Registration are of the cloud; others
    /// are `unsupported`. `since`: real time from the start of the story.
    Result<void> happen(const ExternalEvent& what, Duration since);

    /// A table: groups, `register_nodes`, and what else the scenario says of its cloud.
    /// NodeRegistrar take as long to boot as until their nodes join.
    runtime::config::TomlValue settings() const;
    /// From a request to the node, of the slowest group whose machines join at all.
    Duration slowest_boot() const;

private:
    Duration boot_of(const runtime::config::TomlValue& group) const;
    void scale_group(runtime::config::TomlValue& group) const;

    const double speed_;
    Duration register_delay_;
    runtime::config::TomlValue settings_;  ///< in the scenario's time
    std::map<std::string, Registration> registrations_{};
};

/// A length of time of a scenario, in real time; what is more than nothing stays so.
Duration sped_up(Duration time, double speed);

}  // namespace capstan::simulation::live
