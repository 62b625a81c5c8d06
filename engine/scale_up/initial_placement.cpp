#include "engine/scale_up/initial_placement.hpp"

#include <algorithm>
#include <cstdint>
#include <map>
#include <span>
#include <string_view>
#include <tuple>
#include <vector>

#include <capstan/assert.hpp>
#include <capstan/sentence.hpp>

#include "engine/pass_context/spread_emulation.hpp"
#include "engine/scale_up/packing.hpp"
#include "engine/scale_up/planned_assignments.hpp"

namespace capstan::engine::scale_up {
namespace {

/// A nominated pod is placed only if its node has room: if the pods that it preempts are still
/// there, their room is taken already.
void assign_nominated(const pass_context::PassContext& context, scheduling::Placement& placement) {
    std::map<PodGroupId, PodGroupIndex> pod_groups;
    for (const pods::Nomination& nomination : context.nominated) {
        const auto [at, is_new] = pod_groups.try_emplace(nomination.equivalence_group);
        if (is_new) {
            const auto found = pass_context::find_pod_group(context, nomination.equivalence_group);
            CAPSTAN_ASSERT(found, "the predicates do not include a nominated pod");
            at->second = *found;
        }
        const PodGroupIndex pod_group = at->second;
        if (placement.room(pod_group, nomination.node, 1).in_all == 1) {
            placement.place(pod_group, nomination.node, 1);
        }
    }
}

std::int64_t count_pending(const pass_context::PassContext& context) {
    std::int64_t out = 0;
    for (const PodCount& pods : context.pending.pod_groups) out += pods.count;
    return out;
}

/// Places pods that a removal moves, and those created in their place, where its plan has room for
/// them. If other pods came first, these pods might fit in no other way, and the pass would order a
/// node for them.
void assign_reserved(const pass_context::PassContext& context, scheduling::Placement& placement,
                     std::vector<int>& left) {
    if (context.reserved.empty()) return;
    const PodsByKey pending(context, left);
    for (const auto& [name, pods] : context.reserved) {
        const auto node = context.snapshot->cluster.find_node(name);
        if (!node || context.health.nodes[*node] == health::NodeUsability::out) continue;
        for (const auto& [key, count] : pods) {
            int wanted = count;
            for (const PodGroupIndex s : pending.of(key)) {
                const int placed = placement.room(s, *node, std::min(wanted, left[s])).in_all;
                placement.place(s, *node, placed);
                wanted -= placed;
                left[s] -= placed;
            }
        }
    }
}

/// The number of upcoming nodes that can make a difference: one for each pending pod, one for each
/// planned node, and one that stays empty, which makes its zone a domain. Further nodes would stay
/// empty, too.
std::int64_t useful_upcoming(const pass_context::PassContext& context, GroupIndex group,
                             std::int64_t pending) {
    std::int64_t most = pending + 1;
    const auto planned = context.planned.find(context.id(group));
    if (planned != context.planned.end())
        for (const PlannedNodes& nodes : planned->second) most += nodes.nodes;
    return std::min<std::int64_t>(most, context.health.groups[group].upcoming.nodes());
}

/// Adds a slot for each upcoming node, so that no slot is ever split. An existing node that is
/// starting is closed and counts as an upcoming node of its group. However large a target is, no
/// more slots are added than can be of use.
void add_upcoming(const pass_context::PassContext& context, scheduling::Placement& placement) {
    const std::int64_t pending = count_pending(context);
    for (NodeIndex n = 0; n < context.health.nodes.size(); ++n) {
        if (context.health.nodes[n] == health::NodeUsability::starting) placement.close(n);
    }
    for (GroupIndex g = 0; g < context.groups().size(); ++g) {
        if (context.templates[g].node == nullptr) continue;
        const std::int64_t nodes = useful_upcoming(context, g, pending);
        for (std::int64_t n = 0; n < nodes; ++n) placement.add(g, 1);
    }
}

std::vector<bool> out_of_order(const pass_context::PassContext& context) {
    std::vector<bool> out;
    for (const health::NodeUsability usability : context.health.nodes)
        out.push_back(usability == health::NodeUsability::out);
    return out;
}

/// By pod group: its rank in the size order of a template; 0 is the largest.
std::vector<std::size_t> ranks_by_size(const scheduling::CompiledPredicates& predicates,
                                       TemplateNodeId template_node) {
    const SizeOrder sizes = SizeOrders(predicates).of(template_node);
    std::vector<std::size_t> ranks(sizes->size());
    for (std::size_t i = 0; i < sizes->size(); ++i) ranks[(*sizes)[i]] = i;
    return ranks;
}

/// The order in which pods get room on upcoming nodes: by priority, then pods that fit on the
/// fewest kinds of nodes, then by size. Otherwise a large node that was ordered for one pod might
/// be filled with small pods in the next pass, which would order another large node.
std::vector<PodGroupIndex> order_for_upcoming(const pass_context::PassContext& context,
                                              const scheduling::Placement& placement,
                                              scheduling::Slot first_upcoming,
                                              const std::vector<int>& left) {
    std::map<TemplateNodeId, scheduling::Slot> one_of_each;
    for (scheduling::Slot slot = first_upcoming; slot < placement.slot_count(); ++slot)
        one_of_each.try_emplace(placement.template_node_of_new(slot), slot);
    if (one_of_each.empty()) return {};
    const auto by_size = ranks_by_size(*context.predicates, one_of_each.begin()->first);
    using Rank = std::tuple<std::int64_t, std::int64_t, std::size_t, PodGroupIndex>;
    std::vector<Rank> ranks;
    for (PodGroupIndex s = 0; s < context.pending_count(); ++s) {
        if (left[s] == 0) continue;
        const auto choices = std::ranges::count_if(one_of_each, [&](const auto& entry) {
            return placement.room(s, entry.second, 1).in_all > 0;
        });
        const snapshot::PodGroupRow& row =
            context.snapshot->cluster.equivalence_group(context.predicates->pod_groups()[s]);
        ranks.emplace_back(-std::int64_t{row.spec->priority.value_or(0)}, choices, by_size[s], s);
    }
    std::ranges::sort(ranks);
    std::vector<PodGroupIndex> out;
    for (const Rank& rank : ranks) out.push_back(std::get<PodGroupIndex>(rank));
    return out;
}

/// Takes up to `most` pods of the pod groups out of `left`. Returns how many were taken.
int take_out(std::span<const PodGroupIndex> pod_groups, std::int64_t most, std::vector<int>& left) {
    int out = 0;
    for (const PodGroupIndex s : pod_groups) {
        const auto some = static_cast<int>(std::clamp<std::int64_t>(most - out, 0, left[s]));
        left[s] -= some;
        out += some;
    }
    return out;
}

/// Lets pods without room wait for nodes that were ordered for them from groups that cannot be read
/// now. Otherwise the pass would order nodes of other groups for the same pods.
void wait_for_unread_orders(const pass_context::PassContext& context, Progress& progress) {
    if (context.unread_groups_with_requests.empty()) return;
    const PodsByKey pending(context, progress.left);
    for (const GroupIndex group : context.unread_groups_with_requests) {
        const std::vector<PlannedNodes>& planned = context.planned.at(context.id(group));
        std::int64_t pods = 0;
        std::map<std::string_view, std::int64_t> absent;  // by key
        for (const PlannedNodes& nodes : planned) {
            for (const auto& [key, count] : nodes.pods) {
                const std::int64_t wanted = std::int64_t{nodes.nodes} * count;
                const std::int64_t taken = take_out(pending.of(key), wanted, progress.left);
                pods += taken;
                absent[key] += wanted - taken;
            }
        }
        for (const auto& [key, count] : absent)
            pods += take_out(pending.of_controller(key), count, progress.left);
        if (pods == 0) continue;
        progress.notes.push_back(
            "group " + context.id(group).value() + " cannot be read: " + counted(pods, "pod") +
            (pods == 1 ? " stays" : " stay") + " planned on its requested nodes");
    }
}

/// Pods of a drain that have no place any more get no machine: they stay on their node, because the
/// drain is given up (removal/vacated_nodes.hpp, give_up_without_places).
void keep_on_their_nodes(const pass_context::PassContext& context, std::vector<int>& left) {
    const snapshot::Cluster& cluster = context.snapshot->cluster;
    for (const PodIndex pod : context.evicted) {
        if (health::is_vacated(context.health.leaving, cluster.pod(pod).node)) continue;
        const auto pod_group =
            pass_context::find_pod_group(context, cluster.equivalence_group_of(pod));
        if (pod_group && *pod_group < left.size() && left[*pod_group] > 0) --left[*pod_group];
    }
}

}  // namespace

InitialPlacement::InitialPlacement(const pass_context::PassContext& the_context)
    : context(&the_context),
      placement(*the_context.predicates),
      progress(the_context),
      passed_over(out_of_order(the_context)) {}

InitialPlacement place_pending(const pass_context::PassContext& context) {
    InitialPlacement out(context);
    for (const NodeIndex node : context.being_removed) out.placement.close(node);
    for (const health::LeavingNode& node : context.health.leaving)
        if (node.departure.is_vacated) out.placement.close(node.node);
    assign_nominated(context, out.placement);
    add_upcoming(context, out.placement);
    out.first_new = static_cast<scheduling::Slot>(out.placement.slot_count());
    out.has_zones = pass_context::assign_zones(context, out.placement);
    const std::vector<int> before = out.progress.left;
    assign_reserved(context, out.placement, out.progress.left);
    bool any = false;
    const auto nodes = static_cast<scheduling::Slot>(context.snapshot->cluster.node_count());
    for (PodGroupIndex s = 0; s < context.pending_count(); ++s)
        any = out.assign(s, 0, nodes) || any;
    PlannedAssignments planned(context, out.placement, out.progress.left, nodes, out.first_new);
    while (planned.assign()) {
        any = true;
        out.assign_constrained(nodes);
    }
    for (const PodGroupIndex s :
         order_for_upcoming(context, out.placement, nodes, out.progress.left))
        any = out.assign(s, nodes, out.first_new) || any;
    // A pod with inter-pod constraints may have been tried before the pods that it has to be near.
    while (any) any = out.assign_constrained(out.first_new);
    keep_on_their_nodes(context, out.progress.left);
    wait_for_unread_orders(context, out.progress);
    for (PodGroupIndex s = 0; s < before.size(); ++s) {
        out.progress.fit[s] = before[s] - out.progress.left[s];
        CAPSTAN_ASSERT(out.progress.fit[s] >= 0, "more pods are left than are pending");
    }
    return out;
}

bool InitialPlacement::assign(PodGroupIndex pod_group, scheduling::Slot from,
                              scheduling::Slot end) {
    const int assigned =
        Packing(placement, &passed_over).fill(pod_group, from, end, progress.left[pod_group]);
    progress.left[pod_group] -= assigned;
    CAPSTAN_ASSERT(progress.left[pod_group] >= 0, "more pods are assigned than are left");
    return assigned > 0;
}

bool InitialPlacement::assign_constrained(scheduling::Slot end) {
    bool any = false;
    for (PodGroupIndex s = 0; s < context->pending_count(); ++s) {
        if (progress.left[s] > 0 && context->predicates->has_inter_pod_constraints(s))
            any = assign(s, 0, end) || any;
    }
    return any;
}

}  // namespace capstan::engine::scale_up
