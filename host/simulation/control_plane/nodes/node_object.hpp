/// What controllers ask of nodes.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "simulation/api_server/api_object.hpp"

namespace capstan::simulation::control_plane {

bool is_node_ready(const json::object& node);
/// Its kubelet was told to fall silent.
bool is_kubelet_stopped(const json::object& node);
/// Empty: it has none of that type.
std::string_view node_address(const json::object& node, std::string_view type);

/// NULL: it has none such.
const json::object* find_taint(const json::object& node, std::string_view key,
                               std::string_view effect);
/// Sets or takes away a taint of that key and effect; a new one says when it came.
void set_taint(json::object& node, std::string_view key, std::string_view effect, bool is_wanted,
               Time now);
/// For how long a pod bears a taint, by the least patient of its tolerations for it: zero when it
/// has none. Nothing: for ever.
std::optional<Duration> patience(const json::object& pod, const json::object& taint);

// The taints that say what a node's conditions say.

/// node.kubernetes.io/unschedulable, /not-ready, /unreachable and those of pressure: as spec and
/// conditions are now. A node that nothing is known of yet keeps new pods away alone.
void set_condition_taints(json::object& node, Time now);

// What a kubelet writes into its node.

/// What the node lacks: labels, capacity, addresses, nodeInfo. `number`: of the node, for its
/// address.
void complete_node(json::object& node, std::uint32_t number);
/// Ready, and free of pressure.
void set_node_ready(json::object& node, Time now);

}  // namespace capstan::simulation::control_plane
