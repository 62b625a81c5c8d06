/// The disruption controller: how many pods of each PodDisruptionBudget may be evicted now.
///
/// The controller compares the healthy pods of a budget with the number that has to stay healthy,
/// and writes the difference as disruptionsAllowed. Each eviction takes one from that number and
/// adds its pod to disruptedPods, so that evictions are bounded between two reconciliations, too. A
/// pod in disruptedPods counts as unhealthy until it terminates, for two minutes at most.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include <capstan/result.hpp>

#include "simulator/control_plane/context/control_context.hpp"
#include "simulator/control_plane/context/reconcile_queue.hpp"

namespace capstan::simulator::control_plane {

struct BudgetNumbers {
    std::int64_t expected = 0;  ///< status.expectedPods
    std::int64_t desired = 0;   ///< status.desiredHealthy
    bool operator==(const BudgetNumbers&) const = default;
};

/// The numbers of a budget that selects `pods`. With minAvailable as a number the existing pods are
/// expected; with a percentage or maxUnavailable, as many as their controllers want. `not_found`:
/// the controller of a pod has no scale.
Result<BudgetNumbers> budget_numbers(const ControlContext& context, const json::object& budget,
                                     const std::vector<api_server::ApiObject>& pods);

/// Writes the status of PodDisruptionBudgets. [the loop's thread]
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

}  // namespace capstan::simulator::control_plane
