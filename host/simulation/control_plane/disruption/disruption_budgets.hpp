/// The status of PodDisruptionBudgets: how many pods may be evicted now.
#pragma once

#include <string>

#include "simulation/control_plane/control_context.hpp"
#include "simulation/control_plane/reconcile_queue.hpp"

namespace capstan::simulation {

/// [the loop's thread]
class DisruptionBudgets {
public:
    explicit DisruptionBudgets(ControlContext& context);

private:
    void follow_pod(const json::object& pod);
    void add_all_in(std::string_view space);
    void reconcile(const std::string& key);

    ControlContext& context_;
    ReconcileQueue queue_;
};

}  // namespace capstan::simulation
