/// Checks a scale-down plan by names only, without code of the engine.
#pragma once

#include <string>
#include <vector>

#include "random_plan.hpp"

namespace capstan::engine::scale_down {

/// Each `find_...` returns a sentence on the first violation; empty: none.
class PlanChecker {
public:
    explicit PlanChecker(const Parts& parts) : parts_(parts) {}

    /// Pods of the node that need another node, sorted.
    std::vector<std::string> moving(const std::string& node) const;

    /// No removed node has a pod that must stay.
    std::string find_unmovable(const std::vector<std::string>& nodes) const;
    /// For nodes that are removed in this order: every budget of a node's pods still allows a
    /// disruption after all evictions from the nodes before it. So only the last node with pods of
    /// a budget may exceed the budget, and that node is drained step by step.
    std::string find_overdrawn(const std::vector<std::string>& in_order) const;
    /// The same for any order: the pods of a budget, without those on the node that has the most of
    /// them, are fewer than the budget allows.
    std::string find_overdrawn_in_any_order(const std::vector<std::string>& nodes) const;
    /// For evictions at the same time: no budget is exceeded.
    std::string find_overdrawn_by(const std::vector<std::string>& evicted) const;
    /// Minimums of groups and of the cluster hold, including removals in progress, and a
    /// zero-or-max group is removed completely or not at all.
    std::string find_broken_minimum(const std::vector<std::string>& nodes) const;
    /// No more removals are in progress than configured, in total and with pods to move. The first
    /// zero-or-max group may exceed these limits if there is any room, and drains never keep all
    /// empty nodes waiting.
    std::string find_excess_parallelism(const std::vector<std::string>& chosen) const;
    /// Whether a moving pod of one of the nodes has a budget.
    bool involves_budgets(const std::vector<std::string>& nodes) const;

private:
    /// Moving pods of the node that the budget applies to.
    int count(const BudgetPart& budget, const std::string& node) const;
    int left_at_first(const BudgetPart& budget) const;
    const std::string& group_of(const std::string& node) const;
    bool is_gone(const std::string& node) const;

    const Parts& parts_;
};

}  // namespace capstan::engine::scale_down
