/// A what-if: the cluster's nodes and nodes to come, with more pods on them than there are now.
///
/// Nodes that look alike and hold alike pods are one slot with a count, so that ten thousand new
/// nodes cost as much as one; a slot is split where pods make some of its nodes differ.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "engine/scheduling/compiled_predicates.hpp"

namespace capstan::engine::scheduling {

/// One or several nodes that are the same in every respect. The cluster's own come first, one each,
/// under their NodeIndex.
using Slot = std::uint32_t;

/// How many pods find room.
struct Room {
    int per_node = 0;  ///< on each node of the slot
    int in_all = 0;    ///< on all of them together, at most per_node times their number
    bool operator==(const Room&) const = default;
};

/// A slot with room.
struct Found {
    Slot slot = 0;
    Room room{};
    bool operator==(const Found&) const = default;
};

/// Pods of a class on each node of a slot.
struct Assignment {
    PodGroupIndex pod_group = 0;
    int per_node = 0;
    std::size_t when = 0;  ///< what was put somewhere later has more
    bool operator==(const Assignment&) const = default;
};

/// The domains that a class is spread over, by one constraint wider than a node.
struct SpreadDomains {
    struct Domain {
        std::string value;    ///< of the topology key
        int count = 0;        ///< pods that the constraint counts
        bool exists = false;  ///< some eligible node is in it; else it is that of a shape alone
    };
    std::string topology_key;
    int max_skew = 1;
    int min_domains = 1;
    bool counts_itself = true;             ///< a pod of the class adds to the count
    std::uint32_t counter = 0;             ///< equal for classes that are counted together
    std::uint32_t counted_pod_groups = 0;  ///< pod groups of which a pod adds to the count
    std::vector<Domain> domains;           ///< by value
};

/// Borrows the rules. A copy is a state of its own; undoing is cheaper. [engine thread]
class Placement {
public:
    explicit Placement(CompiledPredicates& rules);
    Placement(const Placement& other);
    Placement& operator=(const Placement& other);
    Placement(Placement&&) noexcept;
    Placement& operator=(Placement&&) noexcept;
    ~Placement();

    const CompiledPredicates& rules() const noexcept { return *rules_; }
    std::size_t slot_count() const noexcept;
    int nodes(Slot slot) const noexcept;
    /// Nothing: a node of the cluster.
    std::optional<TemplateNodeId> shape(Slot slot) const noexcept;
    /// Left of a resource on each node of the slot.
    std::int64_t free(Slot slot, snapshot::ResourceIndex resource) const noexcept;

    /// `nodes` new nodes, with nothing but their daemons on them. A node to come is a domain of a
    /// spread over single nodes only once a pod is put on it: those that are still empty hold no
    /// other node back. The domain of a wider key, as its zone, is there at once.
    Slot add(TemplateNodeId shape, int nodes);
    /// Makes a slot of `nodes` of the nodes of `slot`, more than none and not all.
    Slot split(Slot slot, int nodes);
    /// A node that is drained, or gone: it takes no further pod, `find` and `room` pass over it,
    /// and what is on it is not there any more for affinity and spread.
    void close(Slot slot);

    /// How many pods of the class find room, one node filled after the other and each no further
    /// than the first; none of more than `wanted`. What spreads over single nodes may find more
    /// once these are placed.
    Room room(PodGroupIndex pod_group, Slot slot, int wanted) const;
    /// The first slot in [from, end) with room for one; nothing: there is none.
    std::optional<Slot> find(PodGroupIndex pod_group, Slot from, Slot end) const;
    /// The same, and its room for `wanted`.
    std::optional<Found> find_room(PodGroupIndex pod_group, Slot from, Slot end, int wanted) const;
    /// Puts `per_node` pods on each node of the slot; at most its room.
    void place(PodGroupIndex pod_group, Slot slot, int per_node);
    /// What has been put on the slot's nodes so far, the latest first.
    std::vector<Assignment> assignments(Slot slot) const;
    /// Why not even one more finds room there.
    Refusal why_not(PodGroupIndex pod_group, Slot slot, Wording wording = Wording::full) const;
    /// The same for an empty new node of the shape, as the placement stands.
    Refusal why_not_new(PodGroupIndex pod_group, TemplateNodeId shape) const;

    /// Nodes that the spread constraints of the class over single nodes lack to their minDomains.
    int missing_hosts(PodGroupIndex pod_group) const;

    /// The constraint that spreads the class over domains wider than a node; nothing: it has none,
    /// or more than one, which are then obeyed as they stand.
    std::optional<SpreadDomains> spread(PodGroupIndex pod_group) const;
    /// From now on the class may go, instead of what its spread constraint says, `pods` times into
    /// the domain that `spread(pod_group)->domains[domain]` is; said again, this replaces what is
    /// left there. What allows nothing anywhere forbids. Only for classes that `spread` answers
    /// for.
    void allow(PodGroupIndex pod_group, std::uint32_t domain, int pods);
    /// Ends what was allowed to the class.
    void disallow(PodGroupIndex pod_group);
    /// By domain of `spread(pod_group)`, of classes it answers for: whether some node of the
    /// cluster or new node of a shape there takes the class as far as that node alone is concerned,
    /// be there room or not.
    std::vector<bool> open_domains(PodGroupIndex pod_group) const;
    /// Index into `spread(pod_group)->domains`; nothing: the nodes of the shape are in none.
    std::optional<std::uint32_t> domain_of(PodGroupIndex pod_group, TemplateNodeId shape) const;

    /// To come back to: everything since is undone.
    using Mark = std::size_t;
    Mark mark() const noexcept;
    void undo(Mark mark);

    struct State;  // for the folder's own use

private:
    CompiledPredicates* rules_;
    std::unique_ptr<State> state_;
};

}  // namespace capstan::engine::scheduling
