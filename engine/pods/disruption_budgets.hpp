/// PodDisruptionBudgets, and how many disruptions are left of them after what a pass plans.
///
/// The status of a budget says how many disruptions it allows now. A plan that checks each node by
/// itself would spend the same disruption twice. So each pod that is to be disrupted takes one off.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "engine/snapshot/cluster.hpp"

namespace capstan::engine::pods {

/// A pod that a budget does not allow to be disrupted.
struct BudgetShortage {
    PodIndex pod = 0;
    std::string sentence;  ///< "budget web/frontend-pdb allows 0 disruptions"
};

/// A copy is independent of the original, and costs one number for each budget. Borrows the
/// cluster.
///
/// Every budget that matches a pod counts. A pod that is being deleted takes no disruption: the
/// status of its budget counts it already, and the API server evicts it whatever the budget allows.
class DisruptionBudgets {
public:
    explicit DisruptionBudgets(const snapshot::Cluster& cluster);

    /// The first of the pods with a budget of which no disruption is left; absent: there is none.
    /// If the status of a budget is not about its present selector, the budget allows no
    /// disruption.
    std::optional<BudgetShortage> find_shortage(std::span<const PodIndex> pods) const;
    /// Whether all of the pods may be disrupted at once.
    bool allow_at_once(std::span<const PodIndex> pods) const;
    /// Takes one disruption for each of the pods off each of their budgets.
    void take(std::span<const PodIndex> pods);
    /// Whether some budget matches pods of the equivalence group. It is false for a group that has
    /// no pod.
    bool cover(PodGroupId equivalence_group) const noexcept;
    /// The budgets that match pods of the equivalence group, as "namespace/name", ascending.
    std::vector<std::string> names_of(PodGroupId equivalence_group) const;
    /// Why no pod of the equivalence group may be disrupted, by the first such budget by name;
    /// empty: one may be.
    std::string why_none_left(PodGroupId equivalence_group) const;

private:
    struct Match;
    std::span<const std::uint32_t> budgets_of(PodGroupId equivalence_group) const noexcept;
    /// The budgets that a disruption of the pod takes from.
    std::span<const std::uint32_t> taken_by(PodIndex pod) const noexcept;
    std::string why_none_left_of(std::uint32_t budget) const;

    std::vector<int> left_{};  // disruptions, by budget; below zero: more are taken than it allows
    std::shared_ptr<const Match> match_;
    const snapshot::Cluster* cluster_;
};

}  // namespace capstan::engine::pods
