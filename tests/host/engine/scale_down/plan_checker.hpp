/// Promises of a plan, judged by names unmanaged: slow, obvious, and without a line of the
/// engine's.
#pragma once

#include <string>
#include <vector>

#include "random_plan.hpp"

namespace capstan::engine::scale_down {

/// Each answer is a sentence on the first promise that is broken; empty: none is.
class PlanChecker {
public:
    explicit PlanChecker(const Parts& parts) : parts_(parts) {}

    /// Pods of the node that have to find another place, ascending.
    std::vector<std::string> moving(const std::string& node) const;

    /// No node goes with a pod on it that has to stay.
    std::string find_unmovable(const std::vector<std::string>& nodes) const;
    /// Nodes that go one after the other: when its turn comes, every budget of the pods of a node
    /// has something left, once all pods of those before it have gone. A budget may so be overdrawn
    /// by the last node that needs it, and by no other: that one is emptied bit by bit.
    std::string find_overdrawn(const std::vector<std::string>& in_order) const;
    /// The same of nodes in any order: without the node with the most of its pods, and it, a
    /// budget's pods are fewer than it allows.
    std::string find_overdrawn_in_any_order(const std::vector<std::string>& nodes) const;
    /// Evictions of one moment, by pod: no budget is overdrawn at all.
    std::string find_overdrawn_by(const std::vector<std::string>& evicted) const;
    /// Minima of groups and of the cluster hold when all of them go as well as those that are going
    /// already, and whole groups go whole.
    std::string find_broken_minimum(const std::vector<std::string>& nodes) const;
    /// No more removals begin than may be under way: at once, and of those with pods to move. The
    /// first of the whole groups may go beyond, if there is anything left at all, and one empty
    /// node is never not_safe_to_evict waiting by drains unmanaged.
    std::string find_excess_parallelism(const std::vector<std::string>& chosen) const;
    /// Whether some pod that moves with one of them has a budget.
    bool involves_budgets(const std::vector<std::string>& nodes) const;

private:
    /// Pods of the budget that move with the node and need it.
    int count(const BudgetPart& budget, const std::string& node) const;
    int left_at_first(const BudgetPart& budget) const;
    const std::string& group_of(const std::string& node) const;
    bool is_gone(const std::string& node) const;

    const Parts& parts_;
};

}  // namespace capstan::engine::scale_down
