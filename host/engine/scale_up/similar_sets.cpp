#include "engine/scale_up/similar_sets.hpp"

#include <algorithm>
#include <iterator>
#include <utility>

#include <capstan/taints.hpp>

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
        const Group& group = scene_->groups()[g];
        const bool is_open = scene_->rooms[g].obstacle.is_none();
        if (node == nullptr || scene_->rooms[g].whole) continue;
        places_[g] = groups_.size();
        if (group.plan != nullptr) {
            to_make_[family_of(group)].push_back(groups_.size());
        } else {
            if (is_open) open_.push_back(groups_.size());
            all_.push_back(groups_.size());
        }
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
    std::ranges::transform(similar_->find(*places_[group], others), std::back_inserter(out),
                           [&](std::size_t place) { return groups_[place]; });
    return out;
}

SimilarSets::Family SimilarSets::family_of(const Group& to_make) {
    const GroupPlan& plan = *to_make.plan;
    std::vector<std::string> taints;
    for (const Taint& taint : plan.taints) taints.push_back(to_string(taint));
    return {to_make.cloud, plan.machine_type, plan.spot, plan.labels, std::move(taints)};
}

/// Adds to groups that are `there` those to make for the same template as `group`. For a group that
/// was made before, its machine type tells which these may be; the checks compare the rest. For an
/// even number of nodes with a group that was not made so, no group is made.
std::vector<std::size_t> SimilarSets::with_siblings(GroupIndex group,
                                                    std::span<const std::size_t> there) const {
    std::vector<std::size_t> out(there.begin(), there.end());
    const Group& own = scene_->groups()[group];
    const auto add = [&](const std::vector<std::size_t>& places) {
        out.insert(out.end(), places.begin(), places.end());
    };
    if (own.plan != nullptr) {
        const auto family = to_make_.find(family_of(own));
        if (family != to_make_.end()) add(family->second);
    } else if (own.group.autoprovisioned) {
        const std::string& type = scene_->templates[group].node->machine_type;
        for (const auto& [family, places] : to_make_)
            if (std::get<0>(family) == own.cloud && std::get<1>(family) == type) add(places);
    }
    std::ranges::sort(out);
    return out;
}

std::span<const GroupIndex> SimilarSets::of(GroupIndex group) {
    if (is_off_) return {};
    prepare();
    if (!places_[group]) return {};
    if (!sets_[group]) {
        std::vector<std::size_t> others = with_siblings(group, open_);
        std::erase_if(others, [&](std::size_t place) {
            return !scene_->rooms[groups_[place]].obstacle.is_none() || keeps_apart(group, place);
        });
        sets_[group] = find(group, others);
    }
    return *sets_[group];
}

std::vector<GroupIndex> SimilarSets::all_of(GroupIndex group) {
    if (is_off_) return {};
    prepare();
    if (!places_[group]) return {};
    return find(group, with_siblings(group, all_));
}

bool SimilarSets::keeps_apart(GroupIndex group, std::size_t other) const {
    return !scene_->settings->balance_across_prices &&
           has_price_gap(offerings_[*places_[group]], offerings_[other]);
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
