#include "engine/scale_down/disruption_budgets.hpp"

namespace capstan::engine {

DisruptionBudgets::DisruptionBudgets(const Cluster& cluster) : cluster_(&cluster) {}

std::optional<BudgetShortage> DisruptionBudgets::find_shortage(std::span<const PodIndex>) const {
    return std::nullopt;
}
bool DisruptionBudgets::allow_at_once(std::span<const PodIndex>) const { return true; }
void DisruptionBudgets::take(std::span<const PodIndex>) {}
bool DisruptionBudgets::cover(ClassId) const { return false; }

}  // namespace capstan::engine
