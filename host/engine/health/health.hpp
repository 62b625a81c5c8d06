/// How nodes and groups are doing: which nodes take pods now, what is still on its way, and whether
/// the cluster may be changed at all.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "engine/memory.hpp"
#include "engine/pass_time.hpp"
#include "engine/settings.hpp"
#include "engine/snapshot.hpp"
#include "engine/templates/membership.hpp"

namespace capstan::engine::health {

/// What a pass makes of a node that is there.
enum class NodeUsability {
    takes_pods,  ///< as it stands; cordons and taints are the predicates' affair
    /// Joined, empty, and not ready for no longer than a node may take: one more upcoming node of
    /// its group. It takes pods as the group's template does, and not as it stands.
    starting,
    out,  ///< takes none: not ready, or its machine is going
};

/// How a node counts; the first that applies.
enum class Readiness {
    deleted,        ///< its machine is gone or going, or it carries BeingDeleted
    suspended,      ///< by its Suspended condition
    long_starting,  ///< carries a readiness taint for longer than a node may take to start
    starting,       ///< not ready, or with a readiness taint, and young enough
    ready,
    unready,
};

/// Nodes that a group will have without being asked again.
struct Upcoming {
    int missing = 0;   ///< asked for, and without a node
    int starting = 0;  ///< nodes of NodeUsability::starting
    /// "2 machines have not joined, 1 node is not ready yet; not waited for: 1 machine that
    /// failed"; empty: there is nothing to say.
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
    int unjoined = 0;       ///< machines without a node, not failed, for no longer than they may
    int long_unjoined = 0;  ///< the same, for longer
    int failed = 0;         ///< machines that failed, without a node
    /// What its cloud was asked for beyond the nodes there are, waited for or not: it may still
    /// come, and limits count it until it is taken back.
    int outstanding = 0;
    /// How many nodes it may have for all we asked of it: below `least` something is wrong.
    int least = 0, most = 0;
    /// Why it is not grown though it could; empty: it is healthy.
    std::string unhealthy_because{};
    bool operator==(const GroupHealth&) const = default;
};

struct Health {
    std::vector<NodeUsability> nodes{};  ///< by NodeIndex
    std::vector<Readiness> readiness{};  ///< by NodeIndex
    std::vector<GroupHealth> groups{};   ///< as in the snapshot
    NodeCounts all{};                    ///< of all nodes, those of no group too
    /// Why nothing is scaled now; empty: the cluster is healthy.
    std::string unhealthy_because{};
    /// When time alone makes one of them something else; nothing: it does not.
    std::optional<Time> wake_at{};
};

/// Missing are a group's machines that have no node yet, and what its target is above the machines
/// its cloud lists. Never waited for are machines that failed, are being removed, or have not
/// joined for longer than they may take; while the group is backed off also those that the cloud
/// has not begun to make. Neither a restart nor a person that enlarges a group makes a difference.
/// `memory` is that of this pass: `remember` has brought it up to `now`.
Health assess(const Snapshot& snapshot, const templates::Membership& membership,
              const Memory& memory, const Settings& settings, const PassTime& time);

}  // namespace capstan::engine::health
