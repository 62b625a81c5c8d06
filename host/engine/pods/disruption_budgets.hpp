/// PodDisruptionBudgets, accounted for over everything that a pass plans and that is under way.
///
/// The status of a budget says how many disruptions it allows now. A plan that asks each node by
/// itself would spend the same disruption twice, so each pod that is to go takes one off here.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "engine/snapshot/cluster.hpp"

namespace capstan::engine::pods {

/// A budget that stands in the way.
struct BudgetShortage {
    snapshot::PodIndex pod = 0;  ///< the first that it keeps
    std::string sentence;        ///< "web/frontend-pdb allows 0 disruptions, 1 is needed"
};

/// A copy is a state of its own, and costs a number for each budget. Borrows the cluster.
///
/// Every budget that matches a pod counts. Pods that are being deleted need none: their budgets'
/// statuses count them already, and the API server evicts them without asking.
class DisruptionBudgets {
public:
    explicit DisruptionBudgets(const snapshot::Cluster& cluster);

    /// The budget of which not even one disruption is left for one of the pods; nothing: there is
    /// none. A budget whose status is not about its present selector allows nothing.
    std::optional<BudgetShortage> find_shortage(std::span<const snapshot::PodIndex> pods) const;
    /// Whether all of them may be disrupted at once.
    bool allow_at_once(std::span<const snapshot::PodIndex> pods) const;
    /// They are about to be disrupted.
    void take(std::span<const snapshot::PodIndex> pods);
    /// Whether some budget matches pods of the class; of a class without pods: false.
    bool cover(snapshot::PodGroupId equivalence_group) const noexcept;
    /// Names of the budgets that match pods of the class, "namespace/name", in their order.
    std::vector<std::string> names_of(snapshot::PodGroupId equivalence_group) const;
    /// Why not one pod of the class may be disrupted, by the first such budget by name; empty: one
    /// may be.
    std::string why_none_left(snapshot::PodGroupId equivalence_group) const;

private:
    struct Match;
    std::span<const std::uint32_t> budgets_of(
        snapshot::PodGroupId equivalence_group) const noexcept;
    /// Those that a disruption of the pod takes from.
    std::span<const std::uint32_t> taken_by(snapshot::PodIndex pod) const noexcept;
    std::string why_none_left_of(std::uint32_t budget) const;

    std::vector<int> left_{};  // by budget; below zero: more goes than it allows
    std::shared_ptr<const Match> match_;
    const snapshot::Cluster* cluster_;
};

}  // namespace capstan::engine::pods
