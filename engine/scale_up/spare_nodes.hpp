/// Drops new nodes that the pods of the pass do not need, once all options are taken.
///
/// Each option is packed on its own, and later options only fill the gaps that it left. So the pods
/// of the whole pass are placed again, the largest first, on one node fewer. If all of them find
/// room, the pass orders this smaller set, and the next node is tried.
///     4 pods of 2 cores get two nodes of 4 cores; then a pod of 9 cores gets a node of 16 cores,
///     which has room for three of the small pods as well  ->  one node of 4 cores is dropped
#pragma once

#include <cstddef>
#include <optional>
#include <set>
#include <vector>

#include "engine/scale_up/initial_placement.hpp"
#include "engine/scale_up/packing.hpp"

namespace capstan::engine::scale_up {

/// Borrows its arguments.
class SpareNodes {
public:
    /// `start`: the state of the placement before the first option. `planned`: pod groups that a
    /// spread plan has spread evenly over domains.
    SpareNodes(InitialPlacement& initial, scheduling::Placement::Mark start,
               const std::set<PodGroupIndex>& planned);

    /// Drops nodes and returns whether it dropped any. Placement, quotas and increases are updated,
    /// and each accepted option lists the pods that are on its nodes now.
    ///
    /// Nodes of groups that are only ever empty or full stay. Of groups that share an option, one
    /// of the largest loses the node. The planned pod groups stay as even as they were, or even to
    /// within one pod. The attempts of all calls together are limited, so a pass with very many
    /// assignments is left as it is.
    bool drop_spare_nodes();

private:
    /// Consecutive new nodes of one group, in the order in which pods fill nodes.
    struct GroupNodes {
        TemplateNodeId template_node = 0;
        int nodes = 0;
        double filled = 0;  ///< utilization of the emptiest of them
    };
    using NewNodes = std::vector<GroupNodes>;
    /// How even a planned pod group is over its domains.
    struct Evenness {
        PodGroupIndex pod_group = 0;
        std::vector<bool> exists{};  ///< by domain
        int unevenness = 0;          ///< the most pods in a domain minus the fewest
    };

    void prepare();
    NewNodes find_new_nodes() const;
    bool drop_one();
    bool try_each(const NewNodes& new_nodes, const std::set<TemplateNodeId>& candidates);
    bool try_without(NewNodes new_nodes, std::size_t dropped);
    scheduling::Placement& trial();
    bool place_all(const NewNodes& new_nodes, TemplateNodeId like);
    bool place_pods(scheduling::Placement& placement, TemplateNodeId like);
    bool drop_empty_nodes(const scheduling::Placement& placement, NewNodes& new_nodes) const;
    bool is_balanced(const NewNodes& new_nodes) const;
    bool are_planned_even(const scheduling::Placement& placement) const;
    void apply(const NewNodes& new_nodes);
    void update_pods();

    InitialPlacement* initial_;
    scheduling::Placement::Mark start_;
    const std::set<PodGroupIndex>* planned_;
    SizeOrders orders_;
    std::size_t assignments_left_;
    std::optional<scheduling::Placement> trial_{};
    std::vector<int> pods_{};  // by pod group: pods that the scale-up has placed
    std::vector<Evenness> evenness_{};
};

}  // namespace capstan::engine::scale_up
