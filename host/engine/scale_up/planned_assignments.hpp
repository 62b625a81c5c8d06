/// What nodes to come were ordered for, from one pass to the next.
///
/// A pass that orders nodes knows which pod goes where. The next one sees the same pods and those
/// nodes, and would fill them from the front: with spread and affinity that may place fewer. So it
/// puts them first where they were put before, as far as they still fit; new pods come after them.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "engine/memory.hpp"
#include "engine/pass_context/pass_context.hpp"
#include "engine/scheduling/placement.hpp"

namespace capstan::engine::scale_up {

/// "namespace/kind/name" of the controller; of pods without one "namespace//labels". Pods of
/// several pod groups may share it: it says which pods to try, never which fit.
std::string planned_as(const snapshot::Cluster& cluster, snapshot::PodGroupId equivalence_group);

/// The pods that were assigned to upcoming nodes, those just ordered included: by group, nodes with
/// the same pods together, in a fixed order. As large as there are such nodes, at most.
std::map<NodeGroupId, std::vector<PlannedNodes>> planned_nodes(
    const pass_context::PassContext& context, const scheduling::Placement& placement);

/// Puts waiting pods on nodes to come as PassContext::planned has it. Pods that look at others take
/// turns, so that no zone waits for the next.
class PlannedAssignments {
public:
    /// Borrows. `left` by pod group: pods that wait. Nodes to come are the slots of [from, end).
    PlannedAssignments(const pass_context::PassContext& context, scheduling::Placement& placement,
                       std::vector<int>& left, scheduling::Slot from, scheduling::Slot end);
    /// As many as find room now; whether it assigned any.
    bool assign();

private:
    /// Pods that one node is for.
    struct Want {
        scheduling::Slot slot = 0;
        int pods = 0;
    };
    /// What is left to do for one pod group on nodes of one group.
    struct Queue {
        scheduling::PodGroupIndex pod_group = 0;
        bool has_inter_pod_constraints = false;
        /// It looks only at how many pods its zone has: where the first node is shut all are.
        bool in_step = false;
        /// Its nodes are filled one after the other, before others open more.
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
    std::vector<int> unplanned_;  // by pod group: waiting, and wanted nowhere yet
    std::map<std::string, std::vector<scheduling::PodGroupIndex>> pod_groups_;
    std::map<std::pair<pass_context::GroupIndex, scheduling::PodGroupIndex>, Queue>
        queues_;  // over hosts: of group 0
};

}  // namespace capstan::engine::scale_up
