#include "engine/scale_up/similar_sets.hpp"

#include <algorithm>

#include "engine/scale_up/similar_groups.hpp"

namespace capstan::engine {

SimilarSets::SimilarSets(const Scene& scene, const Policies& policies,
                         const Circumstances& circumstances)
    : scene_(&scene),
      policies_(&policies),
      circumstances_(&circumstances),
      compared_(!scene.settings->balance_similar || policies.splitter == nullptr),
      sets_(scene.groups().size()) {}

void SimilarSets::compare_all() {
    std::vector<GroupIndex> groups;
    std::vector<NodeTemplate> templates;
    for (GroupIndex g = 0; g < scene_->groups().size(); ++g) {
        const auto& node = scene_->templates[g].node;
        if (node == nullptr || scene_->rooms[g].whole) continue;
        groups.push_back(g);
        templates.push_back(*node);
    }
    const auto lists =
        similar_groups(policies_->similarity, templates, *circumstances_, &failures_);
    for (std::size_t i = 0; i < lists.size(); ++i) {
        std::ranges::transform(lists[i], std::back_inserter(sets_[groups[i]]),
                               [&](std::size_t other) { return groups[other]; });
    }
}

std::span<const GroupIndex> SimilarSets::of(GroupIndex group) {
    if (!compared_) compare_all();
    compared_ = true;
    return sets_[group];
}

std::optional<Subject> find_misfit(Placement& placement, const SpreadPlan& plan,
                                   std::span<const Demand> pods, ShapeId own, ShapeId other) {
    const Placement::Mark mark = placement.mark();
    const Slot slot = placement.add(other, 1);
    const auto misfit = std::ranges::find_if(pods, [&](const Demand& demand) {
        // A pod belongs to the domain it was planned for, though others take it as well.
        if (plan.keeps_apart(demand.subject, own, other)) return true;
        return placement.room(demand.subject, slot, 1).in_all == 0;
    });
    placement.undo(mark);
    if (misfit == pods.end()) return std::nullopt;
    return misfit->subject;
}

}  // namespace capstan::engine
