#include "engine/scale_up/scene.hpp"

#include <algorithm>
#include <limits>
#include <utility>

#include "engine/health/alarm.hpp"
#include "engine/health/backoff.hpp"
#include "engine/health/backoff_text.hpp"
#include "engine/health/known_groups.hpp"
#include "engine/removal/removal.hpp"

namespace capstan::engine {
namespace {

std::string why_full(const NodeGroup& group) {
    if (!group.max) return "as large as can be counted";
    const std::string most = "maximum of " + std::to_string(*group.max);
    return *group.target > *group.max
               ? "above its " + most + ", with " + std::to_string(*group.target)
               : "at its " + most;
}

/// What forbids any group to grow.
Reason find_common_obstacle(const Scene& scene) {
    const Health& health = scene.health;
    if (!health.unhealthy_because.empty())
        return {ReasonCode::cluster_unhealthy,
                {},
                "the cluster is not healthy: " + health.unhealthy_because};
    if (!scene.settings->from_zero && health.all.ready == 0)
        return {ReasonCode::from_zero_off, {}, "there is no ready node, and from_zero is off"};
    return {};
}

/// What the group's size forbids; none: it has room.
Reason find_size_obstacle(const Group& group, const GroupRoom& room) {
    if (!group.group.target)
        return {ReasonCode::target_unknown, {}, "its cloud does not say how large it is"};
    if (group.plan != nullptr && *group.group.target > 0)
        return {ReasonCode::being_made, {}, "its cloud is making it"};
    if (room.whole && !group.group.max)
        return {ReasonCode::zero_or_max, {}, "only ever empty or full, and has no maximum"};
    if (room.nodes == 0) return {ReasonCode::max_size_reached, {}, why_full(group.group)};
    // What is there of it may be half of a machine that works as a whole; more would not mend it.
    if (room.whole && *group.group.target > 0)
        return {ReasonCode::zero_or_max,
                {},
                "only ever empty or full, and has " + std::to_string(*group.group.target) + " of " +
                    std::to_string(*group.group.max)};
    return {};
}

/// Whether all that is put right are failed machines whose errors are none of the group's, as where
/// its cloud makes the next ones in another zone: then it may grow in the same pass.
bool makes_machines_elsewhere(const Scene& scene, const Group& group) {
    const auto is_its = [&](const auto& action) { return action.group == group.group.id; };
    if (std::ranges::any_of(scene.repairs.decreases, is_its) ||
        std::ranges::any_of(scene.repairs.increases, is_its))
        return false;
    return std::ranges::all_of(scene.repairs.removals, [&](const MachineRemoval& removal) {
        return !is_its(removal) || std::ranges::all_of(removal.machines, [&](const MachineId& id) {
            const auto at = std::ranges::find(group.machines, id, &Machine::id);
            return at != group.machines.end() && at->error && !concerns_group(at->error->code);
        });
    });
}

Reason find_group_obstacle(const Scene& scene, GroupIndex index, const GroupRoom& room,
                           const Memory& memory) {
    const Group& group = scene.groups()[index];
    if (!group.unreadable_because.empty())
        return {ReasonCode::group_unreadable, {}, "it cannot be read: " + group.unreadable_because};
    if (Reason size = find_size_obstacle(group, room); !size.is_none()) return size;
    if (const Backoff* backoff = find_backoff(memory, group, scene.now))
        return {ReasonCode::backed_off, {}, reason_of(*backoff)};
    const auto unhealthy = [](const std::string& because) -> Reason {
        return {ReasonCode::group_unhealthy, {}, "not healthy: " + because};
    };
    if (group.group.healthy == false) return unhealthy(group.group.health_reason);
    if (const std::string& found = scene.health.groups[index].unhealthy_because; !found.empty())
        return unhealthy(found);
    if (is_repaired(scene.repairs, group.group.id) && !makes_machines_elsewhere(scene, group))
        return {ReasonCode::being_repaired, {}, "its size is being put right"};
    const GroupTemplate& node = scene.templates[index];
    if (node.node == nullptr)
        return {ReasonCode::no_template, {}, "without a template: " + node.because};
    return find_common_obstacle(scene);
}

GroupRoom room_of(const Scene& scene, GroupIndex index, const Memory& memory) {
    const Group& group = scene.groups()[index];
    GroupRoom room;
    const int target = std::max(group.group.target.value_or(0), 0);
    const int most = group.group.max.value_or(std::numeric_limits<int>::max());
    room.nodes = most > target ? most - target : 0;
    room.whole = group.options.zero_or_max.value_or(false);
    room.obstacle = find_group_obstacle(scene, index, room, memory);
    return room;
}

/// Whether a pass knows of nodes to come of the group, and what they will be.
bool has_upcoming(const Scene& scene, GroupIndex group) {
    return scene.templates[group].node != nullptr &&
           scene.health.groups[group].upcoming.nodes() > 0;
}

/// See Scene::unread_orders. The scene wakes for the end of the first of them.
void find_unread_orders(Scene& scene, const Memory& memory) {
    Alarm alarm(scene.time);
    for (GroupIndex g = 0; g < scene.groups().size(); ++g) {
        if (!is_unread(scene.groups()[g]) || has_upcoming(scene, g)) continue;
        const auto request = memory.requests.find(scene.id(g));
        if (request == memory.requests.end() || !scene.planned.contains(scene.id(g))) continue;
        // While the cluster is not seen no request is out of time.
        if (memory.blind_since || alarm.is_before_end(request->second.deadline))
            scene.unread_orders.push_back(g);
    }
    std::optional<Time>& wake_at = scene.pending.wake_at;
    if (alarm.at()) wake_at = std::min(wake_at.value_or(*alarm.at()), *alarm.at());
}

/// Those that are pending keep their order.
std::vector<ClassId> subjects_of(const Scene& scene, std::span<const ClassId> asked) {
    std::vector<ClassId> out;
    out.reserve(scene.pending_count());
    for (const PodCount& pods : scene.pending.classes) out.push_back(pods.equivalence_group);

    std::vector<ClassId> known = out;
    std::ranges::sort(known);
    const auto add = [&](ClassId id) {
        const auto at = std::ranges::lower_bound(known, id);
        if (at != known.end() && *at == id) return;
        known.insert(at, id);
        out.push_back(id);
    };
    for (const Nomination& nomination : scene.nominated) add(nomination.equivalence_group);
    for (const ClassId id : asked) add(id);
    for (const ClassId id : scene.candidates.classes()) add(id);
    return out;
}

/// By class. Pods of these give way to any other, so nothing they hold is taken.
std::vector<bool> find_expendable(const Scene& scene) {
    const Cluster& cluster = scene.snapshot->cluster;
    std::vector<bool> out;
    out.reserve(cluster.class_count());
    for (ClassId id = 0; id < cluster.class_count(); ++id)
        out.push_back(is_expendable(*cluster.equivalence_group(id).spec, *scene.settings));
    return out;
}

}  // namespace

bool is_repaired(const Repairs& repairs, const NodeGroupId& group) {
    const auto is_its = [&](const auto& action) { return action.group == group; };
    return std::ranges::any_of(repairs.decreases, is_its) ||
           std::ranges::any_of(repairs.removals, is_its) ||
           std::ranges::any_of(repairs.increases, is_its);
}

Scene::Scene(const Snapshot& the_snapshot, Membership the_membership, const Memory& the_memory,
             const Settings& the_settings, const PassTime& the_time)
    : snapshot(&the_snapshot),
      settings(&the_settings),
      time(the_time),
      now(the_time.now),
      membership(std::move(the_membership)),
      templates(
          make_templates(the_snapshot, membership, the_memory.templates, the_settings, time.wall)),
      health(assess(the_snapshot, membership, the_memory, the_settings, time)),
      repairs(plan_repairs(the_snapshot, membership, health, the_memory, the_settings, now)),
      budgets(the_snapshot.cluster),
      candidates(find_candidates(the_snapshot, membership, health, the_memory, budgets,
                                 the_settings, time)) {}

Scene make_scene(const Snapshot& snapshot, Membership membership, const Memory& memory,
                 const Settings& settings, const PassTime& time, std::span<const ClassId> asked,
                 PartListener* parts) {
    Scene scene(snapshot, std::move(membership), memory, settings, time);
    scene.parts = parts;
    for (const auto& [node, removal] : memory.removals) {
        const auto index = snapshot.cluster.find_node(node);
        if (index && removal.phase != RemovalPhase::undoing) scene.going.push_back(*index);
    }
    scene.planned = memory.planned;
    {
        const PartScope part(parts, Part::find_pending);
        scene.pending = find_pending(snapshot.cluster, settings, time,
                                     displaced_pods(snapshot, memory, settings, time.now));
    }
    find_unread_orders(scene, memory);
    scene.nominated = find_nominated(snapshot.cluster, settings);
    std::vector<NodeShape> shapes;
    for (GroupIndex g = 0; g < scene.groups().size(); ++g) {
        scene.rooms.push_back(room_of(scene, g, memory));
        shapes.push_back(scene.templates[g].shape);
    }
    scene.rules = std::make_unique<Rules>(snapshot.cluster, subjects_of(scene, asked),
                                          std::move(shapes), find_expendable(scene));
    return scene;
}

Scene make_scene(const Snapshot& snapshot, const Memory& memory, const Settings& settings,
                 const PassTime& time) {
    return make_scene(snapshot, make_membership(snapshot), memory, settings, time, {}, nullptr);
}

std::optional<Subject> find_subject(const Scene& scene, ClassId equivalence_group) noexcept {
    const auto subjects = scene.rules->subjects();
    const auto at = std::ranges::find(subjects, equivalence_group);
    if (at == subjects.end()) return std::nullopt;
    return static_cast<Subject>(at - subjects.begin());
}

}  // namespace capstan::engine
