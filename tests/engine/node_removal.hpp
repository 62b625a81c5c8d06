/// A removal in progress.
#pragma once

#include <utility>

#include <capstan/time.hpp>

#include "engine/memory.hpp"

namespace capstan::engine {

/// A removal that began and entered `phase` at `at`, and has cordoned its node.
inline NodeRemoval begun_removal(NodeGroupId group, MachineId machine, RemovalPhase phase,
                                 Time at) {
    return {.group = std::move(group),
            .machine = std::move(machine),
            .phase = phase,
            .cordoned = true,
            .since = at,
            .phase_since = at,
            .because = "unneeded"};
}

}  // namespace capstan::engine
