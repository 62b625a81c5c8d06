/// The minima of groups and cluster, checked again right before machines are removed.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "engine/health/repairs.hpp"
#include "engine/limits/limits.hpp"
#include "engine/memory.hpp"
#include "engine/settings.hpp"
#include "engine/snapshot.hpp"
#include "engine/templates/membership.hpp"

namespace capstan::engine::removal {

/// The sizes of groups and cluster while removals are checked: without the machines that repairs of
/// the pass remove, without machines that their clouds are removing already, and without those that
/// `take` has let go. A machine whose node has not joined counts in the target of its group, but
/// not in the totals of the cluster. Borrows all arguments but repairs and settings.
class Minima {
public:
    Minima(const Snapshot& snapshot, const templates::Membership& membership, const Memory& memory,
           const health::Repairs& repairs, const Settings& settings);

    /// Asks whether these nodes of one group, each with a removal under way, may lose their
    /// machines together. Empty: the machines may go, and count as gone from now on; otherwise one
    /// sentence why the nodes have to stay.
    std::string take(const std::vector<std::string>& nodes);

private:
    /// How many of the nodes count in their group's target, and their part of each total.
    struct Share {
        int machines = 0;
        std::vector<std::int64_t> totals{};
    };
    Share share_of(const std::vector<std::string>& nodes) const;
    std::string why_group(const NodeGroupId& group, int machines) const;
    std::string why_cluster(const Share& share, std::size_t nodes) const;

    const Snapshot& snapshot_;
    const templates::Membership& membership_;
    const Memory& memory_;
    std::map<NodeGroupId, int> gone_{};          // machines that count as gone
    std::vector<limits::ResourceTotal> totals_;  // the totals that have a minimum
};

}  // namespace capstan::engine::removal
