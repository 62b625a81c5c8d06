/// Lets go of new nodes that a pass can do without, once its options are chosen.
///
/// Each option is packed for itself, and those after it fill only what it left over. So the pods of
/// the whole pass are placed anew, the largest first, on a node fewer; if all of them find room,
/// that is what the pass orders, and the next node is tried.
///     4 pods of 2 cores are given two nodes of 4 cores, then one of 9 cores a node of 16, which
///     has room for three of the others as well  ->  one node of 4 cores is let go
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
    /// `start`: of the placement, before the first option. `planned`: classes that were planned to
    /// be even over domains.
    SpareNodes(InitialPlacement& initial, scheduling::Placement::Mark start,
               const std::set<scheduling::PodGroupIndex>& planned);

    /// Whether any node was let go. Placement, quotas and increases are without it then, and each
    /// grant has the pods that are on its nodes now.
    ///
    /// Nodes of groups that are only ever empty or full stay. Of groups that share an option a
    /// largest one gives, and the planned classes stay as even as they were. What all calls
    /// together try is limited, so that a pass over very many classes is left as it is.
    bool let_go();

private:
    /// Nodes of a group that stand together in the order in which pods fill them.
    struct Run {
        scheduling::TemplateNodeId shape = 0;
        int nodes = 0;
        double filled = 0;  ///< the emptiest of them
    };
    using Fleet = std::vector<Run>;
    /// How a planned class stands in its domains.
    struct Evenness {
        scheduling::PodGroupIndex pod_group = 0;
        std::vector<bool> exists{};  ///< by domain
        int unevenness = 0;
    };

    void look();
    Fleet find_fleet() const;
    bool let_one_go();
    bool try_each(const Fleet& fleet, const std::set<scheduling::TemplateNodeId>& candidates);
    bool try_without(Fleet fleet, std::size_t dropped);
    bool place_all(const Fleet& fleet, scheduling::TemplateNodeId like);
    bool place_pods(scheduling::TemplateNodeId like);
    bool drop_empty_nodes(Fleet& fleet) const;
    bool is_balanced(const Fleet& fleet) const;
    bool are_planned_even() const;
    void settle(const Fleet& fleet);
    void tell_pods();

    InitialPlacement* initial_;
    scheduling::Placement::Mark start_;
    const std::set<scheduling::PodGroupIndex>* planned_;
    SizeOrders orders_;
    std::size_t assignments_left_;
    std::optional<scheduling::Placement> trial_{};
    std::vector<int> pods_{};  // by pod group: those that the pass has placed
    std::vector<Evenness> evenness_{};
};

}  // namespace capstan::engine::scale_up
