/// The taints that say what a node's conditions say.
#pragma once

#include "simulation/api_server/api_object.hpp"

namespace capstan::simulation {

/// node.kubernetes.io/unschedulable, /not-ready, /unreachable and those of pressure: as spec and
/// conditions are now. A node that nothing is known of yet keeps new pods away alone.
void set_condition_taints(json::object& node, Time now);

}  // namespace capstan::simulation
