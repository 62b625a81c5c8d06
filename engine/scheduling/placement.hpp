/// A what-if: the cluster's nodes and new nodes, with more pods placed on them than there are now.
///
/// New nodes of one template with equal pods on them are one slot with a number of nodes, so that
/// ten thousand new nodes cost as much as one. A slot is split before pods are placed on only some
/// of its nodes.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <capstan/assert.hpp>

#include "engine/scheduling/compiled_predicates.hpp"

namespace capstan::engine::scheduling {

/// One or several nodes that are the same in every respect. Each node of the cluster is one slot,
/// numbered by its NodeIndex; slots of new nodes follow.
using Slot = std::uint32_t;

/// How many more pods of a pod group fit on the nodes of a slot.
struct Room {
    int per_node = 0;  ///< on one node of the slot
    int in_all = 0;    ///< on all nodes together, at most per_node times their number
    bool operator==(const Room&) const = default;
};

/// A slot with room.
struct Found {
    Slot slot = 0;
    Room room{};
    bool operator==(const Found&) const = default;
};

/// How far a new node is from taking a pod.
struct Distance {
    int failing = 0;           ///< predicates that fail
    bool is_selected = false;  ///< the pod's node selector and affinity allow the node
};

/// Pods of a pod group that were placed on each node of a slot.
struct Assignment {
    PodGroupIndex pod_group = 0;
    int per_node = 0;
    std::size_t when = 0;  ///< the order of placing: a later assignment has a larger number
    bool operator==(const Assignment&) const = default;
};

/// A spread constraint with domains wider than a node, and its domains.
struct SpreadDomains {
    struct Domain {
        std::string value;    ///< of the topology key
        int count = 0;        ///< pods there that the constraint counts
        bool exists = false;  ///< an eligible node is in it; else only a new node would be
    };
    std::string topology_key;
    int max_skew = 1;
    int min_domains = 1;
    bool counts_itself = true;             ///< the constraint counts pods of its own pod group
    std::uint32_t counter = 0;             ///< equal for constraints that share their counts
    std::uint32_t counted_pod_groups = 0;  ///< number of pod groups that the constraint counts
    std::vector<Domain> domains;           ///< ascending by value
};

/// Borrows the predicates. A copy is independent of the original; `mark` and `undo` are cheaper.
/// [engine thread]
class Placement {
public:
    explicit Placement(CompiledPredicates& predicates);
    Placement(const Placement& other);
    Placement& operator=(const Placement& other);
    Placement(Placement&&) noexcept;
    Placement& operator=(Placement&&) noexcept;
    ~Placement();

    const CompiledPredicates& predicates() const noexcept { return *predicates_; }
    std::size_t slot_count() const noexcept;
    int nodes(Slot slot) const noexcept;
    /// The template node of the slot's nodes; absent: it is a node of the cluster.
    std::optional<TemplateNodeId> template_node(Slot slot) const noexcept;
    /// The same for a slot of new nodes.
    TemplateNodeId template_node_of_new(Slot slot) const noexcept {
        const std::optional<TemplateNodeId> out = template_node(slot);
        CAPSTAN_ASSERT(out, "new nodes have no template");
        return *out;
    }
    /// What is free of a resource on each node of the slot.
    std::int64_t free(Slot slot, ResourceIndex resource) const noexcept;

    /// Adds a slot of `nodes` new nodes that have only their daemons. A new node becomes a domain
    /// of spread constraints over single nodes when the first pod is placed on it, so that empty
    /// new nodes do not lower the least count. A wider domain, such as their zone, exists at once.
    Slot add(TemplateNodeId template_node, int nodes);
    /// Moves `nodes` nodes of `slot` into a new slot, which is returned. `nodes` is above zero and
    /// below the number of nodes of the slot.
    Slot split(Slot slot, int nodes);
    /// Marks a slot as drained: it takes no further pod, `find` and `room` pass over it, and
    /// inter-pod constraints no longer count its nodes nor the pods on them.
    void close(Slot slot);
    /// Whether a closed slot is still being drained. kube-scheduler sees its nodes until they are
    /// deleted: they are domains without pods for spread constraints that count tainted nodes, and
    /// lower the least count there. They never count for minDomains. At first it is not.
    void set_draining(Slot closed, bool is_draining);

    /// How many pods fit on the slot, up to `wanted`, if its nodes are filled one after the other
    /// and none beyond `per_node`. With spread over single nodes more may fit once these are
    /// placed.
    Room room(PodGroupIndex pod_group, Slot slot, int wanted) const;
    /// The first slot in [from, end) with room for one pod; absent: there is none.
    std::optional<Slot> find(PodGroupIndex pod_group, Slot from, Slot end) const;
    /// That slot, and its room for up to `wanted` pods.
    std::optional<Found> find_room(PodGroupIndex pod_group, Slot from, Slot end, int wanted) const;
    /// Places `per_node` pods on each node of the slot. It does not check that they fit: `room` has
    /// to come before it.
    void place(PodGroupIndex pod_group, Slot slot, int per_node);
    /// What has been placed on each node of the slot so far, the latest first.
    std::vector<Assignment> assignments(Slot slot) const;
    /// Why not one more pod fits on the slot; Predicate::none: it fits.
    Refusal why_not(PodGroupIndex pod_group, Slot slot, Wording wording = Wording::full) const;
    /// The same for one more new node of the template. `distance` is set if the pod does not fit;
    /// NULL: it is not asked for.
    Refusal why_not_new(PodGroupIndex pod_group, TemplateNodeId template_node,
                        Distance* distance = nullptr) const;

    /// How many more nodes the spread constraints over single nodes need to reach minDomains.
    int missing_hosts(PodGroupIndex pod_group) const;

    /// The spread constraint of the pod group with domains wider than a node. Absent: it has none,
    /// or more than one. `allow` can replace this constraint and no other.
    std::optional<SpreadDomains> spread(PodGroupIndex pod_group) const;
    /// Sets a quota: `pods` more pods may go into `spread(pod_group)->domains[domain]`. The first
    /// quota of a pod group replaces the constraint that `spread` returns and sets the quota of all
    /// other domains to zero. A later call replaces what is left of the quota of its domain. Only
    /// for pod groups for which `spread` returns a constraint.
    void allow(PodGroupIndex pod_group, std::uint32_t domain, int pods);
    /// Removes the quotas of the pod group, so that its spread constraint holds again.
    void disallow(PodGroupIndex pod_group);
    /// By domain of `spread(pod_group)`, whether a node of the cluster or a new node of some
    /// template there passes the predicates of one node alone. Free resources do not count. Empty:
    /// `spread` is absent.
    std::vector<bool> feasible_domains(PodGroupIndex pod_group) const;
    /// The domain of new nodes of the template, an index into `spread(pod_group)->domains`. Absent:
    /// they are in no domain, or `spread` is absent.
    std::optional<std::uint32_t> domain_of(PodGroupIndex pod_group,
                                           TemplateNodeId template_node) const;

    /// The state of now; `undo` takes back all changes since the mark.
    using Mark = std::size_t;
    Mark mark() const noexcept;
    void undo(Mark mark);

    struct State;  // private to this folder: placement_state.hpp

private:
    CompiledPredicates* predicates_;
    std::unique_ptr<State> state_;
};

}  // namespace capstan::engine::scheduling
