#include <algorithm>
#include <utility>

#include "engine/removal/phases.hpp"
#include "engine/removal/removal.hpp"

namespace capstan::engine {
namespace {

/// Whether what the removal was about is gone, be it that another node has the name now.
bool is_over(const NodeRemoval& removal, const Machine* machine) {
    if (machine != nullptr && machine->id != removal.machine) return true;
    // The node of a machine that went as we asked may take a while to vanish; one that is no
    // machine's any more has to lose our taints all the same.
    return machine == nullptr && removal.phase != RemovalPhase::removed &&
           removal.phase != RemovalPhase::undoing;
}

void forget_those_over(Memory& memory, const Snapshot& snapshot, const Membership& membership,
                       Time now) {
    for (auto at = memory.removals.begin(); at != memory.removals.end();) {
        NodeRemoval& removal = at->second;
        const auto node = snapshot.cluster.find_node(at->first);
        const Machine* machine = node ? find_machine(snapshot, membership, *node) : nullptr;
        if (!node || is_over(removal, machine)) {
            at = memory.removals.erase(at);
            continue;
        }
        // Somebody else was faster.
        if (machine != nullptr && machine->state == MachineState::deleting &&
            is_revocable(removal.phase))
            enter(removal, RemovalPhase::removed, now);
        ++at;
    }
}

void adopt_leftovers(Memory& memory, const Snapshot& snapshot, const Membership& membership,
                     Time now) {
    const Cluster& cluster = snapshot.cluster;
    for (NodeIndex node = 0; node < cluster.node_count(); ++node) {
        const NodeRow& row = cluster.node(node);
        const Machine* machine = find_machine(snapshot, membership, node);
        if (machine == nullptr || !is_marked(row)) continue;
        const bool is_going = machine->state == MachineState::deleting;
        memory.removals.try_emplace(
            std::string(cluster.text(row.name)),
            NodeRemoval{.group = machine->group,
                        .machine = machine->id,
                        .phase = is_going ? RemovalPhase::removed : RemovalPhase::undoing,
                        .cordoned = is_cordoned_by_us(cluster, row),
                        .since = now,
                        .phase_since = now,
                        .because = "it was left by a run that nobody remembers"});
    }
}

}  // namespace

Memory remember_removals(Memory memory, const Snapshot& snapshot, const Membership& membership,
                         const Settings&, Time now) {
    forget_those_over(memory, snapshot, membership, now);
    if (!memory.started) adopt_leftovers(memory, snapshot, membership, now);
    return memory;
}

}  // namespace capstan::engine
