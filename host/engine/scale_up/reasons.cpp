#include "engine/scale_up/reasons.hpp"

#include <algorithm>
#include <string_view>

namespace capstan::engine {
namespace {

constexpr std::string_view would_take = "would take it";
/// Of groups that could be made, for each class of pods.
constexpr int most_named = 100;

bool is_to_be_made(const Group& group) { return group.plan != nullptr && group.group.target == 0; }

/// What to say to pods of clouds whose groups are not known.
std::string tell_unread(const UnreadClouds& unread) {
    std::string out;
    for (const auto& [cloud, because] : unread)
        out += (out.empty() ? "" : "; ") + std::string("the groups of cloud ") + cloud.value() +
               " are not known yet: " + because;
    return out;
}

}  // namespace

std::string why_none_made(std::span<const NewGroup> new_groups) {
    std::map<std::string, int> reasons;
    for (const NewGroup& made : new_groups) {
        if (!made.group.value().empty()) return {};
        ++reasons[made.dropped_because];
    }
    if (reasons.empty()) return {};
    const auto most =
        std::ranges::max_element(reasons, {}, [](const auto& entry) { return entry.second; });
    return "no group could be made either: " + most->first;
}

Reasons::Reasons(const Scene& scene, const Ledger& ledger, Placement& placement,
                 std::string stopped)
    : placement_(&placement),
      stopped_(std::move(stopped)),
      unmade_(why_none_made(scene.new_groups)),
      unread_(tell_unread(scene.snapshot->unread)) {
    for (const NewGroup& made : scene.new_groups) {
        const bool is_group = !made.group.value().empty();
        if (is_group && !made.dropped_because.empty())
            shut("would be made, but " + made.dropped_because, made.group);
    }
    for (GroupIndex g = 0; g < scene.groups().size(); ++g) {
        const bool is_new = is_to_be_made(scene.groups()[g]);
        obstacles_.push_back(ledger.obstacle(g));
        if (!obstacles_[g].empty() && is_new) {
            shut(obstacles_[g], scene.id(g));
        } else if (!obstacles_[g].empty()) {
            ++groups_;
            const bool is_seen = scene.templates[g].node != nullptr;
            (is_seen ? shut_[scene.rules->alike(g)] : shut_unseen_)[obstacles_[g]].push_back(
                scene.id(g));
        } else {
            ++groups_;
            (is_new ? open_new_ : open_)[scene.rules->alike(g)].push_back(scene.id(g));
        }
    }
}

Reasons::Miss Reasons::miss_of(Predicate predicate) noexcept {
    switch (predicate) {
        case Predicate::none: return Miss::cannot_grow;
        case Predicate::node_ports:
        case Predicate::node_resources_fit:
        case Predicate::node_volume_limits:
        case Predicate::dynamic_resources: return Miss::room;
        case Predicate::volume_restrictions:
        case Predicate::volume_binding:
        case Predicate::volume_zone:
        case Predicate::pod_topology_spread:
        case Predicate::inter_pod_affinity: return Miss::other_pods;
        case Predicate::node_unschedulable:
        case Predicate::node_name:
        case Predicate::taint_toleration:
        case Predicate::node_affinity: return Miss::other_nodes;
    }
    return Miss::unknown;
}

/// Of a group that could be made.
void Reasons::shut(const std::string& sentence, const NodeGroupId& group) {
    ++groups_;
    if (++named_ > most_named) return;
    shut_unseen_[sentence].push_back(group);
}

/// What groups that may grow say to pods of the class.
void Reasons::look_at_open(Subject subject, ByMiss& out) {
    const auto reason_of_shape = [&](ShapeId shape) -> ByMiss::key_type {
        Refusal refusal = placement_->why_not_new(subject, shape);
        if (!refusal.sentence.empty())
            return {miss_of(refusal.predicate), std::move(refusal.sentence)};
        return {Miss::cannot_grow,
                std::string(would_take) + (stopped_.empty() ? "" : ", but " + stopped_)};
    };
    for (const auto& [shape, groups] : open_) {
        auto& all = out[reason_of_shape(shape)];
        all.insert(all.end(), groups.begin(), groups.end());
    }
    int named = named_;
    for (const auto& [shape, groups] : open_new_) {
        const ByMiss::key_type reason = reason_of_shape(shape);
        for (const NodeGroupId& group : groups) {
            if (++named > most_named && reason.first != Miss::cannot_grow) break;
            out[reason].push_back(group);
        }
    }
}

/// What groups that cannot grow say. To pods that its nodes are not for, a group says that alone,
/// since it would be of no use either if it could grow; what other pods keep from it, they may not
/// by then.
void Reasons::look_at_shut(Subject subject, ByMiss& out) {
    for (const auto& [obstacle, groups] : shut_unseen_) out[{Miss::unknown, obstacle}] = groups;
    for (const auto& [shape, obstacles] : shut_) {
        const Refusal refusal = placement_->why_not_new(subject, shape);
        const Miss miss = miss_of(refusal.predicate);
        for (const auto& [obstacle, groups] : obstacles) {
            std::string sentence = obstacle;
            if (miss == Miss::room) sentence = refusal.sentence + "; also " + obstacle;
            if (miss == Miss::other_nodes) sentence = refusal.sentence;
            auto& all = out[{miss, std::move(sentence)}];
            all.insert(all.end(), groups.begin(), groups.end());
        }
    }
}

std::vector<GroupReason> Reasons::of(Subject subject) {
    ByMiss by_miss;
    look_at_shut(subject, by_miss);
    look_at_open(subject, by_miss);
    std::vector<std::pair<Miss, GroupReason>> sorted;
    for (auto& [reason, groups] : by_miss) {
        std::ranges::sort(groups);
        sorted.push_back({reason.first, {std::move(groups), reason.second}});
    }
    std::ranges::sort(sorted, [](const auto& a, const auto& b) {
        if (a.first != b.first) return a.first < b.first;
        const auto &of_a = a.second.groups, &of_b = b.second.groups;
        return of_a.size() != of_b.size() ? of_a.size() > of_b.size() : of_a < of_b;
    });
    std::vector<GroupReason> out;
    for (auto& [miss, reason] : sorted) out.push_back(std::move(reason));
    return out;
}

std::string Reasons::sum_up(const std::vector<GroupReason>& reasons) const {
    std::string out = sum_up_groups(reasons);
    for (const std::string* const more : {&unmade_, &unread_})
        if (!more->empty()) out += "; " + *more;
    return out;
}

std::string Reasons::sum_up_groups(const std::vector<GroupReason>& reasons) const {
    if (reasons.empty()) return "there is no node group";
    for (const GroupReason& reason : reasons) {
        if (reason.sentence.starts_with(would_take)) {
            return stopped_.empty() ? reason.groups.front().value() + " " + reason.sentence
                                    : stopped_;
        }
    }
    if (groups_ == 1)
        return reasons.front().groups.front().value() + ": " + reasons.front().sentence;
    const std::string all = std::to_string(groups_) + " groups";
    if (reasons.size() == 1) return "none of " + all + " helps: " + reasons.front().sentence;
    return "none of " + all + " helps; " + std::to_string(reasons.front().groups.size()) +
           " of them: " + reasons.front().sentence;
}

}  // namespace capstan::engine
