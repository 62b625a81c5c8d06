/// Whether a group could grow, and which pods would surely fit its new machines.
#pragma once

#include <map>

#include <capstan/ids.hpp>
#include <capstan/node_template.hpp>

#include "simulator/chaos/invariant.hpp"
#include "simulator/chaos/sums.hpp"

namespace capstan::simulator::chaos {

/// Whether a group could grow by `machines`: its maximum, its health, its back-off, its cloud's
/// back-off and the cluster's limits permit it, its cloud can be read, and the pass does not repair
/// its size. `target`, `sums`: the group's target and the cluster's totals without these machines.
bool could_grow(const Moment& moment, const engine::Group& group, int target, int machines,
                Sums sums);

/// The template of each group as its nodes really turned out. A cloud's template may promise labels
/// that the nodes do not get, and omit taints that they do get.
class ObservedTemplates {
public:
    /// To be called once in each pass.
    void observe(const Moment& moment);
    /// Whether the pod surely fits a new node of the group: by the cloud's template and, if the
    /// group has had a ready node since the template last changed, by the newest ready node, too.
    bool surely_fits(const Moment& moment, engine::PodIndex pod, const engine::Group& group) const;

private:
    struct Known {
        NodeTemplate described{};  ///< the cloud's template when the node was seen
        NodeTemplate observed{};   ///< the newest ready node as a template
    };
    std::map<NodeGroupId, Known> known_;
};

}  // namespace capstan::simulator::chaos
