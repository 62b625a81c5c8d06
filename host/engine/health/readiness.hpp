/// How nodes count.
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

/// By NodeIndex. The first that applies:
///
///     its machine is going, or it carries BeingDeleted            deleted
///     its condition Suspended is True                             suspended
///     carries a readiness taint: young | old                      starting | long_starting
///     ready, and without a start-up taint                         ready
///     young, and not one that lost its readiness with pods on it  starting
///     anything else                                               unready
///
/// Young is what was created less than Settings::max_node_startup_time ago, in a group or in none;
/// see created_at.
std::vector<Readiness> read_nodes(const Snapshot& snapshot, const templates::Membership& membership,
                                  const Memory& memory, const Settings& settings,
                                  NextChange& next_change);

/// When the node was created, on the clock of PassTime::now; of one that has not started as
/// time_nodes noted it.
Time created_at(const Memory& memory, const snapshot::Cluster& cluster, snapshot::NodeIndex node,
                const PassTime& time);
/// Notes when nodes that have not started were created, as it looks when they are first seen so,
/// and no earlier than their machines were seen without them: a machine's clock that is wrong, or
/// is set, makes none older than it is. Before machines that have joined are forgotten.
void time_nodes(Memory& memory, const Snapshot& snapshot, const templates::Membership& membership,
                const Settings& settings, const PassTime& time);

/// It has joined, and the checks that follow are not passed yet.
bool carries_readiness_taint(const snapshot::NodeRow& node, const Settings& settings);

/// Pods of others than DaemonSets are on it: it was ready once.
bool has_been_used(const snapshot::Cluster& cluster, snapshot::NodeIndex node);

/// Whether a cloud has agreed to remove the node: its target holds the machine no more.
bool is_agreed_to_go(const Memory& memory, std::string_view node);

void add_node(Readiness readiness, NodeCounts& counts) noexcept;

}  // namespace capstan::engine::health
