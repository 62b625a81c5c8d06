#include "engine/scale_up/planned_assignments.hpp"

#include <algorithm>
#include <functional>
#include <tuple>
#include <utility>

#include <capstan/well_known.hpp>

#include "engine/snapshot/label_finder.hpp"

namespace capstan::engine::scale_up {
namespace {

using Pods = std::map<std::string, int>;

std::string labels_text(const snapshot::Cluster& cluster, const snapshot::PodGroupRow& row) {
    std::string out;
    for (const snapshot::LabelPair& label : row.labels) {
        out.append(out.empty() ? "" : ",").append(cluster.text(label.key)).append("=");
        out.append(cluster.text(label.value));
    }
    return out;
}

/// The planned nodes one by one. Nodes come first if all of their pods are pending: other nodes may
/// have joined already.
std::vector<const Pods*> each_planned_node(const std::vector<PlannedNodes>& planned, Pods waiting) {
    std::vector<const Pods*> out, others;
    const auto all_wait = [&](const auto& entry) { return waiting[entry.first] >= entry.second; };
    for (const PlannedNodes& nodes : planned) {
        for (int n = 0; n < nodes.nodes; ++n) {
            const bool is_whole = std::ranges::all_of(nodes.pods, all_wait);
            (is_whole ? out : others).push_back(&nodes.pods);
            if (!is_whole) continue;
            for (const auto& [controller, count] : nodes.pods) waiting[controller] -= count;
        }
    }
    out.insert(out.end(), others.begin(), others.end());
    return out;
}

}  // namespace

std::string controller_key(const snapshot::Cluster& cluster,
                           snapshot::PodGroupId equivalence_group) {
    const snapshot::PodGroupRow& row = cluster.equivalence_group(equivalence_group);
    const snapshot::PodOwner& owner = *row.owner;
    return std::string(cluster.text(row.ns)) + "/" + owner.kind + "/" +
           (owner.kind.empty() ? labels_text(cluster, row) : owner.name);
}

std::map<NodeGroupId, std::vector<PlannedNodes>> planned_nodes(
    const pass_context::PassContext& context, const scheduling::Placement& placement) {
    const snapshot::Cluster& cluster = context.snapshot->cluster;
    std::map<scheduling::PodGroupIndex, std::string> names;
    std::map<std::pair<pass_context::GroupIndex, Pods>, int> nodes;
    for (scheduling::Slot slot = static_cast<scheduling::Slot>(cluster.node_count());
         slot < placement.slot_count(); ++slot) {
        Pods pods;
        for (const scheduling::Assignment& assignment : placement.assignments(slot)) {
            const auto [name, is_new] = names.try_emplace(assignment.pod_group);
            if (is_new)
                name->second =
                    controller_key(cluster, context.rules->pod_groups()[assignment.pod_group]);
            pods[name->second] += assignment.per_node;
        }
        if (!pods.empty())
            nodes[{*placement.shape(slot), std::move(pods)}] += placement.nodes(slot);
    }
    std::map<NodeGroupId, std::vector<PlannedNodes>> out;
    for (const auto& [what, count] : nodes)
        out[context.id(what.first)].push_back({count, what.second});
    return out;
}

PlannedAssignments::PlannedAssignments(const pass_context::PassContext& context,
                                       scheduling::Placement& placement, std::vector<int>& left,
                                       scheduling::Slot from, scheduling::Slot end)
    : context_(&context), placement_(&placement), left_(&left), unplanned_(left) {
    if (context.planned.empty() || from == end) return;
    for (scheduling::PodGroupIndex s = 0; s < context.pending_count(); ++s) {
        if (left[s] == 0) continue;
        pod_groups_[controller_key(context.snapshot->cluster, context.rules->pod_groups()[s])]
            .push_back(s);
    }
    for (scheduling::Slot first = from; first < end;) {
        const pass_context::GroupIndex group = *placement.shape(first);
        scheduling::Slot last = first;
        while (last < end && *placement.shape(last) == group) ++last;
        const auto planned = context.planned.find(context.id(group));
        if (planned != context.planned.end()) add_group(group, planned->second, first, last);
        first = last;
    }
}

void PlannedAssignments::add_group(pass_context::GroupIndex group,
                                   const std::vector<PlannedNodes>& nodes, scheduling::Slot from,
                                   scheduling::Slot end) {
    Pods waiting;
    for (const auto& [controller, pod_groups] : pod_groups_) {
        for (const scheduling::PodGroupIndex s : pod_groups) waiting[controller] += unplanned_[s];
    }
    for (const Pods* pods : each_planned_node(nodes, std::move(waiting))) {
        if (from == end) return;
        want(group, from++, *pods);
    }
}

void PlannedAssignments::want(pass_context::GroupIndex group, scheduling::Slot slot,
                              const Pods& pods) {
    for (const auto& [controller, count] : pods) {
        const auto pod_groups = pod_groups_.find(controller);
        if (pod_groups == pod_groups_.end()) continue;
        int wanted = count;
        for (const scheduling::PodGroupIndex s : pod_groups->second) {
            const int some = std::min(wanted, unplanned_[s]);
            if (some == 0) continue;
            wanted -= some;
            unplanned_[s] -= some;
            Queue queue = make_queue(s);
            // A spread over hosts compares the nodes of all node groups.
            const pass_context::GroupIndex of = queue.over_hosts ? 0 : group;
            queues_.try_emplace({of, s}, std::move(queue))
                .first->second.wants.push_back({slot, some});
        }
    }
}

PlannedAssignments::Queue PlannedAssignments::make_queue(
    scheduling::PodGroupIndex pod_group) const {
    const snapshot::PodGroupId id = context_->rules->pod_groups()[pod_group];
    const snapshot::Cluster& cluster = context_->snapshot->cluster;
    const snapshot::PodSpec& spec = *cluster.equivalence_group(id).spec;
    const auto is_over_hosts = [](const snapshot::SpreadConstraint& constraint) {
        return constraint.topology_key == well_known::hostname_label;
    };
    return {.pod_group = pod_group,
            .has_inter_pod_constraints = context_->rules->has_inter_pod_constraints(pod_group),
            .in_step = cluster.spread(id).size() == 1 && placement_->spread(pod_group) &&
                       spec.pod_affinity.empty() && spec.pod_anti_affinity.empty(),
            .over_hosts = std::ranges::any_of(cluster.spread(id), is_over_hosts)};
}

/// Pod groups that are spread over hosts come first. The pass that ordered the nodes filled one
/// node before it opened the next, so the fullest nodes come first, and so do the pod groups with
/// the fullest node, ties by the fewest nodes.
bool PlannedAssignments::assign() {
    std::vector<std::tuple<int, std::size_t, scheduling::PodGroupIndex>> over_hosts;
    for (auto& [key, queue] : queues_) {
        if (!queue.over_hosts || queue.wants.empty()) continue;
        std::ranges::stable_sort(queue.wants, std::greater(), &Want::pods);
        over_hosts.emplace_back(-queue.wants.front().pods, queue.wants.size(), queue.pod_group);
    }
    std::ranges::sort(over_hosts);
    bool some = false;
    for (const auto& [most, nodes, pod_group] : over_hosts)
        some = take_turns([of = pod_group](const Queue& queue) { return queue.pod_group == of; }) ||
               some;
    return take_turns([](const Queue&) { return true; }) || some;
}

template <class Chosen>
bool PlannedAssignments::take_turns(Chosen is_chosen) {
    bool any = false;
    for (bool some = true; some;) {
        some = false;
        for (auto& [key, queue] : queues_)
            if (is_chosen(queue)) some = take_turn(queue) || some;
        any = any || some;
    }
    return any;
}

bool PlannedAssignments::take_turn(Queue& queue) {
    int& left = (*left_)[queue.pod_group];
    bool any = false;
    for (Want& want : queue.wants) {
        const scheduling::Room room =
            placement_->room(queue.pod_group, want.slot, std::min(want.pods, left));
        placement_->place(queue.pod_group, want.slot, room.in_all);
        left -= room.in_all;
        any = any || room.in_all > 0;
        // A pod without inter-pod constraints that fits on none of these nodes now fits on none
        // later: nodes only fill up.
        want.pods = queue.has_inter_pod_constraints ? want.pods - room.in_all : 0;
        if (left == 0 || (queue.in_step && want.pods > 0)) break;
    }
    std::erase_if(queue.wants, [](const Want& want) { return want.pods == 0; });
    return any;
}

}  // namespace capstan::engine::scale_up
