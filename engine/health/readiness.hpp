/// The readiness of nodes: how each node counts in the health of its group.
#pragma once

#include <string_view>
#include <vector>

#include "engine/health/health.hpp"
#include "engine/memory.hpp"
#include "engine/next_change.hpp"
#include "engine/settings.hpp"
#include "engine/snapshot.hpp"
#include "engine/templates/membership.hpp"

namespace capstan::engine::health {

/// By NodeIndex. The first row that applies:
///
///     its machine is being removed, or it carries BeingDeleted     deleted
///     its condition Suspended is True                              suspended
///     has a readiness taint: young | old                           starting | long_starting
///     ready, and without a start-up taint or with pods on it       ready
///     young, and without pods on it                                starting
///     ready with a start-up taint, and without pods on it          long_starting
///     otherwise                                                    unready
///
/// DaemonSet pods and mirror pods do not count as pods here. A node is young if it was created less
/// than Settings::max_node_startup_time ago (created_at), whether or not it is in a group.
std::vector<Readiness> find_readiness(const Snapshot& snapshot,
                                      const templates::Membership& membership, const Memory& memory,
                                      const Settings& settings, NextChange& next_change);

/// When the node was created, on the clock of PassTime::now; for a node that has not started, as
/// record_node_times recorded it.
Time created_at(const Memory& memory, const snapshot::Cluster& cluster, NodeIndex node,
                const PassTime& time);
/// Records when nodes that have not started were created: their creation time, converted to the
/// clock of PassTime::now when they are first seen, but no earlier than passes first saw their
/// machines without a node. So a clock that is wrong or changes makes no node older than it is. To
/// be called before record_machine_times, which forgets machines that have joined.
void record_node_times(Memory& memory, const Snapshot& snapshot,
                       const templates::Membership& membership, const Settings& settings,
                       const PassTime& time);

/// Whether the node carries one of Settings::readiness_taints: it has joined, but has not passed
/// its checks yet.
bool carries_readiness_taint(const snapshot::NodeRow& node, const Settings& settings);

/// Whether the node has pods other than DaemonSet pods and mirror pods: then it was ready once.
bool has_been_used(const snapshot::Cluster& cluster, NodeIndex node);

/// Whether the cloud has agreed to remove the node's machine: the target does not include it any
/// more.
bool is_removal_agreed(const Memory& memory, std::string_view node);

/// Counts one node.
void add_node(Readiness readiness, NodeCounts& counts) noexcept;

}  // namespace capstan::engine::health
