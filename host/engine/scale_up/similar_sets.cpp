#include "engine/scale_up/similar_sets.hpp"

#include <algorithm>
#include <iterator>
#include <utility>

#include "engine/templates/capacity_type.hpp"

namespace capstan::engine {

SimilarSets::SimilarSets(const Scene& scene, const Policies& policies,
                         const Circumstances& circumstances)
    : scene_(&scene),
      policies_(&policies),
      circumstances_(&circumstances),
      is_off_(!scene.settings->balance_similar || policies.splitter == nullptr),
      places_(scene.groups().size()),
      sets_(scene.groups().size()) {}

void SimilarSets::prepare() {
    if (similar_) return;
    std::vector<NodeTemplate> templates;
    for (GroupIndex g = 0; g < scene_->groups().size(); ++g) {
        const auto& node = scene_->templates[g].node;
        // For the sake of an even number of nodes no group is made.
        const bool is_made = scene_->groups()[g].plan == nullptr;
        if (node == nullptr || scene_->rooms[g].whole || !is_made) continue;
        places_[g] = groups_.size();
        if (scene_->rooms[g].obstacle.empty()) open_.push_back(groups_.size());
        all_.push_back(groups_.size());
        groups_.push_back(g);
        offerings_.push_back({.group = scene_->id(g),
                              .is_spot = is_spot(node->labels),
                              .price_per_hour = scene_->groups()[g].price_per_hour});
        templates.push_back(*node);
    }
    similar_.emplace(policies_->similarity, std::move(templates), *circumstances_);
}

std::vector<GroupIndex> SimilarSets::find(GroupIndex group, std::span<const std::size_t> others) {
    std::vector<GroupIndex> out;
    if (!places_[group]) return out;
    std::ranges::transform(similar_->find(*places_[group], others), std::back_inserter(out),
                           [&](std::size_t place) { return groups_[place]; });
    return out;
}

std::vector<std::size_t> SimilarSets::without_price_gap(GroupIndex group) const {
    if (!places_[group] || scene_->settings->balance_across_prices) return open_;
    std::vector<std::size_t> out;
    std::ranges::copy_if(open_, std::back_inserter(out), [&](std::size_t place) {
        return !has_price_gap(offerings_[*places_[group]], offerings_[place]);
    });
    return out;
}

std::span<const GroupIndex> SimilarSets::of(GroupIndex group) {
    if (is_off_) return {};
    prepare();
    if (!sets_[group]) sets_[group] = find(group, without_price_gap(group));
    return *sets_[group];
}

std::vector<GroupIndex> SimilarSets::all_of(GroupIndex group) {
    if (is_off_) return {};
    prepare();
    return find(group, all_);
}

std::optional<std::string> SimilarSets::price_gap(GroupIndex own, GroupIndex other) const {
    if (scene_->settings->balance_across_prices) return std::nullopt;
    return find_price_gap(offerings_[*places_[own]], offerings_[*places_[other]]);
}

std::vector<std::string> SimilarSets::failures() const {
    return similar_ ? similar_->failures() : std::vector<std::string>();
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
