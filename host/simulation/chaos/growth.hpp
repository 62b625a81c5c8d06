/// What more machines of a group would be good for: whether it could get them, and which pods fit
/// there.
#pragma once

#include <map>

#include <capstan/ids.hpp>
#include <capstan/node_template.hpp>

#include "simulation/chaos/invariant.hpp"
#include "simulation/chaos/sums.hpp"

namespace capstan::simulation::chaos {

/// Whether its maximum, its health, its back-off and the cluster's limits let a group grow.
/// `target`, `sums`: what there is to be without these machines.
bool could_grow(const Moment& moment, const engine::Group& group, int target, int machines,
                Sums sums);

/// How nodes of each group have turned out. A cloud's template may promise labels that nodes do not
/// get, and know nothing of taints that they do get.
class KnownLooks {
public:
    /// Once in each pass.
    void see(const Moment& moment);
    /// By the cloud's template and, where the group has had a ready node, by the look of the newest
    /// of those. A new template is trusted until a node is seen again.
    bool surely_fits(const Moment& moment, engine::snapshot::PodIndex pod,
                     const engine::Group& group) const;

private:
    struct Known {
        NodeTemplate described{};  ///< of the group, then
        NodeTemplate look{};
    };
    std::map<NodeGroupId, Known> known_;
};

}  // namespace capstan::simulation::chaos
