/// Members of nodes that controllers and kubelets read and write: taints, conditions, addresses.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "simulator/api_server/api_object.hpp"

namespace capstan::simulator::control_plane {

bool is_node_ready(const json::object& node);
/// Whether the node's annotation stops its kubelet.
bool is_kubelet_stopped(const json::object& node);
/// Empty: the node has no address of that type.
std::string_view node_address(const json::object& node, std::string_view type);

/// NULL: the node has no such taint.
const json::object* find_taint(const json::object& node, std::string_view key,
                               std::string_view effect);
/// Adds or removes a taint of that key and effect; a new taint has timeAdded.
void set_taint(json::object& node, std::string_view key, std::string_view effect, bool is_wanted,
               Time now);
/// How long a pod tolerates a NoExecute taint: the shortest tolerationSeconds of the tolerations
/// that match the taint. Zero: no toleration matches. Absent: for ever.
std::optional<Duration> toleration_time(const json::object& pod, const json::object& taint);

/// Sets the taints node.kubernetes.io/unschedulable, /not-ready, /unreachable, /network-unavailable
/// and those of pressure to what spec and conditions say. A node without a Ready condition gets
/// /not-ready with NoSchedule only.
void set_condition_taints(json::object& node, Time now);

/// Sets the labels, capacity, addresses and nodeInfo that the node lacks. `number`: of the node,
/// for its address.
void complete_node(json::object& node, std::uint32_t number);
/// Sets the conditions to ready and free of pressure, with lastHeartbeatTime.
void set_node_ready(json::object& node, Time now);

}  // namespace capstan::simulator::control_plane
