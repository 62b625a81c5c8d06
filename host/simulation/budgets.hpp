/// PodDisruptionBudgets as the API server holds evictions to them.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <capstan/labels.hpp>

#include "engine/snapshot/objects.hpp"
#include "simulation/external_events.hpp"

namespace capstan::simulation {

/// Pods that no selector can tell apart, of one controller or of none.
struct PodSet {
    std::string_view ns{};
    const Labels* labels = nullptr;  ///< never NULL
    int present = 0;                 ///< those on their way out included
    int healthy = 0;                 ///< ready, and not on their way out
    /// Equal for all crowds of one controller; empty: they have none.
    std::string_view controller{};
    /// How many pods that controller wants in all; nothing: it has no scale, like a Job.
    std::optional<int> wanted{};
};

/// The arithmetic is that of the disruption controller. A whole `min_available` is held against the
/// pods there are. Any other bound is a share of what the controllers of these pods want: pods
/// without one count for nothing, and a controller without a scale makes the budget allow nothing.
class Budgets {
public:
    bool empty() const noexcept { return budgets_.empty(); }
    /// In place of one of the same name.
    void set(Budget budget);

    /// Those that read differently than the last time, as objects of the API.
    std::vector<engine::snapshot::DisruptionBudgetObject> refresh(
        const std::vector<PodSet>& pod_sets);
    /// Why such a pod cannot be evicted now; nothing: it can. One that is not healthy may go as
    /// long as the others are enough.
    std::optional<std::string> find_refusal(std::string_view ns, const Labels& labels,
                                            bool is_healthy,
                                            const std::vector<PodSet>& pod_sets) const;

private:
    struct Entry {
        Budget rule{};
        std::optional<int> told{};  ///< disruptionsAllowed, as last told
    };
    std::map<std::string, Entry, std::less<>> budgets_;  ///< by "namespace/name"
};

}  // namespace capstan::simulation
