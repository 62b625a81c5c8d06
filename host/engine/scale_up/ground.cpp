#include "engine/scale_up/ground.hpp"

#include <algorithm>
#include <cstdint>
#include <map>
#include <string>
#include <tuple>
#include <vector>

#include <capstan/sentence.hpp>

#include "engine/scale_up/packing.hpp"
#include "engine/scale_up/planned_seats.hpp"
#include "engine/scale_up/size_order.hpp"
#include "engine/scale_up/spread_emulation.hpp"

namespace capstan::engine {
namespace {

/// The node they were promised to may still be full of pods that are to go: then they take up
/// nothing that is not taken.
void seat_nominated(const Scene& scene, Placement& placement) {
    std::map<ClassId, Subject> subjects;
    for (const Nomination& nomination : scene.nominated) {
        const auto [at, is_new] = subjects.try_emplace(nomination.equivalence_group);
        if (is_new) at->second = *find_subject(scene, nomination.equivalence_group);
        const Subject subject = at->second;
        if (placement.room(subject, nomination.node, 1).in_all == 1) {
            placement.place(subject, nomination.node, 1);
        }
    }
}

std::int64_t count_pending(const Scene& scene) {
    std::int64_t out = 0;
    for (const PodCount& pods : scene.pending.classes) out += pods.count;
    return out;
}

/// Nodes on their way that can make a difference: one for each pod that waits, one for each node
/// that was planned for, and one that stays empty, which makes its zone a domain. Further ones
/// would stay empty, too.
std::int64_t useful_upcoming(const Scene& scene, GroupIndex group, std::int64_t pending) {
    std::int64_t most = pending + 1;
    const auto planned = scene.planned.find(scene.id(group));
    if (planned != scene.planned.end())
        for (const PlannedNodes& nodes : planned->second) most += nodes.nodes;
    return std::min<std::int64_t>(most, scene.health.groups[group].upcoming.nodes());
}

/// A slot each, so that none of them is ever split. Nodes that are starting have given way to new
/// ones of their group. However large a target is, no more slots are made than can be of use.
void add_upcoming(const Scene& scene, Placement& placement) {
    const std::int64_t pending = count_pending(scene);
    for (NodeIndex n = 0; n < scene.health.nodes.size(); ++n) {
        if (scene.health.nodes[n] == Standing::starting) placement.close(n);
    }
    for (GroupIndex g = 0; g < scene.groups().size(); ++g) {
        if (scene.templates[g].node == nullptr) continue;
        const std::int64_t nodes = useful_upcoming(scene, g, pending);
        for (std::int64_t n = 0; n < nodes; ++n) placement.add(g, 1);
    }
}

std::vector<bool> out_of_order(const Scene& scene) {
    std::vector<bool> out;
    for (const Standing standing : scene.health.nodes) out.push_back(standing == Standing::out);
    return out;
}

/// Where each subject stands among all by size, as nodes of `shape` see it.
std::vector<std::size_t> places_by_size(const Rules& rules, ShapeId shape) {
    const SizeOrder sizes = SizeOrders(rules).of(shape);
    std::vector<std::size_t> places(sizes->size());
    for (std::size_t i = 0; i < sizes->size(); ++i) places[(*sizes)[i]] = i;
    return places;
}

/// The order in which pods get room on nodes to come: the higher priority, then who fits on the
/// nodes of the fewest groups, then the larger. A pass that asked for a large node for one pod
/// would else find it taken by small ones in the next, and ask again.
std::vector<Subject> order_for_upcoming(const Scene& scene, const Placement& placement,
                                        Slot first_upcoming, const std::vector<int>& left) {
    std::map<ShapeId, Slot> one_of_each;
    for (Slot slot = first_upcoming; slot < placement.slot_count(); ++slot)
        one_of_each.try_emplace(*placement.shape(slot), slot);
    if (one_of_each.empty()) return {};
    const auto by_size = places_by_size(*scene.rules, one_of_each.begin()->first);
    using Rank = std::tuple<std::int64_t, std::int64_t, std::size_t, Subject>;
    std::vector<Rank> ranks;
    for (Subject s = 0; s < scene.pending_count(); ++s) {
        if (left[s] == 0) continue;
        const auto choices = std::ranges::count_if(one_of_each, [&](const auto& entry) {
            return placement.room(s, entry.second, 1).in_all > 0;
        });
        const ClassRow& row = scene.snapshot->cluster.equivalence_group(scene.rules->subjects()[s]);
        ranks.emplace_back(-std::int64_t{row.spec->priority.value_or(0)}, choices, by_size[s], s);
    }
    std::ranges::sort(ranks);
    std::vector<Subject> out;
    for (const Rank& rank : ranks) out.push_back(std::get<Subject>(rank));
    return out;
}

/// Takes up to `most` pods of the subjects out of those that are `left`; how many.
int take_out(const std::vector<Subject>& subjects, std::int64_t most, std::vector<int>& left) {
    int out = 0;
    for (const Subject s : subjects) {
        const auto some = static_cast<int>(std::clamp<std::int64_t>(most - out, 0, left[s]));
        left[s] -= some;
        out += some;
    }
    return out;
}

/// Pods that found no room, and that nodes of groups were ordered for of which nothing is told now:
/// there is room for them on these. Nodes of other groups would be bought a second time.
void wait_for_unread_orders(const Scene& scene, Progress& progress) {
    if (scene.unread_orders.empty()) return;
    std::map<std::string, std::vector<Subject>> waiting;  // named as in PlannedNodes
    for (Subject s = 0; s < scene.pending_count(); ++s) {
        if (progress.left[s] == 0) continue;
        waiting[planned_as(scene.snapshot->cluster, scene.rules->subjects()[s])].push_back(s);
    }
    for (const GroupIndex group : scene.unread_orders) {
        int pods = 0;
        for (const PlannedNodes& nodes : scene.planned.at(scene.id(group)))
            for (const auto& [who, count] : nodes.pods)
                pods += take_out(waiting[who], std::int64_t{nodes.nodes} * count, progress.left);
        if (pods == 0) continue;
        progress.notes.push_back("group " + scene.id(group).value() + ": it cannot be read, and " +
                                 counted(pods, "pod") + (pods == 1 ? " waits" : " wait") +
                                 " for nodes that it was asked for");
    }
}

}  // namespace

Ground::Ground(const Scene& the_scene)
    : scene(&the_scene),
      placement(*the_scene.rules),
      progress(the_scene),
      passed_over(out_of_order(the_scene)) {
    for (const NodeIndex node : scene->going) placement.close(node);
    seat_nominated(*scene, placement);
    add_upcoming(*scene, placement);
    first_new = static_cast<Slot>(placement.slot_count());
    has_zones = give_zones(*scene, placement);
    const std::vector<int> before = progress.left;
    bool any = false;
    const auto nodes = static_cast<Slot>(scene->snapshot->cluster.node_count());
    for (Subject s = 0; s < scene->pending_count(); ++s) any = seat(s, 0, nodes) || any;
    PlannedSeats planned(*scene, placement, progress.left, nodes, first_new);
    for (bool more = true; more && planned.seat();) {
        any = true;
        more = seat_who_looks(nodes);
    }
    for (const Subject s : order_for_upcoming(*scene, placement, nodes, progress.left))
        any = seat(s, nodes, first_new) || any;
    // Who looks at other pods may have come before those it wants to see.
    while (any) any = seat_who_looks(first_new);
    wait_for_unread_orders(*scene, progress);
    for (Subject s = 0; s < before.size(); ++s) progress.fit[s] = before[s] - progress.left[s];
}

bool Ground::seat(Subject subject, Slot from, Slot end) {
    const int seated =
        Packing(placement, &passed_over).fill(subject, from, end, progress.left[subject]);
    progress.left[subject] -= seated;
    return seated > 0;
}

bool Ground::seat_who_looks(Slot end) {
    bool any = false;
    for (Subject s = 0; s < scene->pending_count(); ++s) {
        if (progress.left[s] > 0 && scene->rules->looks_at_pods(s)) any = seat(s, 0, end) || any;
    }
    return any;
}

}  // namespace capstan::engine
