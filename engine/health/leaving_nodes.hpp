/// Nodes whose machines are about to leave, by the notices of their clouds.
///
/// A notice has a reason and mostly a time. Before that time the pods of the node need another
/// place, so the node takes no pod any more. For a notice without a time, or one that the cloud may
/// never carry out, no pods are moved: the node is avoided, which means that pods of removed nodes
/// do not move to it.
///
///     spot interruption at 12:02, seen at 12:00    vacated at once
///     maintenance at 18:00, seen at 12:00          avoided; vacated from 16:45 on
///     expiry at 18:00, seen at 12:00               nothing; vacated from 16:45 on
///     rebalance, unhealthy                         avoided
#pragma once

#include <optional>
#include <string>
#include <vector>

#include <capstan/assert.hpp>

#include "engine/next_change.hpp"
#include "engine/settings.hpp"
#include "engine/snapshot.hpp"
#include "engine/templates/membership.hpp"

namespace capstan::engine::health {

/// What the notice about a machine means for its node now.
struct Departure {
    /// The node takes no pods, and its pods need another node. False: the node is only avoided.
    bool is_vacated = false;
    Time
        at{};  ///< if `is_vacated`: when the cloud takes the machine, on the clock of PassTime::now
    bool operator==(const Departure&) const = default;
};

/// Absent: there is no notice, its time is far off, or the machine is being deleted already.
///
/// A node is vacated from Settings::max_node_provision_time and
/// ScaleDownSettings::max_pod_eviction_time before the time in the notice: enough to get a new
/// machine and to move the pods. A machine that is still there ScaleDownSettings::max_deletion_time
/// after that time has outlived the notice and is only avoided.
std::optional<Departure> find_departure(const Machine& machine, const Settings& settings,
                                        NextChange& next_change);

/// The notice about a machine with a Departure. Borrows from `machine`.
inline const Leaving& notice_of(const Machine& machine) noexcept {
    CAPSTAN_ASSERT(machine.leaves, "a machine departs without a notice");
    return *machine.leaves;
}

struct LeavingNode {
    NodeIndex node = 0;
    Departure departure{};
    bool operator==(const LeavingNode&) const = default;
};

/// All nodes with a Departure, ascending.
std::vector<LeavingNode> find_leaving_nodes(const Snapshot& snapshot,
                                            const templates::Membership& membership,
                                            const Settings& settings, NextChange& next_change);

/// NULL: the node is not among them. Borrows from `leaving`.
const Departure* find_departure(const std::vector<LeavingNode>& leaving, NodeIndex node) noexcept;
bool is_vacated(const std::vector<LeavingNode>& leaving, NodeIndex node) noexcept;

/// By GroupIndex: machines without a node that leave before they are of use. They are running or
/// about to run, so the group's target includes them.
std::vector<int> count_leaving_unjoined(const Snapshot& snapshot,
                                        const templates::Membership& membership,
                                        const Settings& settings, NextChange& next_change);

/// What is done for a machine with a notice: "the node takes no new pods, and its pods are evicted
/// before that time".
std::string describe_departure(const std::optional<Departure>& departure, const Settings& settings);

}  // namespace capstan::engine::health
