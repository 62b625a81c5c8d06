#include "engine/scale_up/planned_assignments.hpp"

#include <algorithm>
#include <functional>
#include <tuple>
#include <utility>

#include <capstan/assert.hpp>
#include <capstan/well_known.hpp>

namespace capstan::engine::scale_up {
namespace {

using Pods = std::map<std::string, int>;

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
            for (const auto& [key, count] : nodes.pods) waiting[key] -= count;
        }
    }
    out.insert(out.end(), others.begin(), others.end());
    return out;
}

}  // namespace

PodsByKey::PodsByKey(const pass_context::PassContext& context, const std::vector<int>& left) {
    for (PodGroupIndex s = 0; s < context.pending_count(); ++s) {
        if (left[s] == 0) continue;
        std::string key =
            pods::pod_group_key(context.snapshot->cluster, context.predicates->pod_groups()[s]);
        by_controller_[std::string(pods::controller_of(key))].push_back(s);
        by_spec_[pods::spec_of(key)].push_back(s);
        by_key_[std::move(key)].push_back(s);
    }
}

std::span<const PodGroupIndex> PodsByKey::find(const PodGroups& pod_groups, std::string_view key) {
    const auto at = pod_groups.find(key);
    if (at == pod_groups.end()) return {};
    return at->second;
}

std::span<const PodGroupIndex> PodsByKey::of(std::string_view key) const {
    return find(by_key_, key);
}

std::span<const PodGroupIndex> PodsByKey::of_controller(std::string_view key) const {
    return find(by_controller_, pods::controller_of(key));
}

std::span<const PodGroupIndex> PodsByKey::of_spec(std::string_view spec) const {
    return find(by_spec_, spec);
}

std::map<NodeGroupId, std::vector<PlannedNodes>> planned_nodes(
    const pass_context::PassContext& context, const scheduling::Placement& placement) {
    const snapshot::Cluster& cluster = context.snapshot->cluster;
    std::map<PodGroupIndex, std::string> names;
    std::map<std::pair<GroupIndex, Pods>, int> nodes;
    for (scheduling::Slot slot = static_cast<scheduling::Slot>(cluster.node_count());
         slot < placement.slot_count(); ++slot) {
        Pods pods;
        for (const scheduling::Assignment& assignment : placement.assignments(slot)) {
            const auto [name, is_new] = names.try_emplace(assignment.pod_group);
            if (is_new)
                name->second = pods::pod_group_key(
                    cluster, context.predicates->pod_groups()[assignment.pod_group]);
            pods[name->second] += assignment.per_node;
        }
        if (!pods.empty())
            nodes[{placement.template_node_of_new(slot), std::move(pods)}] += placement.nodes(slot);
    }
    std::map<NodeGroupId, std::vector<PlannedNodes>> out;
    for (const auto& [what, count] : nodes)
        out[context.id(what.first)].push_back({count, what.second});
    return out;
}

PlannedAssignments::PlannedAssignments(const pass_context::PassContext& context,
                                       scheduling::Placement& placement, std::vector<int>& left,
                                       scheduling::Slot from, scheduling::Slot end)
    : context_(&context),
      placement_(&placement),
      left_(&left),
      unplanned_(context.planned.empty() || from == end ? std::vector<int>(left.size()) : left),
      pending_(context, unplanned_) {
    if (context.planned.empty() || from == end) return;
    for (scheduling::Slot first = from; first < end;) {
        const GroupIndex group = placement.template_node_of_new(first);
        scheduling::Slot last = first;
        while (last < end && placement.template_node_of_new(last) == group) ++last;
        const auto planned = context.planned.find(context.id(group));
        if (planned != context.planned.end()) add_group(group, planned->second, first, last);
        first = last;
    }
}

void PlannedAssignments::add_group(GroupIndex group, const std::vector<PlannedNodes>& nodes,
                                   scheduling::Slot from, scheduling::Slot end) {
    Pods waiting;
    for (const PlannedNodes& planned : nodes) {
        for (const auto& [key, count] : planned.pods) {
            const auto [at, is_new] = waiting.try_emplace(key);
            if (!is_new) continue;
            for (const PodGroupIndex s : pending_.of(key)) at->second += unplanned_[s];
        }
    }
    for (const Pods* pods : each_planned_node(nodes, std::move(waiting))) {
        if (from == end) return;
        want(group, from++, *pods);
    }
}

