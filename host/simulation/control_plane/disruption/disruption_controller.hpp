/// What a disruption budget asks for, in numbers.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include <capstan/result.hpp>

#include "simulation/control_plane/context/control_context.hpp"
#include "simulation/control_plane/context/reconcile_queue.hpp"

namespace capstan::simulation::control_plane {

struct BudgetNumbers {
    std::int64_t expected = 0;  ///< pods there should be
    std::int64_t desired = 0;   ///< of them, healthy ones
    bool operator==(const BudgetNumbers&) const = default;
};

/// By the pods that it selects: as many as there are, or, for percentages and maxUnavailable, as
/// their controllers want. `not_found`: a controller that does not say how many it wants.
Result<BudgetNumbers> budget_numbers(const ControlContext& context, const json::object& budget,
                                     const std::vector<api_server::ApiObject>& pods);

// The status of PodDisruptionBudgets: how many pods may be evicted now.

/// [the loop's thread]
class DisruptionController {
public:
    explicit DisruptionController(ControlContext& context);

private:
    void follow_pod(const json::object& pod);
    void add_all_in(std::string_view space);
    void reconcile(const std::string& key);

    ControlContext& context_;
    ReconcileQueue queue_;
};

}  // namespace capstan::simulation::control_plane
