/// What has to be put right about groups, whatever pods there are: machines that never joined or
/// could not be made, targets that the cloud does not reach, groups below their minimum.
#pragma once

#include <string>
#include <vector>

#include "engine/actions.hpp"
#include "engine/health/group_counts.hpp"
#include "engine/health/health.hpp"
#include "engine/memory.hpp"
#include "engine/settings.hpp"
#include "engine/snapshot.hpp"

namespace capstan::engine::health {

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
Repairs plan_repairs(const Snapshot& snapshot, const templates::Membership& membership,
                     const Health& health, const Memory& memory, const Settings& settings,
                     Time now);

// What a target holds in vain.

/// Machines to be taken back, and a sentence why.
struct ExcessTarget {
    int machines = 0;  ///< zero: none
    std::string because{};
};

/// The group is backed off until a machine joins: one stays asked for.
bool keeps_one(const GroupCounts& group, const Memory& memory, Time now) noexcept;

/// "2 machines failed: no capacity", of machines at these places.
std::string why_failed(const GroupCounts& group, const MachinePlaces& machines);

/// Machines that failed before they were begun, all but the one that is kept.
ExcessTarget failed_requests(const GroupCounts& group, const Memory& memory, Time now);
/// The most of: those that were asked for longer ago than they may take; what the target is too
/// high by, where that is due.
ExcessTarget long_outstanding(const GroupCounts& group, const Memory& memory, Time now);

// Groups that are smaller than they may be.

/// Raises groups to their minimum, in the order of their ids, as far as their maximum and the
/// limits of the cluster allow. Not those that are backed off, not healthy, or `changed` already.
void raise_to_minimum(const Snapshot& snapshot, const Health& health, const Memory& memory,
                      const Settings& settings, const std::vector<bool>& changed, Time now,
                      Repairs& out);

}  // namespace capstan::engine::health
