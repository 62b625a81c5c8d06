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

/// Where every machine type is left out, the reason that is true of most of them.
std::string why_none_made(const Scene& scene) {
    std::map<std::string, int> reasons;
    for (const NewGroup& made : scene.new_groups) {
        if (!made.group.value().empty()) return {};
        ++reasons[made.dropped_because];
    }
    if (reasons.empty()) return {};
    const auto most =
        std::ranges::max_element(reasons, {}, [](const auto& entry) { return entry.second; });
    return "no group could be made either: " + most->first;
}

}  // namespace

Reasons::Reasons(const Scene& scene, const Ledger& ledger, Placement& placement,
                 std::string stopped)
    : placement_(&placement),
      stopped_(std::move(stopped)),
      unmade_(why_none_made(scene)),
      unread_(tell_unread(scene.snapshot->unread)) {
    for (const NewGroup& made : scene.new_groups) {
        const bool is_group = !made.group.value().empty();
        if (is_group && !made.dropped_because.empty())
            shut("would be made, but " + made.dropped_because, made.group, true);
    }
    for (GroupIndex g = 0; g < scene.groups().size(); ++g) {
        const bool is_new = is_to_be_made(scene.groups()[g]);
        obstacles_.push_back(ledger.obstacle(g));
        if (!obstacles_[g].empty()) {
            shut(obstacles_[g], scene.id(g), is_new);
        } else {
            ++groups_;
            (is_new ? open_new_ : open_)[scene.rules->alike(g)].push_back(scene.id(g));
        }
    }
}

void Reasons::shut(const std::string& sentence, const NodeGroupId& group, bool could_be_made) {
    ++groups_;
    if (could_be_made && ++named_ > most_named) return;
    shut_[sentence].push_back(group);
}

/// What groups that may grow say to pods of the class.
void Reasons::look(Subject subject, BySentence& out) {
    const auto sentence_of = [&](ShapeId shape) {
        std::string sentence = placement_->why_not_new(subject, shape).sentence;
        if (!sentence.empty()) return sentence;
        return std::string(would_take) + (stopped_.empty() ? "" : ", but " + stopped_);
    };
    for (const auto& [shape, groups] : open_) {
        auto& all = out[sentence_of(shape)];
        all.insert(all.end(), groups.begin(), groups.end());
    }
    int named = named_;
    for (const auto& [shape, groups] : open_new_) {
        std::string sentence = sentence_of(shape);
        for (const NodeGroupId& group : groups) {
            if (++named > most_named && !sentence.starts_with(would_take)) break;
            out[sentence].push_back(group);
        }
    }
}

std::vector<GroupReason> Reasons::of(Subject subject) {
    BySentence by_sentence = shut_;
    look(subject, by_sentence);
    std::vector<GroupReason> out;
    for (auto& [sentence, groups] : by_sentence) {
        std::ranges::sort(groups);
        out.push_back({std::move(groups), sentence});
    }
    // Ties by group: a sentence may have a countdown in it, and would change places with time.
    std::ranges::sort(out, [](const GroupReason& a, const GroupReason& b) {
        return a.groups.size() != b.groups.size() ? a.groups.size() > b.groups.size()
                                                  : a.groups < b.groups;
    });
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
