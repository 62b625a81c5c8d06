#include "engine/scale_up/scene.hpp"

#include <algorithm>
#include <limits>
#include <utility>

#include "engine/health/backoff.hpp"

namespace capstan::engine {
namespace {

std::string why_full(const NodeGroup& group) {
    const std::string most = "maximum of " + std::to_string(*group.max);
    return *group.target > *group.max
               ? "above its " + most + ", with " + std::to_string(*group.target)
               : "at its " + most;
}

std::string find_obstacle(const Group& group, const GroupTemplate& node, const GroupRoom& room,
                          const Memory& memory, Time now) {
    if (!group.group.target) return "its cloud does not say how large it is";
    if (room.whole && !group.group.max) return "only ever empty or full, and has no maximum";
    if (room.nodes == 0) return why_full(group.group);
    if (const Backoff* backoff = find_backoff(memory, group.group.id, now)) {
        return why_backed_off(*backoff, now);
    }
    if (group.group.healthy == false) return "not healthy: " + group.group.health_reason;
    return node.node == nullptr ? "without a template: " + node.because : std::string();
}

GroupRoom room_of(const Group& group, const GroupTemplate& node, const Memory& memory, Time now) {
    GroupRoom room;
    const int target = std::max(group.group.target.value_or(0), 0);
    room.nodes = std::max(group.group.max.value_or(std::numeric_limits<int>::max()) - target, 0);
    room.whole = group.options.zero_or_max.value_or(false);
    room.obstacle = find_obstacle(group, node, room, memory, now);
    return room;
}

/// Those that are pending keep their order.
std::vector<ClassId> subjects_of(const Scene& scene, std::span<const ClassId> asked) {
    std::vector<ClassId> out;
    out.reserve(scene.pending_count());
    for (const PodCount& pods : scene.pending.classes) out.push_back(pods.pod_class);

    std::vector<ClassId> known = out;
    std::ranges::sort(known);
    const auto add = [&](ClassId id) {
        const auto at = std::ranges::lower_bound(known, id);
        if (at != known.end() && *at == id) return;
        known.insert(at, id);
        out.push_back(id);
    };
    for (const Nomination& nomination : scene.nominated) add(nomination.pod_class);
    for (const ClassId id : asked) add(id);
    return out;
}

}  // namespace

Scene make_scene(const Snapshot& snapshot, const Memory& memory, const Settings& settings, Time now,
                 std::span<const ClassId> asked) {
    Scene scene;
    scene.snapshot = &snapshot;
    scene.settings = &settings;
    scene.now = now;
    const Membership membership = make_membership(snapshot);
    scene.templates = make_templates(snapshot, membership, settings, now);
    scene.health = assess(snapshot, membership, memory, settings, now);
    scene.pending = find_pending(snapshot.cluster, settings, now);
    scene.nominated = find_nominated(snapshot.cluster, settings);
    std::vector<NodeShape> shapes;
    for (GroupIndex g = 0; g < scene.groups().size(); ++g) {
        scene.rooms.push_back(room_of(scene.groups()[g], scene.templates[g], memory, now));
        shapes.push_back(scene.templates[g].shape);
    }
    scene.rules =
        std::make_unique<Rules>(snapshot.cluster, subjects_of(scene, asked), std::move(shapes));
    return scene;
}

std::optional<Subject> find_subject(const Scene& scene, ClassId pod_class) noexcept {
    const auto subjects = scene.rules->subjects();
    const auto at = std::ranges::find(subjects, pod_class);
    if (at == subjects.end()) return std::nullopt;
    return static_cast<Subject>(at - subjects.begin());
}

}  // namespace capstan::engine
