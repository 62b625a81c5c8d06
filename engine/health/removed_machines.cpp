#include "engine/health/removed_machines.hpp"

#include <algorithm>
#include <map>

#include "engine/health/known_groups.hpp"
#include "engine/health/reactions.hpp"
#include "engine/next_change.hpp"

namespace capstan::engine::health {
namespace {

bool has_no_node(const MachineRemoval& removal, std::size_t machine) {
    return machine >= removal.nodes.size() || removal.nodes[machine].empty();
}

bool is_gone(const Error* error) {
    return error == nullptr || reaction_to(Call::remove, error->code) == Reaction::treat_as_gone;
}

bool may_still_be_listed(const Snapshot& snapshot, const NodeGroupId& id,
                         const MachineId& machine) {
    const Group* const group = find_group(snapshot, id);
    if (group == nullptr) return false;
    if (is_unread(*group)) return true;
    const auto at = std::ranges::lower_bound(group->machines, machine, {}, &Machine::id);
    return at != group->machines.end() && at->id == machine && at->state != MachineState::deleting;
}

/// By how many machines one decision has lowered the target of each group.
std::map<NodeGroupId, int> count_lowered(const Decision& decision, const Results& results) {
    std::map<NodeGroupId, int> out;
    for (std::size_t i = 0; i < results.decreases.size(); ++i)
        if (!results.decreases[i]) out[decision.decreases[i].group] += decision.decreases[i].by;
    for (std::size_t i = 0; i < results.removals.size(); ++i) {
        const MachineRemoval& removal = decision.removals[i];
        if (removal.keep_target) continue;
        out[removal.group] +=
            static_cast<int>(std::ranges::count_if(removal.machines, [&](const MachineId& machine) {
                return find_error(results.removals[i], machine) == nullptr;
            }));
    }
    return out;
}

}  // namespace

void expect_removals(Memory& memory, const std::vector<MachineRemoval>& removals,
                     std::span<const Group> groups, Time now) {
    for (const MachineRemoval& removal : removals) {
        const Group* const group = find_group(groups, removal.group);
        for (std::size_t m = 0; m < removal.machines.size(); ++m) {
            if (!has_no_node(removal, m)) continue;
            RemovedMachine& removed = memory.removed_machines[removal.group][removal.machines[m]];
            removed = {.until = later(now, removal_listed_time)};
            if (group != nullptr && !removal.keep_target) removed.target = group->group.target;
        }
    }
}

void remember_removed_machines(Memory& memory, const Decision& decision, const Results& results,
                               Time now) {
    const std::map<NodeGroupId, int> lowered = count_lowered(decision, results);
    for (std::size_t i = 0; i < results.removals.size(); ++i) {
        const MachineRemoval& removal = decision.removals[i];
        const auto of_group = memory.removed_machines.find(removal.group);
        if (of_group == memory.removed_machines.end()) continue;
        for (const MachineId& machine : removal.machines) {
            const auto at = of_group->second.find(machine);
            if (at == of_group->second.end()) continue;
            RemovedMachine& removed = at->second;
            const Error* const error = find_error(results.removals[i], machine);
            if (is_gone(error)) {
                removed.agreed = true;
                removed.until = later(now, removal_listed_time);
                // A machine that was gone before has not lowered the target now.
                if (error != nullptr) removed.target.reset();
                if (removed.target) *removed.target -= lowered.at(removal.group);
            } else if (!is_outcome_open(Call::remove, *error)) {
                of_group->second.erase(at);
            }
        }
        if (of_group->second.empty()) memory.removed_machines.erase(of_group);
    }
}

void update_removed_machines(Memory& memory, const Snapshot& listed, Time now) {
    for (auto& [group, machines] : memory.removed_machines)
        std::erase_if(machines, [&, &id = group](const auto& entry) {
            return entry.second.until <= now || !may_still_be_listed(listed, id, entry.first);
        });
    std::erase_if(memory.removed_machines, [](const auto& entry) { return entry.second.empty(); });
}

const RemovedMachine* find_removed_machine(const Memory& memory, const NodeGroupId& group,
                                           const MachineId& machine) noexcept {
    const auto of_group = memory.removed_machines.find(group);
    if (of_group == memory.removed_machines.end()) return nullptr;
    const auto at = of_group->second.find(machine);
    return at != of_group->second.end() ? &at->second : nullptr;
}

int count_unanswered(const Memory& memory, const NodeGroupId& group) noexcept {
    const auto at = memory.removed_machines.find(group);
    if (at == memory.removed_machines.end()) return 0;
    return static_cast<int>(std::ranges::count_if(
        at->second, [](const auto& entry) { return !entry.second.agreed && entry.second.target; }));
}

std::optional<Time> next_removed_machine_end(const Memory& memory, Time now) noexcept {
    std::optional<Time> out;
    for (const auto& [group, machines] : memory.removed_machines)
        for (const auto& [machine, removed] : machines)
            if (now < removed.until) out = std::min(out.value_or(removed.until), removed.until);
    return out;
}

}  // namespace capstan::engine::health
