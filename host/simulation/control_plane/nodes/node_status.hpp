/// What a kubelet writes into its node.
#pragma once

#include <cstdint>
#include <string>

#include "simulation/api_server/api_object.hpp"

namespace capstan::simulation {

/// What the node lacks: labels, capacity, addresses, nodeInfo. `number`: of the node, for its
/// address.
void complete_node(json::object& node, std::uint32_t number);
/// Ready, and free of pressure.
void set_node_ready(json::object& node, Time now);

}  // namespace capstan::simulation
