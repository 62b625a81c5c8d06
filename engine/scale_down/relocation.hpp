/// Where the pods of removed nodes would run instead, for all removed nodes together.
///
/// Nodes are removed from the simulated cluster one by one. A pod that has moved to a node moves
/// again if that node is removed later, so that in the end every pod has a place on a node that
/// stays. While the pods of a node look for their places, kube-scheduler still sees the node
/// (scheduling::Placement::set_draining).
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "engine/pass_context/pass_context.hpp"
#include "engine/scheduling/placement.hpp"

namespace capstan::engine::scale_down {

/// Whether a removed node is deleted before the pods of the next one look for their places, or all
/// nodes are drained at the same time.
enum class RemovalTiming : std::uint8_t { in_turn, at_once };

/// Pods with an emulated spread over zones stay in their zone. Borrows context and placement; the
/// placement's predicates include the pod groups of all pods that move.
class Relocation {
public:
    /// `hints`: by pod, the node to try first; empty: there are none. Nodes in `staying` are filled
    /// before those in `undecided`, and each list is filled in its order. With `at_once` the nodes
    /// that are being removed are still seen, too. All changes are changes of the placement, which
    /// can be undone.
    Relocation(const pass_context::PassContext& context, scheduling::Placement& placement,
               RemovalTiming timing, std::vector<NodeIndex> hints,
               std::span<const NodeIndex> staying, std::span<const NodeIndex> undecided);
    ~Relocation();

    /// Removes the node and gives `pods`, and the pods that have moved to the node, another place.
    /// Absent: done. Otherwise a pod that finds no place, and then nothing has changed.
    std::optional<PodIndex> remove(NodeIndex node, std::span<const PodIndex> pods);
    /// An undecided node stays. This cannot be undone, so marks from before may not be used any
    /// more.
    void stay(NodeIndex node);
    /// The node to which a pod has moved; no_node: it has not moved.
    NodeIndex where(PodIndex pod) const noexcept { return where_[pod]; }
    /// The pod group of a pod; absent: the predicates do not include it.
    std::optional<PodGroupIndex> pod_group_of(PodIndex pod) const noexcept;

    struct Mark {
        scheduling::Placement::Mark placement;
        std::size_t destinations;
        std::size_t moves;
    };
    Mark mark() const noexcept;
    void undo(const Mark& mark);

private:
    class Destinations;
    struct DisplacedPod;
    struct RelocationRule;
    struct Move {
        PodIndex pod = 0;
        NodeIndex before = snapshot::no_node;
    };
    RelocationRule relocation_rule_of(scheduling::Placement& placement,
                                      PodGroupIndex pod_group) const;
    std::optional<std::vector<DisplacedPod>> displaced_pods(NodeIndex node,
                                                            std::span<const PodIndex> pods) const;
    bool assign(const DisplacedPod& pod);

    const pass_context::PassContext* context_;
    scheduling::Placement* placement_;
    const scheduling::CompiledPredicates* predicates_;
    RemovalTiming timing_;
    std::unique_ptr<Destinations> destinations_;
    std::vector<NodeIndex> hints_;
    std::vector<PodGroupIndex> pod_groups_{};       // by PodGroupId
    std::vector<RelocationRule> relocation_rules_;  // by pod group
    std::vector<NodeIndex> where_{};                // by pod
    std::vector<std::vector<PodIndex>> arrived_{};  // by node
    std::vector<Move> moves_{};
};

}  // namespace capstan::engine::scale_down
