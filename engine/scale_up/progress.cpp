#include "engine/scale_up/progress.hpp"

#include <algorithm>

#include "engine/scale_up/packing.hpp"

namespace capstan::engine::scale_up {

Progress::Progress(const pass_context::PassContext& context)
    : left(context.predicates->pod_groups().size(), 0), fit(left.size(), 0), quotas(context) {
    for (PodGroupIndex s = 0; s < context.pending_count(); ++s) {
        left[s] = static_cast<int>(context.pending.pod_groups[s].count);
    }
}

SchedulablePods count_schedulable(const scheduling::Placement& placement,
                                  scheduling::Slot first_new) {
    SchedulablePods out;
    for (scheduling::Slot slot = first_new; slot < placement.slot_count(); ++slot) {
        auto& on_group = out[placement.template_node_of_new(slot)];
        for (const scheduling::Assignment& assignment : placement.assignments(slot)) {
            on_group[assignment.pod_group] += assignment.per_node * placement.nodes(slot);
        }
    }
    return out;
}

Estimate estimate(scheduling::Placement& placement, TemplateNodeId template_node,
                  std::span<const Demand> pods, int max_nodes) {
    std::vector<int> counts(placement.predicates().pod_groups().size(), 0);
    for (const Demand& demand : pods) counts[demand.pod_group] += demand.count;
    const SizeOrder order = SizeOrders(placement.predicates()).of(template_node);
    std::vector<Demand> ordered;
    for (const PodGroupIndex pod_group : *order) {
        if (counts[pod_group] > 0) ordered.push_back({pod_group, counts[pod_group]});
    }

    Supply supply{template_node, std::max(max_nodes, 0)};
    Packed packed = Packing(placement).pack({&supply, 1}, ordered);
    std::ranges::sort(packed.schedulable, {}, &Demand::pod_group);
    return {std::max(max_nodes, 0) - supply.nodes, std::move(packed.schedulable)};
}

}  // namespace capstan::engine::scale_up
