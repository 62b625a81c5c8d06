#include "engine/scale_up/ledger.hpp"

#include <set>

namespace capstan::engine {
namespace {

/// Ordered to bring the group up to its minimum.
int ordered(const Scene& scene, GroupIndex group) {
    int out = 0;
    for (const Increase& increase : scene.repairs.increases) {
        if (increase.group == scene.id(group)) out += increase.by;
    }
    return out;
}

std::vector<NodeTemplate> upcoming_nodes(const Scene& scene) {
    std::vector<NodeTemplate> out;
    for (GroupIndex g = 0; g < scene.groups().size(); ++g) {
        const auto& node = scene.templates[g].node;
        // Nodes that are starting are in the cluster, and counted there.
        const int nodes = scene.health.groups[g].upcoming.missing + ordered(scene, g);
        if (node) out.insert(out.end(), nodes, *node);
    }
    return out;
}

}  // namespace

Ledger::Ledger(const Scene& scene)
    : scene_(&scene),
      budget_(*scene.snapshot, upcoming_nodes(scene), *scene.settings),
      grown_(scene.groups().size(), 0) {}

std::string Ledger::obstacle(GroupIndex group) const {
    const GroupRoom& before = scene_->rooms[group];
    if (!before.obstacle.empty()) return before.obstacle;
    if (const auto closed = closed_.find(group); closed != closed_.end()) return closed->second;
    const int left = room(group);
    if (left == 0) {
        return "at its maximum of " + std::to_string(*scene_->groups()[group].group.max) +
               " with the " + std::to_string(grown_[group]) + " of this pass";
    }
    const int least = before.whole ? left : 1;
    const Allowed allowed = allows(group, least);
    if (allowed.nodes >= least) return {};
    return before.whole ? "only ever empty or full, and " + allowed.because : allowed.because;
}

Allowed Ledger::allows(GroupIndex group, int wanted) const {
    return budget_.allows(*scene_->templates[group].node, wanted);
}

void Ledger::take(GroupIndex group, int nodes) {
    grown_[group] += nodes;
    budget_.take(*scene_->templates[group].node, nodes);
}

std::vector<ShapeId> growing_shapes(const Scene& scene, const Ledger& ledger) {
    std::set<ShapeId> shapes;
    for (GroupIndex g = 0; g < scene.groups().size(); ++g) {
        if (ledger.obstacle(g).empty()) shapes.insert(scene.rules->alike(g));
    }
    return {shapes.begin(), shapes.end()};
}

}  // namespace capstan::engine
