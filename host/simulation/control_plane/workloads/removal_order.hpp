/// Which pods a ReplicaSet gives up first.
#pragma once

#include <vector>

#include "simulation/api_server/api_object.hpp"

namespace capstan::simulation {

/// First to go first: without a node, pending, not ready, of lower deletion cost, beside more of
/// their own on one node, ready for a shorter time, restarted more often, younger; then by name.
std::vector<ApiObject> in_removal_order(std::vector<ApiObject> pods);

}  // namespace capstan::simulation
