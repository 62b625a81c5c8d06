/// NodePorts: two pods do not share a port of their node.
#pragma once

#include <optional>
#include <span>
#include <string>

#include "engine/snapshot/pod_spec.hpp"

namespace capstan::engine {

/// Same protocol and port, and the same address or one of them every address. [any thread]
bool in_conflict(const HostPort& a, const HostPort& b) noexcept;

/// Nothing: all of `wanted` are free. Ports of one pod are not held against each other.
/// [any thread]
std::optional<std::string> check_node_ports(std::span<const HostPort> wanted,
                                            std::span<const HostPort> taken);

}  // namespace capstan::engine
