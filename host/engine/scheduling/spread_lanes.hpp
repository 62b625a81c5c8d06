/// The nodes that a spread constraint counts on.
#pragma once

#include <map>
#include <span>
#include <string>

#include "engine/scheduling/node_profiles.hpp"
#include "engine/scheduling/topologies.hpp"
#include "engine/snapshot/pod_spec.hpp"

namespace capstan::engine {

/// Borrows both. [engine thread]
class SpreadLanes {
public:
    SpreadLanes(const NodeProfiles& profiles, Topologies& lanes)
        : profiles_(profiles), lanes_(lanes) {}

    using Constraints = std::span<const SpreadConstraint>;

    /// Nodes with the keys of `all` the pod's constraints that its selectors and tolerations let it
    /// on, as far as the policies of this constraint ask.
    LaneId find(const PodSpec& pod, Constraints all, const SpreadConstraint& constraint);

private:
    bool is_eligible(const PodSpec& pod, Constraints all, const SpreadConstraint& constraint,
                     ProfileId profile);
    DomainByProfile eligible(const PodSpec& pod, Constraints all,
                             const SpreadConstraint& constraint);

    const NodeProfiles& profiles_;
    Topologies& lanes_;
    // Of pods that are on every node as far as the constraint asks, by all their keys.
    std::map<std::string, LaneId> plain_;
};

}  // namespace capstan::engine
