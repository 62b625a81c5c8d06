/// Taints that say how a node is doing just now. A new node does not have them.
#pragma once

#include <string_view>
#include <vector>

#include <capstan/taints.hpp>

#include "engine/settings.hpp"

namespace capstan::engine::templates {

/// An autoscaler is about to remove the node.
bool is_deletion_taint(std::string_view key) noexcept;
/// A node carries it until it has started: not ready, no network, not known to its cloud yet, and
/// what the operator names as start-up taints.
bool is_starting_taint(std::string_view key, const Settings& settings) noexcept;

/// As upstream's metrics sort taints: "startup-taint", "status-taint" or "other", but the key
/// itself of one that Kubernetes or an autoscaler sets, and the old prefix of start-up taints for
/// all that have it.
std::string_view kind_of_taint(std::string_view key, const Settings& settings) noexcept;

/// Those that a new node has too: no deletion, condition, start-up or status taints.
std::vector<Taint> lasting_taints(const std::vector<Taint>& taints, const Settings& settings);

}  // namespace capstan::engine::templates
