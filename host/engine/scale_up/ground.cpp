#include "engine/scale_up/ground.hpp"

#include <map>

#include "engine/scale_up/packing.hpp"

namespace capstan::engine {
namespace {

/// The node they were promised to may still be full of pods that are to go: then they take up
/// nothing that is not taken.
void seat_nominated(const Scene& scene, Placement& placement) {
    std::map<ClassId, Subject> subjects;
    for (const Nomination& nomination : scene.nominated) {
        const auto [at, is_new] = subjects.try_emplace(nomination.pod_class);
        if (is_new) at->second = *find_subject(scene, nomination.pod_class);
        const Subject subject = at->second;
        if (placement.room(subject, nomination.node, 1).in_all == 1) {
            placement.place(subject, nomination.node, 1);
        }
    }
}

/// A slot each, so that none of them is ever split. Nodes that are starting have given way to new
/// ones of their group.
void add_upcoming(const Scene& scene, Placement& placement) {
    for (NodeIndex n = 0; n < scene.health.nodes.size(); ++n) {
        if (scene.health.nodes[n] == Standing::starting) placement.close(n);
    }
    for (GroupIndex g = 0; g < scene.groups().size(); ++g) {
        const int nodes = scene.health.groups[g].nodes();
        if (scene.templates[g].node == nullptr) continue;
        for (int n = 0; n < nodes; ++n) placement.add(g, 1);
    }
}

std::vector<bool> out_of_order(const Scene& scene) {
    std::vector<bool> out;
    for (const Standing standing : scene.health.nodes) out.push_back(standing == Standing::out);
    return out;
}

}  // namespace

Ground::Ground(const Scene& the_scene)
    : scene(&the_scene),
      placement(*the_scene.rules),
      progress(the_scene),
      passed_over(out_of_order(the_scene)) {
    seat_nominated(*scene, placement);
    add_upcoming(*scene, placement);
    first_new = static_cast<Slot>(placement.slot_count());
    const std::vector<int> before = progress.left;
    bool any = false;
    for (Subject s = 0; s < scene->pending_count(); ++s) any = seat(s, 0, first_new) || any;
    // Who looks at other pods may have come before those it wants to see.
    while (any) {
        any = false;
        for (Subject s = 0; s < scene->pending_count(); ++s) {
            if (scene->rules->looks_at_pods(s)) any = seat(s, 0, first_new) || any;
        }
    }
    for (Subject s = 0; s < before.size(); ++s) progress.fit[s] = before[s] - progress.left[s];
}

bool Ground::seat(Subject subject, Slot from, Slot end) {
    const int seated =
        Packing(placement, &passed_over).fill(subject, from, end, progress.left[subject]);
    progress.left[subject] -= seated;
    return seated > 0;
}

}  // namespace capstan::engine
