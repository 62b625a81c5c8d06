#include "engine/health/minimum.hpp"

#include <algorithm>
#include <limits>
#include <string>

#include "engine/health/backoff.hpp"
#include "engine/scale_up/limits.hpp"

namespace capstan::engine {
namespace {

/// A node whose looks are unknown is a node all the same.
NodeTemplate node_of(const Group& group) {
    return group.described == nullptr ? NodeTemplate() : *group.described;
}

Budget budget_beside_outstanding(const Snapshot& snapshot, const Health& health,
                                 const Settings& settings) {
    std::vector<NodesToCome> to_come;
    for (std::size_t g = 0; g < health.groups.size(); ++g) {
        const int nodes = health.groups[g].outstanding;
        if (nodes > 0) to_come.push_back({node_of((*snapshot.groups)[g]), nodes});
    }
    return Budget(snapshot, to_come, settings);
}

bool may_grow(const Group& group, const GroupHealth& health, const Memory& memory, Time now) {
    return group.group.target && group.group.min && group.group.healthy != false &&
           group.unreadable_because.empty() && health.unhealthy_because.empty() &&
           find_backoff(memory, group, now) == nullptr;
}

}  // namespace

void raise_to_minimum(const Snapshot& snapshot, const Health& health, const Memory& memory,
                      const Settings& settings, const std::vector<bool>& changed, Time now,
                      Repairs& out) {
    Budget budget = budget_beside_outstanding(snapshot, health, settings);
    for (std::size_t g = 0; g < snapshot.groups->size(); ++g) {
        const Group& group = (*snapshot.groups)[g];
        if (changed[g] || !may_grow(group, health.groups[g], memory, now)) continue;
        const int min = *group.group.min;
        const int most = group.group.max.value_or(std::numeric_limits<int>::max());
        const int missing = std::min(min, most) - *group.group.target;
        if (missing <= 0) continue;
        const NodeTemplate node = node_of(group);
        const Allowed allowed = budget.allows(node, missing);
        if (allowed.nodes < missing) {
            out.notes.push_back("group " + group.group.id.value() + " stays below its minimum of " +
                                std::to_string(min) + ": " + allowed.because);
        }
        if (allowed.nodes <= 0) continue;
        budget.take(node, allowed.nodes);
        out.increases.push_back({.group = group.group.id,
                                 .cloud = group.cloud,
                                 .from = *group.group.target,
                                 .by = allowed.nodes,
                                 .option = no_option,
                                 .because = "its minimum is " + std::to_string(min)});
    }
}

}  // namespace capstan::engine
