/// The pods for which upcoming nodes were ordered, carried from one pass to the next.
///
/// A pass that orders nodes knows which pod goes on which node. The next pass sees the same pods
/// and the upcoming nodes. If it filled these nodes from the front, spread and affinity might place
/// fewer pods, and it would order another node. So it first places the pods as the pass before did,
/// as far as they still fit, and new pods after them.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "engine/memory.hpp"
#include "engine/pass_context/pass_context.hpp"
#include "engine/scheduling/placement.hpp"

namespace capstan::engine::scale_up {

/// Names a pod group by its controller: "namespace/kind/name", or "namespace//labels" for pods
/// without a controller. Several pod groups may share a key: it tells which pods to try, never
/// whether they fit.
std::string controller_key(const snapshot::Cluster& cluster,
                           snapshot::PodGroupId equivalence_group);

/// The pods on upcoming nodes, including the nodes that this pass orders: by node group, nodes with
/// the same pods as one entry, in a fixed order.
std::map<NodeGroupId, std::vector<PlannedNodes>> planned_nodes(
    const pass_context::PassContext& context, const scheduling::Placement& placement);

/// Puts pending pods on upcoming nodes according to PassContext::planned. Pod groups with inter-pod
/// constraints take turns, so that no zone waits for the next.
class PlannedAssignments {
public:
    /// Borrows its arguments. `left` by pod group: the pending pods. The upcoming nodes are the
    /// slots of [from, end).
    PlannedAssignments(const pass_context::PassContext& context, scheduling::Placement& placement,
                       std::vector<int>& left, scheduling::Slot from, scheduling::Slot end);
    /// Places as many pods as fit now. Whether it placed any.
    bool assign();

private:
    /// The planned pods of one node.
    struct Want {
        scheduling::Slot slot = 0;
        int pods = 0;
    };
    /// The planned pods of one pod group on nodes of one node group that are still to be placed.
    struct Queue {
        scheduling::PodGroupIndex pod_group = 0;
        bool has_inter_pod_constraints = false;
        /// Its only inter-pod constraint is one spread constraint: if the first node takes no pod
        /// now, none of the nodes does.
        bool in_step = false;
        /// It is spread over hosts: its nodes are filled one after the other, before other pod
        /// groups open more.
        bool over_hosts = false;
        std::vector<Want> wants{};
    };
    void add_group(pass_context::GroupIndex group, const std::vector<PlannedNodes>& nodes,
                   scheduling::Slot from, scheduling::Slot end);
    Queue make_queue(scheduling::PodGroupIndex pod_group) const;
    void want(pass_context::GroupIndex group, scheduling::Slot slot,
              const std::map<std::string, int>& pods);
    template <class Chosen>
    bool take_turns(Chosen is_chosen);
    bool take_turn(Queue& queue);

    const pass_context::PassContext* context_;
    scheduling::Placement* placement_;
    std::vector<int>* left_;
    std::vector<int> unplanned_;  // by pod group: pending pods that are in no queue yet
    std::map<std::string, std::vector<scheduling::PodGroupIndex>> pod_groups_;  // by controller_key
    std::map<std::pair<pass_context::GroupIndex, scheduling::PodGroupIndex>, Queue>
        queues_;  // those with over_hosts: under group 0
};

}  // namespace capstan::engine::scale_up
