/// Why groups do not help a class.
#pragma once

#include <cstddef>
#include <map>
#include <string>
#include <vector>

#include "engine/decision.hpp"
#include "engine/scale_up/ledger.hpp"
#include "engine/scale_up/scene.hpp"
#include "engine/scheduling/placement.hpp"

namespace capstan::engine {

/// As scene, ledger and placement stand; borrows them.
class Reasons {
public:
    /// `stopped`: why a pass takes no further option; empty: it would.
    Reasons(const Scene& scene, const Ledger& ledger, Placement& placement, std::string stopped);

    /// Why the group cannot grow; empty: it can.
    const std::string& obstacle(GroupIndex group) const noexcept { return obstacles_[group]; }
    /// Every group in one of them; those that hold for most groups first, ties by the first group.
    /// Of groups that could be made, which may be thousands, a hundred are named, and those that
    /// would take it.
    std::vector<GroupReason> of(Subject subject);
    /// All of it in one sentence.
    std::string sum_up(const std::vector<GroupReason>& reasons) const;

private:
    using BySentence = std::map<std::string, std::vector<NodeGroupId>>;

    void shut(const std::string& sentence, const NodeGroupId& group, bool could_be_made);
    void look(Subject subject, BySentence& out);
    std::string sum_up_groups(const std::vector<GroupReason>& reasons) const;

    Placement* placement_;
    std::string stopped_;
    std::string unmade_;      // why no group could be made of most machine types; empty: some could
    std::string unread_;      // clouds whose groups are not known; empty: there is none
    std::size_t groups_ = 0;  // that there are, and that could be made
    int named_ = 0;           // of the latter, in shut_
    std::vector<std::string> obstacles_;                    // by group
    BySentence shut_;                                       // groups that cannot grow, by obstacle
    std::map<ShapeId, std::vector<NodeGroupId>> open_;      // the others, by shape
    std::map<ShapeId, std::vector<NodeGroupId>> open_new_;  // those that could be made
};

}  // namespace capstan::engine
