/// What a pass counts about a group, before it concludes anything.
#pragma once

#include <optional>
#include <vector>

#include "engine/health/alarm.hpp"
#include "engine/health/health.hpp"
#include "engine/memory.hpp"
#include "engine/settings.hpp"
#include "engine/snapshot.hpp"
#include "engine/templates/membership.hpp"

namespace capstan::engine {

/// What has become of a machine.
enum class MachineFate {
    going,           ///< is being removed: the target holds it no more
    joined,          ///< has a node
    foreign,         ///< counts in another group
    failed_request,  ///< failed before the cloud began to make it
    failed,          ///< failed while it was made
    requested,       ///< not begun
    begun,           ///< is being made or runs, and has no node
};

/// Machines of one group.
struct MachineCounts {
    int going = 0, joined = 0, foreign = 0, failed_request = 0, failed = 0, requested = 0,
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

struct GroupFigures {
    const Group* group = nullptr;  ///< never NULL
    Duration limit{};              ///< what a machine may take to join
    NodeCounts nodes{};
    std::vector<MachineFate> fates{};  ///< as Group::machines
    MachineCounts machines{};

    const NodeGroupId& id() const noexcept { return group->group.id; }
    /// Nobody's target counts for nothing.
    int target() const noexcept;
    /// Nodes that have started.
    int provisioned() const noexcept;
    /// A group that is only ever empty or full.
    bool is_whole() const noexcept;
};

/// One per group of the snapshot. Borrows the snapshot.
std::vector<GroupFigures> count_groups(const Snapshot& snapshot, const Membership& membership,
                                       const std::vector<Readiness>& readiness,
                                       const Memory& memory, const Settings& settings);

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
bool is_overdue(const GroupFigures& group, std::size_t machine, const Memory& memory,
                Time now) noexcept;

/// MachinePlaces in Group::machines, ascending.
using MachinePlaces = std::vector<std::size_t>;

MachinePlaces find_machines(const GroupFigures& group, MachineFate fate);
MachinePlaces find_overdue(const GroupFigures& group, MachineFate fate, const Memory& memory,
                           Time now);

}  // namespace capstan::engine
