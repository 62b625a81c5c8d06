/// The health of nodes and groups: which nodes take pods now, which nodes are upcoming, and whether
/// the cluster is healthy enough to be changed.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "engine/health/leaving_nodes.hpp"
#include "engine/memory.hpp"
#include "engine/pass_time.hpp"
#include "engine/settings.hpp"
#include "engine/snapshot.hpp"
#include "engine/templates/membership.hpp"

namespace capstan::engine::health {

/// How a pass uses an existing node for pods.
enum class NodeUsability {
    takes_pods,  ///< takes pods; cordons and taints are checked by the predicates
    /// Joined, with Readiness::starting and without pods besides daemons: it counts as an upcoming
    /// node of its group. Pods are placed by the group's template, not by the node's present state.
    starting,
    out,  ///< takes no pods: not ready or suspended, or its machine is being removed or leaves
};

/// The state in which a node counts; the first that applies. DaemonSet pods and mirror pods do not
/// count as pods here.
enum class Readiness {
    deleted,    ///< its machine is being removed or gone, or it carries BeingDeleted
    suspended,  ///< by its Suspended condition
    /// Has a readiness taint, or is ready with a start-up taint and without pods, for longer than a
    /// node may take to start.
    long_starting,
    /// As long_starting, or not ready and without pods, but young enough to be still starting.
    starting,
    ready,
    unready,
};

/// Nodes that a group will get without another increase.
struct Upcoming {
    int missing = 0;   ///< requested machines without a node
    int starting = 0;  ///< nodes of NodeUsability::starting
    /// "2 machines have not joined, 1 node is not ready; not counted: 1 machine that failed";
    /// empty: there is nothing to say.
    std::string because{};

    int nodes() const noexcept { return missing + starting; }
    bool operator==(const Upcoming&) const = default;
};

struct NodeCounts {
    int ready = 0, unready = 0, starting = 0, long_starting = 0, suspended = 0, deleted = 0;
    int registered() const noexcept {
        return ready + unready + starting + long_starting + suspended;
    }
    bool operator==(const NodeCounts&) const = default;
};

struct GroupHealth {
    Upcoming upcoming{};
    NodeCounts nodes{};
    int unjoined = 0;       ///< machines that may still join in time: no node, not failed
    int long_unjoined = 0;  ///< the same, but overdue
    int failed = 0;         ///< failed machines without a node
    /// Machines of the target without a node, upcoming or not: they may still come, and limits
    /// count them until they are taken back.
    int outstanding = 0;
    /// The acceptable number of nodes for the present target: with fewer than `least` ready or
    /// suspended nodes some are missing.
    int least = 0, most = 0;
    /// Why the group does not grow although it could; empty: it is healthy.
    std::string unhealthy_because{};
    bool operator==(const GroupHealth&) const = default;
};

struct Health {
    std::vector<NodeUsability> nodes{};  ///< by NodeIndex
    std::vector<Readiness> readiness{};  ///< by NodeIndex
    std::vector<GroupHealth> groups{};   ///< by GroupIndex
    std::vector<LeavingNode> leaving{};  ///< ascending
    NodeCounts all{};                    ///< of all nodes, in a group or not
    /// Why no scale-up and no removal is planned now; empty: the cluster is healthy.
    std::string unhealthy_because{};
    /// When time alone changes any of these; absent: it does not.
    std::optional<Time> wake_at{};
};

/// Upcoming nodes are counted from what the clouds report: machines without a node, and the part of
/// a target that its cloud does not list. Not counted are machines that failed, are being removed,
/// or are overdue; while the group is backed off, machines that the cloud has not begun to make do
/// not count either, unless it has agreed to them and does not list them yet. It makes no
/// difference whether this host, an earlier run or a person requested the machines. `memory`: of
/// this pass, after `remember`.
Health assess(const Snapshot& snapshot, const templates::Membership& membership,
              const Memory& memory, const Settings& settings, const PassTime& time);

}  // namespace capstan::engine::health
