/// What plugins keep (capstan.state/1), handed on from leader to leader.
#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <string>

#include <capstan/error.hpp>

#include "runtime/plugin_host.hpp"

namespace capstan::runtime::daemon {

struct SharedStates {
    std::map<std::string, std::string> texts{};  ///< by instance
    std::size_t bytes = 0;                       ///< of all of them
    std::optional<Error> trouble{};              ///< why something is left out
};

/// Everything that instances keep which were granted to, as far as there is room: in the order of
/// their names, and what is left out stays on this host alone. `name`: of this host's store, see
/// StateStore::share. [passes' thread]
SharedStates share_states(PluginHost& host, const std::string& name, std::size_t room);

/// Each instance goes on from what the leader before kept. What cannot be read is told, and leaves
/// the instance with what it has. [passes' thread]
void take_over_states(PluginHost& host, const std::map<std::string, std::string>& shared);

}  // namespace capstan::runtime::daemon
