/// PodDisruptionBudgets, accounted for over everything that a pass plans and that is under way.
#pragma once

#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "engine/snapshot/cluster.hpp"

namespace capstan::engine {

/// A budget that stands in the way.
struct BudgetShortage {
    PodIndex pod = 0;      ///< the first that it keeps
    std::string sentence;  ///< "web/frontend-pdb allows 0 disruptions, 1 is needed"
};

/// A copy is a state of its own. Borrows the cluster.
class DisruptionBudgets {
public:
    explicit DisruptionBudgets(const Cluster& cluster);

    /// The budget of which not even one disruption is left for one of the pods; nothing: there is
    /// none. A budget whose status is not about its present selector allows nothing.
    std::optional<BudgetShortage> find_shortage(std::span<const PodIndex> pods) const;
    /// Whether all of them may be disrupted at once.
    bool allow_at_once(std::span<const PodIndex> pods) const;
    /// They are about to be disrupted.
    void take(std::span<const PodIndex> pods);
    /// Whether some budget matches pods of the class.
    bool cover(ClassId pod_class) const;

private:
    std::vector<int> left_{};                               // by budget
    std::vector<std::string> names_{};                      // the same
    std::vector<std::vector<std::uint32_t>> budgets_of_{};  // by class
    const Cluster* cluster_;
};

}  // namespace capstan::engine
