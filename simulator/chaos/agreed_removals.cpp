#include "simulator/chaos/agreed_removals.hpp"

#include <algorithm>
#include <limits>
#include <set>

#include "simulator/pod_predicates.hpp"

namespace capstan::simulator::chaos {

void AgreedRemovals::observe_lists(const std::vector<engine::Group>& groups) {
    std::set<MachineId> listed;
    targets_.clear();
    for (const engine::Group& group : groups) {
        targets_[group.group.id] = group.group.target.value_or(0);
        for (const Machine& machine : group.machines) listed.insert(machine.id);
    }
    std::erase_if(agreed_, [&](const auto& entry) { return !listed.contains(entry.first); });
}

void AgreedRemovals::observe_results(const engine::Decision& decision,
                                     const engine::Results& results) {
    for (const RemovedMachine& removed : find_removed(decision, results))
        agreed_[removed.machine] = targets_[removed.group];
    // A machine that is replaced leaves its target as it is.
    for (const engine::MachineRemoval& removal : decision.removals)
        for (const MachineId& machine : removal.machines)
            if (removal.keep_target && agreed_.contains(machine))
                agreed_[machine] = std::numeric_limits<int>::max();
}

bool AgreedRemovals::is_going(const Machine& machine) const {
    return machine.state == MachineState::deleting || agreed_.contains(machine.id);
}

int AgreedRemovals::still_in_target(const engine::Group& group) const {
    return static_cast<int>(std::ranges::count_if(group.machines, [&](const Machine& machine) {
        const auto at = agreed_.find(machine.id);
        return at != agreed_.end() && machine.state != MachineState::deleting &&
               group.group.target.value_or(0) >= at->second;
    }));
}

}  // namespace capstan::simulator::chaos
