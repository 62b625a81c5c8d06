/// PodDisruptionBudgets, and the evictions that an API server refuses because of them.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <capstan/labels.hpp>

#include "autoscaler/dump/dumped_objects.hpp"
#include "engine/snapshot/objects.hpp"

namespace capstan::autoscaler::dump {

/// A set of pods with the same namespace and labels, of one controller or of none.
struct PodSet {
    std::string_view ns{};
    const Labels* labels = nullptr;  ///< never NULL
    int present = 0;                 ///< terminating pods included
    int healthy = 0;                 ///< ready, and not terminating
    /// Equal for all sets of one controller's pods; empty: the pods have no controller.
    std::string_view controller{};
    /// How many pods the controller wants in all its sets; absent: the controller has no scale,
    /// like a Job.
    std::optional<int> wanted{};
};

/// The budgets of a cluster, with the arithmetic of the disruption controller. With a
/// `min_available` that is a number, the pods that are present are the expected ones. Every other
/// bound refers to the number of pods that the controllers of the selected pods want. Pods without
/// a controller add nothing to that number. A controller without a scale makes the budget allow no
/// disruption.
class Budgets {
public:
    bool empty() const noexcept { return budgets_.empty(); }
    /// Adds the budget, or replaces the budget of the same name.
    void set(Budget budget);

    /// The budgets that allow another number of disruptions than at the last call, as objects of
    /// the API; at the first call all budgets.
    std::vector<engine::snapshot::DisruptionBudgetObject> refresh(
        const std::vector<PodSet>& pod_sets);
    /// Why a pod with these labels cannot be evicted now; absent: it can. A pod that is not healthy
    /// may be evicted while the budget wants healthy pods and has at least that many, or if the
    /// budget lets unready pods go.
    std::optional<std::string> find_refusal(std::string_view ns, const Labels& labels,
                                            bool is_healthy,
                                            const std::vector<PodSet>& pod_sets) const;

private:
    struct Entry {
        Budget rule{};
        std::optional<int> last_allowed{};  ///< disruptionsAllowed, as of the last refresh()
    };
    std::map<std::string, Entry, std::less<>> budgets_;  ///< by "namespace/name"
};

}  // namespace capstan::autoscaler::dump
