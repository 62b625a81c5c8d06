#include <algorithm>
#include <set>
#include <string>
#include <utility>

#include "engine/health/answered_targets.hpp"
#include "engine/health/known_groups.hpp"
#include "engine/next_change.hpp"
#include "engine/removal/phases.hpp"
#include "engine/removal/removal.hpp"

namespace capstan::engine::removal {
namespace {

/// Whether the machine is gone. It also is if the node of this name has another machine now.
bool is_over(const NodeRemoval& removal, const Machine* machine) {
    if (machine != nullptr && machine->id != removal.machine) return true;
    // A node may vanish some time after its machine was removed. A node without a machine still has
    // to lose our taints while the removal is undone.
    return machine == nullptr && removal.phase != RemovalPhase::removed &&
           removal.phase != RemovalPhase::undoing;
}

/// Whether a removal goes on although its machine is not listed: if the group cannot be read,
/// because the machine may be there; and if no cloud lists the group any more, because our marks
/// are to be taken off the node.
bool keep_without_machine(Memory& memory, NodeRemoval& removal, const Snapshot& snapshot,
                          Time now) {
    const Group* group = find_group(snapshot, removal.group);
    if (group != nullptr) return is_unreadable(group);
    if (removal.phase == RemovalPhase::removed) return false;
    if (removal.phase != RemovalPhase::undoing)
        give_up(memory, removal,
                "group " + removal.group.value() + " is no longer listed by any cloud", now);
    return true;
}

/// Whether the node has vanished and its cloud still lists the machine. The removal is remembered,
/// so that the machine does not count as one that is yet to join.
bool is_awaited(const NodeRemoval& removal, const Snapshot& snapshot, const Settings& settings,
                Time now) {
    return removal.target && health::is_still_listed(removal, *snapshot.groups) &&
           now < later(removal.phase_since, settings.scale_down.max_deletion_time);
}

void forget_those_over(Memory& memory, const Snapshot& snapshot,
                       const templates::Membership& membership, const Settings& settings,
                       Time now) {
    for (auto at = memory.removals.begin(); at != memory.removals.end();) {
        NodeRemoval& removal = at->second;
        const auto node = snapshot.cluster.find_node(at->first);
        const Machine* machine =
            node ? templates::find_machine(snapshot, membership, *node) : nullptr;
        if (node && machine == nullptr && keep_without_machine(memory, removal, snapshot, now)) {
            ++at;
            continue;
        }
        if (!node && is_awaited(removal, snapshot, settings, now)) {
            ++at;
            continue;
        }
        if (!node || is_over(removal, machine)) {
            at = memory.removals.erase(at);
            continue;
        }
        // Another client has changed it already.
        if (machine != nullptr && machine->state == MachineState::deleting &&
            is_revocable(removal.phase))
            enter(removal, RemovalPhase::removed, now);
        ++at;
    }
}

/// Whether the group has not been read since the start: a group that was read has a target.
bool is_never_read(const Group& group) { return health::is_unread(group) && !group.group.target; }

/// Whether marks on nodes of the group were there before the autoscaler started: in its first pass,
/// and in the first pass that reads the group.
bool may_have_leftovers(const Memory& memory, const Group& group) {
    return !memory.started || memory.unread_since_start.contains(group.group.id);
}

void adopt_leftovers(Memory& memory, const Snapshot& snapshot,
                     const templates::Membership& membership, Time now) {
    const snapshot::Cluster& cluster = snapshot.cluster;
    for (NodeIndex node = 0; node < cluster.node_count(); ++node) {
        const snapshot::NodeRow& row = cluster.node(node);
        const Machine* machine = templates::find_machine(snapshot, membership, node);
        if (machine == nullptr || !is_marked(row)) continue;
        if (!may_have_leftovers(memory, *find_group(snapshot, machine->group))) continue;
        const bool is_going = machine->state == MachineState::deleting;
        memory.removals.try_emplace(
            std::string(cluster.text(row.name)),
            NodeRemoval{.group = machine->group,
                        .machine = machine->id,
                        .phase = is_going ? RemovalPhase::removed : RemovalPhase::undoing,
                        .cordoned = is_cordoned_by_us(cluster, row),
                        .since = now,
                        .phase_since = now,
                        .because = "marked by an earlier run that is not in memory"});
    }
}

void note_unread(Memory& memory, const Snapshot& snapshot) {
    std::set<NodeGroupId> unread;
    for (const Group& group : *snapshot.groups)
        if (is_never_read(group) && may_have_leftovers(memory, group))
            unread.insert(group.group.id);
    memory.unread_since_start = std::move(unread);
}

}  // namespace

Memory remember_removals(Memory memory, const Snapshot& snapshot,
                         const templates::Membership& membership, const Settings& settings,
                         Time now) {
    forget_those_over(memory, snapshot, membership, settings, now);
    if (!memory.started || !memory.unread_since_start.empty())
        adopt_leftovers(memory, snapshot, membership, now);
    note_unread(memory, snapshot);
    return memory;
}

}  // namespace capstan::engine::removal
