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

/// Whether what the removal was about is gone, be it that another node has the name now.
bool is_over(const NodeRemoval& removal, const Machine* machine) {
    if (machine != nullptr && machine->id != removal.machine) return true;
    // The node of a machine that went as we asked may take a while to vanish; one that is no
    // machine's any more has to lose our taints all the same.
    return machine == nullptr && removal.phase != RemovalPhase::removed &&
           removal.phase != RemovalPhase::undoing;
}

/// Whether a removal goes on though its machine is not told of: where the group cannot be read, for
/// it may be there; and where no cloud lists the group any more, for the node is to lose our marks.
bool keep_without_machine(Memory& memory, NodeRemoval& removal, const Snapshot& snapshot,
                          Time now) {
    const Group* group = find_group(snapshot, removal.group);
    if (group != nullptr) return is_unreadable(group);
    if (removal.phase == RemovalPhase::removed) return false;
    if (removal.phase != RemovalPhase::undoing)
        give_up(memory, removal, "no cloud lists its group " + removal.group.value() + " any more",
                now);
    return true;
}

/// Whether the node has vanished before the list shows it: its machine is not one that is yet to
/// join.
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

/// Whether nothing has been told of the group since the start: one that was read has a target.
bool is_untold(const Group& group) { return health::is_unread(group) && !group.group.target; }

/// Whether marks on nodes of the group were there before the autoscaler was: in its first pass, and
/// in the first that reads the group.
bool may_have_leftovers(const Memory& memory, const Group& group) {
    return !memory.started || memory.unread_since_start.contains(group.group.id);
}

void adopt_leftovers(Memory& memory, const Snapshot& snapshot,
                     const templates::Membership& membership, Time now) {
    const snapshot::Cluster& cluster = snapshot.cluster;
    for (snapshot::NodeIndex node = 0; node < cluster.node_count(); ++node) {
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
                        .because = "it was left by a run that is not remembered"});
    }
}

void note_unread(Memory& memory, const Snapshot& snapshot) {
    std::set<NodeGroupId> unread;
    for (const Group& group : *snapshot.groups)
        if (is_untold(group) && may_have_leftovers(memory, group)) unread.insert(group.group.id);
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