void PlannedAssignments::want(GroupIndex group, scheduling::Slot slot, const Pods& pods) {
    for (const auto& [key, count] : pods) {
        const int queued = queue_up(group, slot, pending_.of(key), count);
        if (queued < count) absent_.push_back({group, slot, key, count - queued});
    }
}

int PlannedAssignments::queue_up(GroupIndex group, scheduling::Slot slot,
                                 std::span<const PodGroupIndex> pod_groups, int count) {
    int queued = 0;
    for (const PodGroupIndex s : pod_groups) {
        const int some = std::min(count - queued, unplanned_[s]);
        if (some == 0) continue;
        queued += some;
        unplanned_[s] -= some;
        Queue queue = make_queue(s);
        // A spread over hosts compares the nodes of all node groups.
        const GroupIndex of = queue.over_hosts ? 0 : group;
        queues_.try_emplace({of, s}, std::move(queue)).first->second.wants.push_back({slot, some});
    }
    return queued;
}

PlannedAssignments::Queue PlannedAssignments::make_queue(PodGroupIndex pod_group) const {
    const PodGroupId id = context_->predicates->pod_groups()[pod_group];
    const snapshot::Cluster& cluster = context_->snapshot->cluster;
    const snapshot::PodSpec& spec = *cluster.equivalence_group(id).spec;
    const auto is_over_hosts = [](const snapshot::SpreadConstraint& constraint) {
        return constraint.topology_key == well_known::hostname_label;
    };
    return {.pod_group = pod_group,
            .has_inter_pod_constraints = context_->predicates->has_inter_pod_constraints(pod_group),
            .in_step = cluster.spread(id).size() == 1 && placement_->spread(pod_group) &&
                       spec.pod_affinity.empty() && spec.pod_anti_affinity.empty(),
            .over_hosts = std::ranges::any_of(cluster.spread(id), is_over_hosts)};
}

bool PlannedAssignments::assign() {
    return take_all_turns() || keep_in_domains() || (replace_absent() && take_all_turns());
}

/// Whether it placed any pods.
bool PlannedAssignments::keep_in_domains() {
    bool any = false;
    for (auto& [key, queue] : queues_) {
        if (!queue.in_step) continue;
        for (Want& want : queue.wants) {
            const auto domain =
                placement_->domain_of(queue.pod_group, placement_->template_node_of_new(want.slot));
            if (!domain) continue;
            placement_->allow(queue.pod_group, *domain, want.pods);
            any = take(queue, want) > 0 || any;
            placement_->disallow(queue.pod_group);
        }
        std::erase_if(queue.wants, [](const Want& want) { return want.pods == 0; });
    }
    return any;
}

/// Whether it queued any pods.
bool PlannedAssignments::replace_absent() {
    bool any = false;
    for (const Absent& absent : std::exchange(absent_, {}))
        any = queue_up(absent.group, absent.slot, pending_.of_controller(absent.key), absent.pods) >
                  0 ||
              any;
    return any;
}

/// Pod groups that are spread over hosts come first. The pass that ordered the nodes filled one
/// node before it opened the next, so the fullest nodes come first, and so do the pod groups with
/// the fullest node, ties by the fewest nodes.
bool PlannedAssignments::take_all_turns() {
    std::vector<std::tuple<int, std::size_t, PodGroupIndex>> over_hosts;
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

/// Places as many of the pods as fit. How many it placed.
int PlannedAssignments::take(const Queue& queue, Want& want) {
    int& left = (*left_)[queue.pod_group];
    const int placed =
        placement_->room(queue.pod_group, want.slot, std::min(want.pods, left)).in_all;
    placement_->place(queue.pod_group, want.slot, placed);
    left -= placed;
    CAPSTAN_ASSERT(left >= 0, "more pods are assigned than are left");
    // A pod without inter-pod constraints that fits on none of these nodes now fits on none later:
    // nodes only fill up.
    want.pods = queue.has_inter_pod_constraints ? want.pods - placed : 0;
    return placed;
}

bool PlannedAssignments::take_turn(Queue& queue) {
    const int& left = (*left_)[queue.pod_group];
    bool any = false;
    for (Want& want : queue.wants) {
        any = take(queue, want) > 0 || any;
        if (left == 0 || (queue.in_step && want.pods > 0)) break;
    }
    std::erase_if(queue.wants, [](const Want& want) { return want.pods == 0; });
    return any;
}

}  // namespace capstan::engine::scale_up
