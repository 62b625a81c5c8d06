/// The nodes to which pods of removed nodes may move.
///
/// A large cluster has many nodes and many pods to move, so trying each node for each pod would be
/// quadratic. Free resources are kept in trees that find the first node with room, and a search
/// starts where the last search for an equivalent pod ended, since room is only lost.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "engine/pass_context/pass_context.hpp"
#include "engine/scheduling/capacity_tree.hpp"
#include "engine/scheduling/placement.hpp"

namespace capstan::engine::scale_down {

/// How a pod's inter-pod constraints restrict the nodes it may move to.
enum class ConstraintScope : std::uint8_t {
    none,      ///< not at all: each node decides on its own
    per_zone,  ///< by zone: either all nodes of a zone are allowed, or none
    per_node,  ///< node by node
};

/// A pod as the search for its new place sees it.
struct RelocatingPod {
    PodGroupIndex pod_group = 0;
    NodeIndex hint = snapshot::no_node;  ///< tried first if it stays
    std::uint32_t zone = 0;              ///< by Destinations::zone_of; 0: any
    ConstraintScope scope = ConstraintScope::per_node;
};

/// Two tiers of nodes: nodes that stay in any case, and nodes that are yet to be decided on. A pod
/// goes to the first node with room in the first tier, else in the second. Nodes without room for a
/// pod group are not searched again for equivalent pods until room is given back. Borrows context
/// and placement; the placement has the pods that were assigned.
class Destinations {
public:
    /// Nodes of `staying` and `undecided` take no pods if they are not ready, are being removed, do
    /// not have yet what their template promises, or have a machine with a notice that it leaves.
    Destinations(const pass_context::PassContext& context, scheduling::Placement& placement,
                 std::span<const NodeIndex> staying, std::span<const NodeIndex> undecided);

    /// Puts the pod on a node with room and returns the node; absent: there is none.
    std::optional<NodeIndex> assign(const RelocatingPod& pod);
    /// Drains the node: it takes no pods from now on, and its pods are gone. kube-scheduler still
    /// sees it.
    void drain(NodeIndex node);
    /// A drained node is deleted.
    void remove(NodeIndex node) { placement_->set_draining(node, false); }
    /// Moves an undecided node to the tier that stays. This cannot be undone, so marks from before
    /// may not be used any more.
    void stay(NodeIndex node);
    bool is_open(NodeIndex node) const noexcept { return tier_of_[node] != Tier::none; }
    /// The number of the node's zone; 0: it is in no zone.
    std::uint32_t zone_of(NodeIndex node) const noexcept { return zones_[node]; }

    struct Mark {
        scheduling::Placement::Mark placement;
        std::size_t journal;
    };
    Mark mark() const noexcept { return {placement_->mark(), journal_.size()}; }
    void undo(const Mark& mark);

private:
    enum class Tier : std::uint8_t { staying, undecided, none };
    struct Nodes {
        explicit Nodes(std::size_t columns) : free(columns) {}
        scheduling::CapacityTree free;
        std::vector<NodeIndex> nodes{};  // by row
    };
    struct Change {
        enum class Kind : std::uint8_t { assigned, closed, searched } kind = Kind::assigned;
        Tier tier = Tier::staying;
        std::uint32_t at = 0;  // a row; for `searched` an index in start_
        std::uint32_t pod_group = 0;
        std::int64_t before = 0;
    };

    void put(Tier tier, NodeIndex node);
    void assign_to(NodeIndex node, PodGroupIndex pod_group);
    bool takes(const RelocatingPod& pod, NodeIndex node) const;
    std::optional<NodeIndex> search(Tier tier, const RelocatingPod& pod);
    std::optional<std::uint32_t> search_zone(Tier tier, const RelocatingPod& pod,
                                             std::uint32_t zone);
    void take_back(const Change& change);
    std::span<const scheduling::Need> needs(PodGroupIndex pod_group) const noexcept {
        return {&needs_[first_need_[pod_group]],
                first_need_[pod_group + 1] - first_need_[pod_group]};
    }
    Nodes& on(Tier tier) noexcept { return tiers_[static_cast<std::size_t>(tier)]; }

    const pass_context::PassContext* context_;
    scheduling::Placement* placement_;
    std::vector<Nodes> tiers_{};
    std::vector<Tier> tier_of_{};          // by node
    std::vector<std::uint32_t> row_of_{};  // by node
    std::vector<std::uint32_t> zones_{};   // by node
    std::vector<PodGroupIndex> equivalent_{};
    std::vector<std::uint32_t> first_need_{};
    std::vector<scheduling::Need> needs_{};
    // The row at which a search begins, by tier, zone and equivalent pod group: the rows before it
    // have no room.
    std::vector<std::uint32_t> start_{};
    std::uint32_t zone_count_ = 1;
    std::vector<Change> journal_{};
};

}  // namespace capstan::engine::scale_down
