/// Where the pods of nodes that go would run instead, all of them at once.
///
/// Nodes leave the simulated cluster one by one. A pod that was given a new node moves again when
/// that node leaves later, so that in the end every pod has a place on a node that stays.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "engine/scale_down/destinations.hpp"

namespace capstan::engine::scale_down {

/// Pods that were given a place keep it until their new node goes as well; then they move on with
/// its own. Pods whose spread over zones is emulated stay in the zone they are in. Borrows context
/// and placement, whose rules know the classes of all pods that move.
class Relocation {
public:
    /// `hints`: by pod, the node to try first; empty: there are none. Nodes that stay whatever
    /// comes are filled before those that are undecided, and these in the order given. What it does
    /// to the placement can be undone like everything else.
    Relocation(const pass_context::PassContext& context, scheduling::Placement& placement,
               std::vector<snapshot::NodeIndex> hints, std::span<const snapshot::NodeIndex> staying,
               std::span<const snapshot::NodeIndex> undecided);

    /// Takes the node away and gives every one of `pods`, and those that have moved to it, another
    /// place. The answer is a pod that finds none, and then nothing has changed; nothing: done.
    std::optional<snapshot::PodIndex> remove(snapshot::NodeIndex node,
                                             std::span<const snapshot::PodIndex> pods);
    /// It was found out that the node stays; nothing before is undone any more.
    void stay(snapshot::NodeIndex node) { destinations_.stay(node); }
    /// Where a pod has moved; no_node: it has not.
    snapshot::NodeIndex where(snapshot::PodIndex pod) const noexcept { return where_[pod]; }
    /// Whose pods look for a place as this class; nothing: the rules do not know it.
    std::optional<scheduling::PodGroupIndex> pod_group_of(snapshot::PodIndex pod) const noexcept;

    struct Mark {
        Destinations::Mark destinations;
        std::size_t moves;
    };
    Mark mark() const noexcept { return {destinations_.mark(), moves_.size()}; }
    void undo(const Mark& mark);

private:
    struct Leaving {
        snapshot::PodIndex pod = 0;
        RelocatingPod mover{};
        std::int64_t size = 0;
    };
    struct Move {
        snapshot::PodIndex pod = 0;
        snapshot::NodeIndex before = snapshot::no_node;
    };
    /// How pods of the pod group look for a place.
    struct RelocationRule {
        ConstraintScope company = ConstraintScope::some;
        bool stays_in_zone = false;
    };
    RelocationRule manner_of(scheduling::Placement& placement,
                             scheduling::PodGroupIndex pod_group) const;
    std::optional<std::vector<Leaving>> leaving(snapshot::NodeIndex node,
                                                std::span<const snapshot::PodIndex> pods) const;
    bool assign(const Leaving& pod);

    const pass_context::PassContext* context_;
    const scheduling::CompiledPredicates* rules_;
    Destinations destinations_;
    std::vector<snapshot::NodeIndex> hints_;
    std::vector<scheduling::PodGroupIndex> pod_groups_{};     // by class
    std::vector<RelocationRule> manners_{};                   // by pod group
    std::vector<snapshot::NodeIndex> where_{};                // by pod
    std::vector<std::vector<snapshot::PodIndex>> arrived_{};  // by node
    std::vector<Move> moves_{};
};

}  // namespace capstan::engine::scale_down
