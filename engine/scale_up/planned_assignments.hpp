/// The pods for which upcoming nodes were ordered, carried from one pass to the next.
///
/// A pass that orders nodes knows which pod goes on which node. The next pass sees the same pods
/// and the upcoming nodes. If it filled these nodes from the front, spread and affinity might place
/// fewer pods, and it would order another node. So it first places the pods as the pass before did,
/// as far as they still fit, and new pods after them.
#pragma once

#include <functional>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "engine/memory.hpp"
#include "engine/pass_context/pass_context.hpp"
#include "engine/pods/pod_group_key.hpp"
#include "engine/scheduling/placement.hpp"

namespace capstan::engine::scale_up {

/// Finds pending pods by the keys of planned pods.
class PodsByKey {
public:
    /// Borrows its arguments. `left` by pod group: the pending pods.
    PodsByKey(const pass_context::PassContext& context, const std::vector<int>& left);

    /// The pod groups with this key.
    std::span<const PodGroupIndex> of(std::string_view key) const;
    /// The pod groups with the controller of this key.
    std::span<const PodGroupIndex> of_controller(std::string_view key) const;

    /// The pod groups with this pods::spec_of.
    std::span<const PodGroupIndex> of_spec(std::string_view spec) const;

private:
    using PodGroups = std::map<std::string, std::vector<PodGroupIndex>, std::less<>>;
    static std::span<const PodGroupIndex> find(const PodGroups& pod_groups, std::string_view key);

    PodGroups by_key_{}, by_controller_{}, by_spec_{};
};

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
    /// Places as many pods as fit now. Whether it placed any. Once none of the planned pods fits,
    /// pods that are spread over zones keep their planned nodes all the same: here the zones of
    /// other upcoming nodes count already and may forbid these nodes, but the scheduler counts a
    /// zone only once it has a node. After that, other pods of their controllers take the places of
    /// those that are no longer pending.
    bool assign();

private:
    /// The planned pods of one node.
    struct Want {
        scheduling::Slot slot = 0;
        int pods = 0;
    };
    /// The planned pods of one pod group on nodes of one node group that are still to be placed.
    struct Queue {
        PodGroupIndex pod_group = 0;
        bool has_inter_pod_constraints = false;
        /// Its only inter-pod constraint is one spread constraint: if the first node takes no pod
        /// now, none of the nodes does.
        bool in_step = false;
        /// It is spread over hosts: its nodes are filled one after the other, before other pod
        /// groups open more.
        bool over_hosts = false;
        std::vector<Want> wants{};
    };
    void add_group(GroupIndex group, const std::vector<PlannedNodes>& nodes, scheduling::Slot from,
                   scheduling::Slot end);
    Queue make_queue(PodGroupIndex pod_group) const;
    void want(GroupIndex group, scheduling::Slot slot, const std::map<std::string, int>& pods);
    /// Queues up to `count` of the pods of these pod groups for the slot. How many it queued.
    int queue_up(GroupIndex group, scheduling::Slot slot, std::span<const PodGroupIndex> pod_groups,
                 int count);
    bool take_all_turns();
    bool replace_absent();
    template <class Chosen>
    bool take_turns(Chosen is_chosen);
    bool take_turn(Queue& queue);
    int take(const Queue& queue, Want& want);
    bool keep_in_domains();

    /// Planned pods of one node that are not pending any more.
    struct Absent {
        GroupIndex group = 0;
        scheduling::Slot slot = 0;
        std::string_view key{};
        int pods = 0;
    };

    const pass_context::PassContext* context_;
    scheduling::Placement* placement_;
    std::vector<int>* left_;
    std::vector<int> unplanned_;  // by pod group: pending pods that are in no queue yet
    PodsByKey pending_;
    std::vector<Absent> absent_{};
    std::map<std::pair<GroupIndex, PodGroupIndex>, Queue>
        queues_{};  // those with over_hosts: under group 0
};

}  // namespace capstan::engine::scale_up
