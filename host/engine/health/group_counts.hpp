/// What a pass counts about a group, before it concludes anything.
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
    being_removed,   ///< is being removed: the target holds it no more
    joined,          ///< has a node
    foreign,         ///< counts in another group
    failed_request,  ///< failed before the cloud began to make it
    failed,          ///< failed while it was made
    requested,       ///< not begun
    begun,           ///< is being made or runs, and has no node
};

/// Machines of one group.
struct MachineCounts {
    int being_removed = 0, joined = 0, foreign = 0, failed_request = 0, failed = 0, requested = 0,
        begun = 0;
    int ended = 0;      ///< of the listed ones: an answered target does not hold them any more
    int unlisted = 0;   ///< in the target, and not told of by the cloud
    int with_node = 0;  ///< whatever their fate: not being deleted by the cloud, with a node
    int leaving = 0;    ///< joined ones that the cloud is being asked to remove

    /// Those that a lower target may not cut off.
    int real() const noexcept { return joined + foreign + failed + begun; }
    /// Those the target holds.
    int listed() const noexcept { return real() + failed_request + requested; }
    bool operator==(const MachineCounts&) const = default;
};

struct GroupCounts {
    const Group* group = nullptr;  ///< never NULL
    Duration limit{};              ///< what a machine may take to join
    NodeCounts nodes{};
    std::vector<MachineFate> fates{};  ///< as Group::machines
    MachineCounts machines{};

    const NodeGroupId& id() const noexcept { return group->group.id; }
    /// A target that is not known counts as 0.
    int target() const noexcept;
    /// Nodes that have started.
    int provisioned() const noexcept;
    /// A group that is only ever empty or full.
    bool is_atomic() const noexcept;
};

/// One per group of the snapshot. Borrows the snapshot.
std::vector<GroupCounts> count_groups(const Snapshot& snapshot,
                                      const templates::Membership& membership,
                                      const std::vector<Readiness>& readiness, const Memory& memory,
                                      const Settings& settings);

/// Since when a machine has been seen without a node.
Time unjoined_since(const Memory& memory, const NodeGroupId& group, const Machine& machine,
                    Time now) noexcept;

/// When a machine was launched, on the clock of PassTime::now, as time_machines noted it when its
/// cloud first told: a clock that is set afterwards makes it no older. Nothing: its cloud does not
/// say.
std::optional<Time> launched_at(const Memory& memory, const NodeGroupId& group,
                                const Machine& machine, const PassTime& time) noexcept;

/// Whether a machine that is `requested` or `begun` has been seen so for longer than it may take.
/// When it was launched does not matter: it may have lost a node that it had.
bool is_overdue(const GroupCounts& group, std::size_t machine, const Memory& memory,
                Time now) noexcept;

/// MachinePlaces in Group::machines, ascending.
using MachinePlaces = std::vector<std::size_t>;

MachinePlaces find_machines(const GroupCounts& group, MachineFate fate);
MachinePlaces find_overdue(const GroupCounts& group, MachineFate fate, const Memory& memory,
                           Time now);

// Targets that the machines of a group do not add up to.

/// Notes that the target of one group is more than it should be, and since when. What it should be:
///
///     backed off until a machine joins    its real machines, and one that stays asked for
///     `at_once` above 0                    that much less than it is
///     otherwise                            what the cloud lists
///
/// A target that is less than the machines there are is none of ours to mend.
void follow_size(Memory& memory, const GroupCounts& group, int at_once, Time now);

/// Whether the note is to be acted on: its figures have stood for longer than a machine may take,
/// or the request for the surplus has just timed out, or has and its cloud refused a decrease.
bool is_due(const WrongSize& size, const GroupCounts& group, const Memory& memory, Time now);
/// The latter alone: the group is backed off for a time-out that was no earlier than the figures.
bool is_of_time_out(const WrongSize& size, const NodeGroupId& group, const Memory& memory,
                    Time now);

// Nodes that a group will have without being asked again.

/// Whether what began at `since` is still waited for: not where its group has run out of time since
/// then, whatever comes of it later.
bool is_waited_for(const Memory& memory, const NodeGroupId& group, Time since, Time now) noexcept;

/// Fills in what machines make of the group's health: upcoming nodes, unjoined and failed
/// machines. `starting`: nodes of NodeUsability::starting.
void count_upcoming(const GroupCounts& group, int starting, const Memory& memory,
                    NextChange& next_change, GroupHealth& out);

}  // namespace capstan::engine::health
