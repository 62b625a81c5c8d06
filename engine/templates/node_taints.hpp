/// Transient taints, which describe the present state of a node. A new node does not have them.
#pragma once

#include <string_view>
#include <vector>

#include <capstan/taints.hpp>

#include "engine/settings.hpp"

namespace capstan::engine::templates {

/// Whether an autoscaler sets the taint on a node that it is about to remove, or whose machine is
/// about to leave.
bool is_deletion_taint(std::string_view key) noexcept;
/// Whether the taint tells of the node's present state alone: a start-up, status, condition or
/// deletion taint. The next node need not have it.
bool is_passing_taint(std::string_view key, const Settings& settings);
/// Whether the key is one by which agents name a taint that they remove once they run on the node:
/// it ends with not-ready, /uninitialized or /unregistered, or starts with readiness.k8s.io/.
bool is_well_known_startup_taint(std::string_view key) noexcept;
/// Whether a node has the taint only until it has started: not ready, unreachable, no network, not
/// initialized by its cloud, or a start-up taint, well-known or of the settings.
bool is_starting_taint(std::string_view key, const Settings& settings) noexcept;

/// The kind of a taint, as in upstream's metrics. Taints that Kubernetes or an autoscaler sets are
/// their own kind, which is their key. Taints with the old prefix of start-up taints have this
/// prefix as their kind. Others are "startup-taint", "status-taint" or "other".
std::string_view kind_of_taint(std::string_view key, const Settings& settings) noexcept;

/// The taints that a new node has, too: all except deletion, condition, start-up and status taints.
std::vector<Taint> lasting_taints(const std::vector<Taint>& taints, const Settings& settings);

}  // namespace capstan::engine::templates
