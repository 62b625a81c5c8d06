#include "simulator/chaos/growth.hpp"

#include <algorithm>
#include <optional>
#include <vector>

#include "engine/health/backoff.hpp"
#include "engine/health/cloud_backoff.hpp"
#include "engine/templates/membership.hpp"
#include "simulator/pod_predicates.hpp"

namespace capstan::simulator::chaos {

namespace {

/// Whether the pass takes machines back that failed, never joined or were never made.
bool is_repaired(const engine::Decision& decision, const NodeGroupId& group) {
    return std::ranges::count(decision.decreases, group, &engine::Decrease::group) > 0 ||
           std::ranges::any_of(decision.removals, [&](const engine::MachineRemoval& removal) {
               return removal.group == group &&
                      (removal.cause == engine::RemovalCause::never_joined ||
                       removal.cause == engine::RemovalCause::failed);
           });
}

}  // namespace

bool could_grow(const Moment& moment, const engine::Group& group, int target, int machines,
                Sums sums) {
    if (group.group.max && target + machines > *group.group.max) return false;
    if (!group.group.healthy.value_or(true)) return false;
    if (engine::health::find_backoff(moment.memory(), group, moment.now()) != nullptr) return false;
    if (!engine::health::find_request_backoff(moment.memory(), group.cloud, moment.now()).empty())
        return false;
    // A pass that repairs a group's size does nothing else to the group.
    if (is_repaired(moment.decision(), group.group.id)) return false;
    // A cloud that cannot be reached adds no machines.
    if (!group.unreadable_because.empty()) return false;
    sums.add(size_of(group), machines);
    return std::ranges::none_of(bounds_of(moment.settings()), [&](const auto& entry) {
        return entry.second.max && sums.of(entry.first) > *entry.second.max;
    });
}

void ObservedTemplates::observe(const Moment& moment) {
    const engine::snapshot::Cluster& cluster = moment.cluster();
    const std::vector<engine::Group>& groups = moment.groups();
    std::erase_if(known_, [&](const auto& entry) {
        const engine::Group* const group = moment.find_group(entry.first);
        return group == nullptr || !group->described || *group->described != entry.second.described;
    });
    const engine::templates::Membership membership =
        engine::templates::make_membership({cluster, moment.result.groups});
    std::vector<std::optional<engine::NodeIndex>> newest(groups.size());
    for (engine::NodeIndex i = 0; i < cluster.node_count(); ++i) {
        const auto& machine = membership.machine_of[i];
        if (!machine || !cluster.node(i).ready) continue;
        std::optional<engine::NodeIndex>& best = newest[machine->group];
        if (!best || cluster.node(*best).created < cluster.node(i).created) best = i;
    }
    for (std::size_t g = 0; g < groups.size(); ++g) {
        const std::optional<engine::NodeIndex>& node = newest[g];
        if (node && groups[g].described)
            known_[groups[g].group.id] = {.described = *groups[g].described,
                                          .observed = template_from_node(cluster, *node)};
    }
}

bool ObservedTemplates::surely_fits(const Moment& moment, engine::PodIndex pod,
                                    const engine::Group& group) const {
    const engine::snapshot::Cluster& cluster = moment.cluster();
    if (!simulator::surely_fits(cluster, pod, group, moment.settings())) return false;
    const auto known = known_.find(group.group.id);
    return known == known_.end() || might_fit(cluster, pod, known->second.observed);
}

}  // namespace capstan::simulator::chaos
