/// The counts of a group on which a pass bases its conclusions: nodes by readiness, and machines by
/// fate.
#pragma once

#include <optional>
#include <vector>

#include "engine/health/health.hpp"
#include "engine/memory.hpp"
#include "engine/next_change.hpp"
#include "engine/settings.hpp"
#include "engine/snapshot.hpp"
#include "engine/templates/membership.hpp"

namespace capstan::engine::health {

/// What has become of a machine.
enum class MachineFate {
    being_removed,      ///< is being removed: the target does not include it any more
    joined,             ///< has a node
    counted_elsewhere,  ///< an earlier group lists the machine, too, and it counts there
    failed_request,     ///< failed before the cloud began to make it
    failed,             ///< failed while it was made
    requested,          ///< the cloud has not begun to make it
    begun,              ///< is being made or runs, and has no node
};

/// Machines of one group.
struct MachineCounts {
    int being_removed = 0, joined = 0, counted_elsewhere = 0, failed_request = 0, failed = 0,
        requested = 0, begun = 0;
    int ended = 0;          ///< listed machines that the target does not include any more
    int unlisted = 0;       ///< machines of the target that the cloud does not list
    int with_node = 0;      ///< machines of any fate with a node, unless the cloud is deleting them
    int removal_asked = 0;  ///< machines that the cloud was asked to remove, without an answer yet
    int node_lost = 0;      ///< begun machines with a node that was deleted (Memory::lost_nodes)

    /// Machines that exist: a decrease must not lower the target below their number.
    int real() const noexcept { return joined + counted_elsewhere + failed + begun; }
    /// Listed machines that the target includes.
    int listed() const noexcept { return real() + failed_request + requested; }
    bool operator==(const MachineCounts&) const = default;
};

struct GroupCounts {
    const Group* group = nullptr;  ///< never NULL
    Duration limit{};              ///< how long a machine may take to join
    NodeCounts nodes{};
    std::vector<MachineFate> fates{};  ///< by index in Group::machines
    MachineCounts machines{};

    const NodeGroupId& id() const noexcept { return group->group.id; }
    /// A target that is not known counts as 0.
    int target() const noexcept;
    /// The number of nodes that have started, including those that count in an earlier group, and
    /// those that were deleted while their machine stayed.
    int provisioned() const noexcept;
    /// Whether the group is only ever empty or full.
    bool is_atomic() const noexcept;
};

/// The counts by group of the snapshot. Borrows the snapshot.
std::vector<GroupCounts> count_groups(const Snapshot& snapshot,
                                      const templates::Membership& membership,
                                      const std::vector<Readiness>& readiness, const Memory& memory,
                                      const Settings& settings);

/// Since when a machine has been seen without a node.
Time unjoined_since(const Memory& memory, const NodeGroupId& group, const Machine& machine,
                    Time now) noexcept;

/// When a machine was launched, on the clock of PassTime::now, as record_machine_times recorded it
/// first: a later change of a clock makes the machine no older. Absent: its cloud does not say.
std::optional<Time> launched_at(const Memory& memory, const NodeGroupId& group,
                                const Machine& machine, const PassTime& time) noexcept;

/// Whether a machine that is `requested` or `begun` has been seen without a node for longer than it
/// may take to join. The launch time does not count, since the machine may have had a node before.
bool is_overdue(const GroupCounts& group, std::size_t machine, const Memory& memory,
                Time now) noexcept;

/// Indices into Group::machines, ascending.
using MachineIndices = std::vector<std::size_t>;

MachineIndices find_machines(const GroupCounts& group, MachineFate fate);
MachineIndices find_overdue(const GroupCounts& group, MachineFate fate, const Memory& memory,
                            Time now);

// Targets above the number of machines.

/// Records whether the target of a group is too high, and since when. `to_take_back`: the number
/// of machines that update_request returned. The correct target is:
///
///     backed off until a machine joins    its real machines, and the one kept requested, if any
///     `to_take_back` above 0              the target less `to_take_back`
///     otherwise                           the number of machines that the cloud lists
///
/// A target below the number of machines is not repaired.
void update_incorrect_size(Memory& memory, const GroupCounts& group, int to_take_back, Time now);

/// Whether the target is to be lowered now: its figures have not changed for longer than a machine
/// may take to join, or the surplus is due to a failure (is_of_failure).
bool is_due(const IncorrectNodeGroupSize& size, const GroupCounts& group, const Memory& memory,
            Time now);
/// Whether the surplus is due to a failure: the group is backed off for a time-out, or until a
/// machine joins, and the last failure was not before `size.since`.
bool is_of_failure(const IncorrectNodeGroupSize& size, const NodeGroupId& group,
                   const Memory& memory, Time now);

// Nodes that a group will get without another increase.

/// Whether a machine or node that began at `since` still counts as upcoming: not if its group was
/// backed off for a time-out since then.
bool is_waited_for(const Memory& memory, const NodeGroupId& group, Time since, Time now) noexcept;

/// Sets the parts of the group's health that depend on machines: upcoming nodes, unjoined and
/// failed machines. `starting`: the number of nodes of NodeUsability::starting.
void count_upcoming(const GroupCounts& group, int starting, const Memory& memory,
                    NextChange& next_change, GroupHealth& out);

}  // namespace capstan::engine::health
