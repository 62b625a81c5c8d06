/// The simulated clouds that stand in for those of a configuration when a dump is simulated.
#pragma once

#include <functional>
#include <map>
#include <span>
#include <string>
#include <vector>

#include <capstan/result.hpp>

#include "autoscaler/dump/status_map.hpp"
#include "autoscaler/offline/cloud_settings.hpp"
#include "config/configuration.hpp"
#include "engine/memory.hpp"
#include "engine/snapshot/objects.hpp"

namespace capstan::autoscaler::dump {

/// Whether clouds of the configuration cannot run in a simulation, so that the groups of the dump
/// stand in for all of them. They do so, too, if the configuration names no cloud.
bool needs_stand_ins(const config::Config& config);

struct StandIns {
    std::vector<offline::CloudSettings>
        clouds{};  ///< at least one; under the ids of the configuration
    /// The groups that the status says are backed off. Absent times were not known: such a back-off
    /// began at `now`.
    engine::Memory memory{};
    std::vector<std::string> remarks{};  ///< what was guessed and what is unknown
    /// The providerIDs of the nodes, by the id of the simulated machine.
    std::map<std::string, std::string, std::less<>> provider_ids{};
};

/// Guesses the groups of the nodes, names them, and gives each to the cloud of its nodes: the one
/// whose plugin has their kind of providerID ("aws://", "gce://"), else the first whose plugin has
/// no kind of its own, else the first. Limits are those of [simulate], else those of `status`.
/// Makes the provider ids of the nodes those of the simulated machines. `source`: the dump's name.
Result<StandIns> make_stand_ins(std::vector<engine::snapshot::NodeObject>& nodes,
                                const std::vector<StatusGroup>& status,
                                const config::Config& config, const std::string& source, Time now);

}  // namespace capstan::autoscaler::dump
