/// PodDisruptionBudgets as the API server holds evictions to them.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <capstan/labels.hpp>

#include "engine/snapshot/objects.hpp"
#include "simulation/happenings.hpp"

namespace capstan::simulation {

/// Pods that no selector can tell apart.
struct Crowd {
    std::string_view ns{};
    const Labels* labels = nullptr;  ///< never NULL
    int wanted = 0;                  ///< by their controller; without one as many as there are
    int healthy = 0;                 ///< ready, and not on their way out
};

class Budgets {
public:
    bool empty() const noexcept { return budgets_.empty(); }
    /// In place of one of the same name.
    void set(Budget budget);
    /// From now on it keeps as many healthy pods as there are now, less those that may go now.
    void adopt(const engine::DisruptionBudgetObject& object, const std::vector<Crowd>& crowds);

    /// Those that read differently than the last time, as objects of the API.
    std::vector<engine::DisruptionBudgetObject> refresh(const std::vector<Crowd>& crowds);
    /// Why such a pod cannot be evicted now; nothing: it can. One that is not healthy may go as
    /// long as the others are enough.
    std::optional<std::string> find_refusal(std::string_view ns, const Labels& labels,
                                            bool is_healthy,
                                            const std::vector<Crowd>& crowds) const;

private:
    struct Entry {
        Budget rule{};
        std::optional<int> told{};  ///< disruptionsAllowed, as last told
    };
    std::map<std::string, Entry, std::less<>> budgets_;  ///< by "namespace/name"
};

}  // namespace capstan::simulation
