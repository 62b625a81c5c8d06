/// NodePorts: two pods on one node do not use the same host port.
#pragma once

#include <optional>
#include <span>
#include <string>

#include "engine/snapshot/pod_spec.hpp"

namespace capstan::engine::scheduling {

/// Whether the two ports have the same number and protocol, and equal addresses or one address that
/// stands for all addresses. [any thread]
bool in_conflict(const snapshot::HostPort& a, const snapshot::HostPort& b) noexcept;

/// Absent: all of `wanted` are free. Ports within `wanted` are not compared with each other.
/// [any thread]
std::optional<std::string> check_node_ports(std::span<const snapshot::HostPort> wanted,
                                            std::span<const snapshot::HostPort> taken);

}  // namespace capstan::engine::scheduling
