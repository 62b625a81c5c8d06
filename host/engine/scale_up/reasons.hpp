/// Why groups do not help a class.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "engine/decision.hpp"
#include "engine/scale_up/ledger.hpp"
#include "engine/scale_up/scene.hpp"
#include "engine/scheduling/placement.hpp"

namespace capstan::engine {

/// "no group could be made either: limit of cpu: 8 are left, a node takes 16": of machine types
/// that are all left out, the reason that is true of most; empty: a group could be made of one, or
/// there is none.
std::string why_none_made(std::span<const NewGroup> new_groups);

/// As scene, ledger and placement stand; borrows them.
class Reasons {
public:
    /// `stopped`: why a pass takes no further option; empty: it would.
    Reasons(const Scene& scene, const Ledger& ledger, Placement& placement, std::string stopped);

    /// Why the group cannot grow; empty: it can.
    const std::string& obstacle(GroupIndex group) const noexcept { return obstacles_[group]; }
    /// Every group in one of them, the nearest miss first: groups whose new node would take a pod
    /// and that only cannot grow, then those with too little room, then those kept by other pods,
    /// last those whose nodes are for other pods. Equally near, those that hold for most groups
    /// come first, ties by the first group. What keeps a group from growing is told beside why a
    /// pod would not fit. Of groups that could be made, which may be thousands, a hundred are
    /// named, and those that would take it.
    std::vector<GroupReason> of(Subject subject);
    /// All of it in one sentence.
    std::string sum_up(const std::vector<GroupReason>& reasons) const;

private:
    /// How far a group is from helping, nearest first.
    enum class Miss : std::uint8_t { cannot_grow, unknown, room, other_pods, other_nodes };
    using BySentence = std::map<std::string, std::vector<NodeGroupId>>;
    using ByMiss = std::map<std::pair<Miss, std::string>, std::vector<NodeGroupId>>;

    static Miss miss_of(Predicate predicate) noexcept;
    void shut(const std::string& sentence, const NodeGroupId& group);
    void look_at_open(Subject subject, ByMiss& out);
    void look_at_shut(Subject subject, ByMiss& out);
    std::string sum_up_groups(const std::vector<GroupReason>& reasons) const;

    Placement* placement_;
    std::string stopped_;
    std::string unmade_;      // why no group could be made of most machine types; empty: some could
    std::string unread_;      // clouds whose groups are not known; empty: there is none
    std::size_t groups_ = 0;  // that there are, and that could be made
    int named_ = 0;           // of the latter, in shut_unseen_
    std::vector<std::string> obstacles_;  // by group
    // Groups that cannot grow, by obstacle: those that are there by shape, the others of which it
    // is not looked at whether a pod would fit.
    std::map<ShapeId, BySentence> shut_;
    BySentence shut_unseen_;
    std::map<ShapeId, std::vector<NodeGroupId>> open_;      // the others, by shape
    std::map<ShapeId, std::vector<NodeGroupId>> open_new_;  // those that could be made
};

}  // namespace capstan::engine
