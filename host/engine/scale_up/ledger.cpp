#include "engine/scale_up/ledger.hpp"

#include <algorithm>
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

/// Those to be made, which a cloud has agreed to, are among them.
int count_agreed_groups(const Scene& scene) {
    return static_cast<int>(std::ranges::count_if(scene.groups(), [](const Group& group) {
        return group.plan == nullptr || group.group.target != 0;
    }));
}

/// Its looks as far as they are known: without a template what the cloud tells, else a mere node.
NodeTemplate looks_of(const Scene& scene, GroupIndex group) {
    if (const auto& node = scene.templates[group].node) return *node;
    const auto& described = scene.groups()[group].described;
    return described ? *described : NodeTemplate();
}

/// Also what nobody waits for any more: a cloud that has it again may make it yet. What this pass
/// takes back is among it, since the cloud has still to agree.
std::vector<NodesToCome> nodes_to_come(const Scene& scene) {
    std::vector<NodesToCome> out;
    for (GroupIndex g = 0; g < scene.groups().size(); ++g) {
        const std::int64_t nodes =
            std::int64_t{scene.health.groups[g].outstanding} + ordered(scene, g);
        if (nodes > 0) out.push_back({looks_of(scene, g), nodes});
    }
    return out;
}

}  // namespace

Ledger::Ledger(const Scene& scene)
    : scene_(&scene),
      budget_(*scene.snapshot, nodes_to_come(scene), *scene.settings),
      groups_(count_agreed_groups(scene)),
      grown_(scene.groups().size(), 0) {}

Reason Ledger::obstacle(GroupIndex group) const {
    const GroupRoom& before = scene_->rooms[group];
    if (!before.obstacle.is_none()) return before.obstacle;
    if (const auto closed = closed_.find(group); closed != closed_.end()) return closed->second;
    const int left = room(group);
    if (left == 0) {
        return {ReasonCode::max_size_reached,
                {},
                "at its maximum of " + std::to_string(*scene_->groups()[group].group.max) +
                    " with the " + std::to_string(grown_[group]) + " of this pass"};
    }
    const auto [least, allowed] = least_growth(group);
    if (allowed.nodes >= least) {
        const auto& most = scene_->most_groups;
        if (!most || groups_ < *most || !is_new(group)) return {};
        return {ReasonCode::limit_reached,
                {SubjectKind::limit, "groups"},
                "limit of groups: there are " + std::to_string(groups_) + " of " +
                    std::to_string(*most)};
    }
    Reason out = allowed.reason();
    if (before.whole) out.sentence = "only ever empty or full, and " + out.sentence;
    return out;
}

std::string Ledger::total_at_limit(GroupIndex group) const {
    const bool is_closed = !scene_->rooms[group].obstacle.is_none() || closed_.contains(group);
    if (is_closed || room(group) == 0) return {};
    const auto [least, allowed] = least_growth(group);
    return allowed.nodes < least ? allowed.total : std::string();
}

Ledger::Least Ledger::least_growth(GroupIndex group) const {
    const int least = scene_->rooms[group].whole ? room(group) : 1;
    return {least, allows(group, least)};
}

Allowed Ledger::allows(GroupIndex group, int wanted) const {
    return budget_.allows(*scene_->templates[group].node, wanted);
}

bool Ledger::is_new(GroupIndex group) const {
    const Group& of = scene_->groups()[group];
    return of.plan != nullptr && of.group.target == 0 && grown_[group] == 0;
}

std::optional<int> Ledger::new_groups_left() const {
    if (!scene_->most_groups) return std::nullopt;
    return std::max(*scene_->most_groups - groups_, 0);
}

void Ledger::take(GroupIndex group, int nodes) {
    if (is_new(group)) ++groups_;
    grown_[group] += nodes;
    budget_.take(*scene_->templates[group].node, nodes);
}

void Ledger::give_up(GroupIndex group, int nodes) {
    grown_[group] -= nodes;
    budget_.take(*scene_->templates[group].node, -nodes);
    if (is_new(group)) --groups_;
}

void Ledger::release(GroupIndex group, int nodes) {
    budget_.take(looks_of(*scene_, group), -nodes);
}

bool Ledger::counts_in(GroupIndex group, std::string_view total) const {
    return budget_.counts_in(looks_of(*scene_, group), total);
}

std::vector<ShapeId> growing_shapes(const Scene& scene, const Ledger& ledger) {
    std::set<ShapeId> shapes;
    for (GroupIndex g = 0; g < scene.groups().size(); ++g) {
        if (ledger.obstacle(g).is_none()) shapes.insert(scene.rules->alike(g));
    }
    return {shapes.begin(), shapes.end()};
}

}  // namespace capstan::engine
