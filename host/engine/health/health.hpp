/// How nodes and groups are doing: who takes pods now, and what is still on its way.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "engine/memory.hpp"
#include "engine/settings.hpp"
#include "engine/snapshot.hpp"
#include "engine/templates/membership.hpp"

namespace capstan::engine {

/// What a pass makes of a node that is there.
enum class Standing {
    takes_pods,  ///< as it stands; cordons and taints are the predicates' affair
    /// Joined, empty, and not ready for no longer than a node may take: one more upcoming node of
    /// its group. It takes pods as the group's template does, and not as it stands.
    starting,
    out,  ///< takes none: not ready, or its machine is going
};

/// Nodes that a group will have without being asked again.
struct Upcoming {
    int missing = 0;   ///< asked for, and without a node
    int starting = 0;  ///< nodes of Standing::starting
    /// "2 machines have not joined, 1 node is not ready yet; not waited for: 1 machine that
    /// failed"; empty: there is nothing to say.
    std::string because{};

    int nodes() const noexcept { return missing + starting; }
    bool operator==(const Upcoming&) const = default;
};

struct Health {
    std::vector<Standing> nodes{};   ///< by NodeIndex
    std::vector<Upcoming> groups{};  ///< as in the snapshot
    /// When time alone makes one of them something else; nothing: it does not.
    std::optional<Time> wake_at{};
};

/// Missing are a group's machines that have no node yet, and what its target is above the machines
/// its cloud lists. Never waited for are machines that failed, are being removed, or were launched
/// longer ago than a machine may take; while the group is backed off also those that the cloud has
/// not begun to make. Neither a restart nor a person who enlarges a group makes a difference.
Health assess(const Snapshot& snapshot, const Membership& membership, const Memory& memory,
              const Settings& settings, Time now);

}  // namespace capstan::engine
