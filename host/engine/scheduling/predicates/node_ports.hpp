/// NodePorts: two pods do not share a port of their node.
#pragma once

#include <optional>
#include <span>
#include <string>

#include "engine/snapshot/pod_spec.hpp"

namespace capstan::engine::scheduling {

/// Same protocol and port, and the same address or one of them every address. [any thread]
bool in_conflict(const snapshot::HostPort& a, const snapshot::HostPort& b) noexcept;

/// Nothing: all of `wanted` are free. Ports of one pod are not held against each other.
/// [any thread]
std::optional<std::string> check_node_ports(std::span<const snapshot::HostPort> wanted,
                                            std::span<const snapshot::HostPort> taken);

}  // namespace capstan::engine::scheduling
