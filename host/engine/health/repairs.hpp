/// What has to be put right about groups, whatever pods there are: machines that never joined or
/// could not be made, targets that the cloud does not reach, groups below their minimum.
#pragma once

#include <string>
#include <vector>

#include "engine/actions.hpp"
#include "engine/health/health.hpp"

namespace capstan::engine {

struct Repairs {
    std::vector<Decrease> decreases{};       ///< by group
    std::vector<MachineRemoval> removals{};  ///< by group
    std::vector<Increase> increases{};       ///< up to the minimum, by group; without an option
    std::vector<std::string> notes{};        ///< what could not be put right, and why
};

/// Of an increase that no option asked for.
inline constexpr std::size_t no_option = static_cast<std::size_t>(-1);

/// At most one change of target a group; of one that is only ever empty or full two, when it goes
/// as a whole: a decrease for what its cloud has not begun, and a removal. Nothing where the
/// cluster is unhealthy, but for machines that failed.
Repairs plan_repairs(const Snapshot& snapshot, const Membership& membership, const Health& health,
                     const Memory& memory, const Settings& settings, Time now);

}  // namespace capstan::engine
