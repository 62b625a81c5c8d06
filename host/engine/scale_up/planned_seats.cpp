#include "engine/scale_up/planned_seats.hpp"

#include <algorithm>
#include <functional>
#include <tuple>
#include <utility>

#include "engine/snapshot/label_finder.hpp"

namespace capstan::engine {
namespace {

using Pods = std::map<std::string, int>;

std::string labels_text(const Cluster& cluster, const ClassRow& row) {
    std::string out;
    for (const LabelPair& label : row.labels) {
        out.append(out.empty() ? "" : ",").append(cluster.text(label.key)).append("=");
        out.append(cluster.text(label.value));
    }
    return out;
}

/// Nodes one by one, those first of which every pod still waits: of the others some have joined.
std::vector<const Pods*> each_planned_node(const std::vector<PlannedNodes>& planned, Pods waiting) {
    std::vector<const Pods*> out, others;
    const auto all_wait = [&](const auto& entry) { return waiting[entry.first] >= entry.second; };
    for (const PlannedNodes& nodes : planned) {
        for (int n = 0; n < nodes.nodes; ++n) {
            const bool is_whole = std::ranges::all_of(nodes.pods, all_wait);
            (is_whole ? out : others).push_back(&nodes.pods);
            if (!is_whole) continue;
            for (const auto& [who, count] : nodes.pods) waiting[who] -= count;
        }
    }
    out.insert(out.end(), others.begin(), others.end());
    return out;
}

}  // namespace

std::string planned_as(const Cluster& cluster, ClassId equivalence_group) {
    const ClassRow& row = cluster.equivalence_group(equivalence_group);
    const PodOwner& owner = *row.owner;
    return std::string(cluster.text(row.ns)) + "/" + owner.kind + "/" +
           (owner.kind.empty() ? labels_text(cluster, row) : owner.name);
}

std::map<NodeGroupId, std::vector<PlannedNodes>> planned_nodes(const Scene& scene,
                                                               const Placement& placement) {
    const Cluster& cluster = scene.snapshot->cluster;
    std::map<Subject, std::string> names;
    std::map<std::pair<GroupIndex, Pods>, int> nodes;
    for (Slot slot = static_cast<Slot>(cluster.node_count()); slot < placement.slot_count();
         ++slot) {
        Pods pods;
        for (const Seat& seat : placement.seats(slot)) {
            const auto [name, is_new] = names.try_emplace(seat.subject);
            if (is_new) name->second = planned_as(cluster, scene.rules->subjects()[seat.subject]);
            pods[name->second] += seat.per_node;
        }
        if (!pods.empty())
            nodes[{*placement.shape(slot), std::move(pods)}] += placement.nodes(slot);
    }
    std::map<NodeGroupId, std::vector<PlannedNodes>> out;
    for (const auto& [what, count] : nodes)
        out[scene.id(what.first)].push_back({count, what.second});
    return out;
}

PlannedSeats::PlannedSeats(const Scene& scene, Placement& placement, std::vector<int>& left,
                           Slot from, Slot end)
    : scene_(&scene), placement_(&placement), left_(&left), unplanned_(left) {
    if (scene.planned.empty() || from == end) return;
    for (Subject s = 0; s < scene.pending_count(); ++s) {
        if (left[s] == 0) continue;
        subjects_[planned_as(scene.snapshot->cluster, scene.rules->subjects()[s])].push_back(s);
    }
    for (Slot first = from; first < end;) {
        const GroupIndex group = *placement.shape(first);
        Slot last = first;
        while (last < end && *placement.shape(last) == group) ++last;
        const auto planned = scene.planned.find(scene.id(group));
        if (planned != scene.planned.end()) add_group(group, planned->second, first, last);
        first = last;
    }
}

void PlannedSeats::add_group(GroupIndex group, const std::vector<PlannedNodes>& nodes, Slot from,
                             Slot end) {
    Pods waiting;
    for (const auto& [who, subjects] : subjects_) {
        for (const Subject s : subjects) waiting[who] += unplanned_[s];
    }
    for (const Pods* pods : each_planned_node(nodes, std::move(waiting))) {
        if (from == end) return;
        want(group, from++, *pods);
    }
}

void PlannedSeats::want(GroupIndex group, Slot slot, const Pods& pods) {
    for (const auto& [who, count] : pods) {
        const auto subjects = subjects_.find(who);
        if (subjects == subjects_.end()) continue;
        int wanted = count;
        for (const Subject s : subjects->second) {
            const int some = std::min(wanted, unplanned_[s]);
            if (some == 0) continue;
            wanted -= some;
            unplanned_[s] -= some;
            Queue queue = make_queue(s);
            // Hosts of all groups are compared with one another.
            const GroupIndex of = queue.over_hosts ? 0 : group;
            queues_.try_emplace({of, s}, std::move(queue))
                .first->second.wants.push_back({slot, some});
        }
    }
}

PlannedSeats::Queue PlannedSeats::make_queue(Subject subject) const {
    const ClassId id = scene_->rules->subjects()[subject];
    const Cluster& cluster = scene_->snapshot->cluster;
    const PodSpec& spec = *cluster.equivalence_group(id).spec;
    const auto is_over_hosts = [](const SpreadConstraint& constraint) {
        return constraint.topology_key == hostname_label;
    };
    return {.subject = subject,
            .looks_at_pods = scene_->rules->looks_at_pods(subject),
            .in_step = cluster.spread(id).size() == 1 && placement_->spread(subject) &&
                       spec.pod_affinity.empty() && spec.pod_anti_affinity.empty(),
            .over_hosts = std::ranges::any_of(cluster.spread(id), is_over_hosts)};
}

/// A pass fills a node for pods that are spread over hosts before it opens the next, so the fuller
/// come first, of the classes as of the nodes, and of classes the one on fewer nodes; and nodes
/// that it opened later for other pods held none of these back.
bool PlannedSeats::seat() {
    std::vector<std::tuple<int, std::size_t, Subject>> classes;
    for (auto& [key, queue] : queues_) {
        if (!queue.over_hosts || queue.wants.empty()) continue;
        std::ranges::stable_sort(queue.wants, std::greater(), &Want::pods);
        classes.emplace_back(-queue.wants.front().pods, queue.wants.size(), queue.subject);
    }
    std::ranges::sort(classes);
    bool some = false;
    for (const auto& [most, nodes, subject] : classes)
        some =
            take_turns([of = subject](const Queue& queue) { return queue.subject == of; }) || some;
    return take_turns([](const Queue&) { return true; }) || some;
}

template <class Chosen>
bool PlannedSeats::take_turns(Chosen is_chosen) {
    bool any = false;
    for (bool some = true; some;) {
        some = false;
        for (auto& [key, queue] : queues_)
            if (is_chosen(queue)) some = take_turn(queue) || some;
        any = any || some;
    }
    return any;
}

bool PlannedSeats::take_turn(Queue& queue) {
    int& left = (*left_)[queue.subject];
    bool any = false;
    for (Want& want : queue.wants) {
        const Room room = placement_->room(queue.subject, want.slot, std::min(want.pods, left));
        placement_->place(queue.subject, want.slot, room.in_all);
        left -= room.in_all;
        any = any || room.in_all > 0;
        // Who looks at nobody and finds no room now never will.
        want.pods = queue.looks_at_pods ? want.pods - room.in_all : 0;
        if (left == 0 || (queue.in_step && want.pods > 0)) break;
    }
    std::erase_if(queue.wants, [](const Want& want) { return want.pods == 0; });
    return any;
}

}  // namespace capstan::engine
