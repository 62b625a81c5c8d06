/// Repairs of group sizes, independent of pods: machines that never joined or could not be made,
/// targets that the cloud does not reach, groups below their minimum.
#pragma once

#include <string>
#include <vector>

#include "engine/actions.hpp"
#include "engine/health/group_counts.hpp"
#include "engine/health/health.hpp"
#include "engine/pass_view.hpp"

namespace capstan::engine::health {

struct Repairs {
    std::vector<Decrease> decreases{};       ///< by group
    std::vector<MachineRemoval> removals{};  ///< by group
    std::vector<Increase> increases{};       ///< up to the minimum, by group; without an option
    std::vector<std::string> notes{};        ///< repairs that were not possible, and why
    std::vector<std::string> warnings{};     ///< see Decision::warnings
};

/// The Increase::option of an increase without an option.
inline constexpr std::size_t no_option = static_cast<std::size_t>(-1);

/// At most one change of the target for each group. A group that is only ever empty or full may
/// have two, because it is given up as a whole: a decrease for machines that its cloud has not
/// begun to make, and a removal. In an unhealthy cluster only failed machines are repaired.
///
/// Machines that never joined are kept, and no target is lowered, while nodes without a machine may
/// belong to the group (unrecognized_nodes.hpp). No target is lowered either while an answer counts
/// that the cloud's list does not show (answered_targets.hpp).
Repairs plan_repairs(const PassView& view, const Health& health);

// Machines of a target that will not come.

/// Machines by which a target is too high, and a sentence why.
struct ExcessTarget {
    int machines = 0;
    std::string because{};
};

/// Whether the group is backed off until a machine joins. One machine stays requested then, unless
/// it was given back (Backoff::given_back).
bool keeps_one(const GroupCounts& group, const Memory& memory, Time now) noexcept;

/// "2 machines failed: no capacity". `machines`: not empty.
std::string why_failed(const GroupCounts& group, const MachineIndices& machines);

/// Machines that failed before the cloud began to make them. If one stays requested, all others
/// that the cloud has not begun to make are of no use either.
ExcessTarget failed_requests(const GroupCounts& group, const Memory& memory, Time now);
/// The larger of: overdue machines that the cloud has not begun to make; the surplus of the target
/// (update_incorrect_size), if it is due.
ExcessTarget long_outstanding(const GroupCounts& group, const Memory& memory, Time now);

// Groups below their minimum.

/// Raises groups to their minimum, in the order of their ids, as far as their maximum and the
/// limits of the cluster allow. Groups that are backed off, unhealthy, unreadable, or `changed`
/// already are left out. `changed` by group.
void raise_to_minimum(const PassView& view, const Health& health, const std::vector<bool>& changed,
                      Repairs& out);

}  // namespace capstan::engine::health
