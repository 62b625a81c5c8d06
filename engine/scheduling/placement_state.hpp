/// The state of a Placement: free capacity, counters of pods, and a log of all changes.
///
/// Most what-ifs are undone. So nothing is copied: each change is logged with what it takes to
/// reverse it, and `undo` reverses the log's records from the last one back to the mark.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "engine/scheduling/capacity_tree.hpp"
#include "engine/scheduling/inter_pod_index.hpp"
#include "engine/scheduling/placement.hpp"
#include "engine/scheduling/predicate_data.hpp"
#include "engine/scheduling/topology_counts.hpp"
#include "engine/snapshot/cluster.hpp"

namespace capstan::engine::scheduling {

/// The quotas that replace spread constraints, see Placement::allow. [one thread]
class SpreadQuotas {
public:
    /// Whether the pod group has quotas.
    bool has(std::uint32_t pod_group) const noexcept {
        return pod_group < of_.size() && of_[pod_group].is_set;
    }
    /// By domain, how many more pods may go there. Only for pod groups that have quotas.
    std::span<const int> left(std::uint32_t pod_group) const noexcept {
        return of_[pod_group].left;
    }

    /// Sets the quota of a domain. The first quota of a pod group sets those of the other domains
    /// to zero; `domains` is the number of all domains.
    void set(std::uint32_t pod_group, std::uint32_t domain, int pods, std::size_t domains);
    /// Removes the quotas of the pod group.
    void end(std::uint32_t pod_group);
    /// Takes `pods` off the quota of a domain; below zero gives them back.
    void use(std::uint32_t pod_group, std::uint32_t domain, int pods) noexcept {
        of_[pod_group].left[domain] -= pods;
    }
    /// Reverses the last `set` or `end`. The quotas are then what they were at that call.
    void undo();

private:
    struct Quotas {
        bool is_set = false;
        std::vector<int> left;  // by domain
    };
    struct Change {
        std::uint32_t pod_group = 0;
        Quotas before;
    };
    void log_change(std::uint32_t pod_group);

    std::vector<Quotas> of_;  // by pod group
    std::vector<Change> changes_;
};

// Counting the pods that are bound to nodes, and the daemons of new nodes.

/// The equivalence groups other than `pod_groups` that have bound pods or are daemons of a
/// template, ascending, each once. Those that are `absent` are left out unless they are daemons of
/// a template. Empty if no pod group has inter-pod constraints and no pod has an anti-affinity.
std::vector<PodGroupId> find_others(const snapshot::Cluster& cluster,
                                    std::span<const PodGroupId> pod_groups,
                                    std::span<const TemplateNode> template_nodes,
                                    const std::vector<bool>& absent);

/// Counts the pods bound to `node`, which is the slot `place`, `times` each; -1 undoes 1. Absent
/// pods are left out.
void count_bound(TopologyCounts& topology_counts, const snapshot::Cluster& cluster,
                 const InterPodIndex& inter_pod, NodeIndex node, const TopologyCounts::Place& place,
                 int times);
/// Counts the daemons of each new node of the slot `place`, `times` each; -1 undoes 1.
void count_daemons(TopologyCounts& topology_counts, const InterPodIndex& inter_pod,
                   const TemplateNode& template_node, const TopologyCounts::Place& place,
                   int times);

/// The bound pods of the cluster, in a slot for each node.
TopologyCounts count_bound_on_all_nodes(const snapshot::Cluster& cluster,
                                        const InterPodIndex& inter_pod,
                                        const NodeProfiles& profiles);

// The state of a Placement.

inline constexpr TemplateNodeId no_template_node = ~TemplateNodeId{0};
inline constexpr std::uint32_t no_record = ~std::uint32_t{0};

struct SlotFacts {
    int nodes = 1;
    ProfileId profile = 0;
    TemplateNodeId template_node = no_template_node;  ///< no_template_node: a node of the cluster
    bool closed = false;
    bool draining = false;                  ///< only if closed
    std::uint32_t last_placed = no_record;  ///< the last record of pods placed here
};

/// One change, with what is needed to reverse it. The `placed` records of a slot are a linked list
/// from SlotFacts::last_placed, so that its pods are found without a search.
struct Record {
    enum class Kind : std::uint8_t { placed, added, split, closed, draining, spread_quotas };
    Kind kind = Kind::placed;
    Slot slot = 0;
    std::uint32_t other = 0;  ///< placed: the slot's record before; split: the slot that was split
    PodGroupIndex pod_group = 0;
    int count = 0;  ///< placed: pods on each node; split: nodes of the new slot
};

struct Placement::State {
    explicit State(const CompiledPredicates::PredicateData& the_predicates);

    Slot add(TemplateNodeId template_node, int nodes);
    Slot split(Slot from, int nodes);
    void close(Slot slot);
    void set_draining(Slot slot, bool is_draining);
    void place(PodGroupIndex pod_group, Slot slot, int per_node);
    void allow(PodGroupIndex pod_group, std::uint32_t domain, int pods);
    void disallow(PodGroupIndex pod_group);
    void undo(std::size_t mark);

    Room room(PodGroupIndex pod_group, Slot slot, int wanted) const;
    /// What each node of the slot has free for the pod group, of the resource that the pod group
    /// requests as its `request`-th.
    std::int64_t free_for(PodGroupIndex pod_group, Slot slot, std::size_t request) const noexcept;
    /// Adds to `failing` how many of the predicates that look at other pods fail; NULL: not
    /// counted.
    Refusal why_not(PodGroupIndex pod_group, Slot slot, Wording wording,
                    int* failing = nullptr) const;
    /// The first predicate of one node alone that fails on the slot's nodes; none: all pass.
    Predicate verdict(PodGroupIndex pod_group, Slot slot) const {
        return predicates->demands.verdict(predicates->demand_of[pod_group], slots[slot].profile);
    }

    const CompiledPredicates::PredicateData* predicates;
    std::vector<SlotFacts> slots;
    CapacityTree capacity;
    TopologyCounts topology_counts;  ///< without slots if there is no counter
    SpreadQuotas spread_quotas;
    std::vector<Record> log;

    TopologyCounts::Place place_of(Slot slot) const noexcept {
        return {.slot = slot,
                .profile = slots[slot].profile,
                .nodes = slots[slot].nodes,
                .has_host_domains = has_host_domains(slot)};
    }
    /// Whether the slot's nodes are domains of spread constraints over single nodes. New nodes are,
    /// once a pod has been placed on them.
    bool has_host_domains(Slot slot) const noexcept {
        return slots[slot].template_node == no_template_node ||
               slots[slot].last_placed != no_record;
    }
    const AttachLimit& attach_limit(Slot slot, std::uint32_t driver) const noexcept;
    /// The domain of the profile's nodes, an index into PodRules::wide_domains; absent: they are
    /// in none. Only for pod groups with PodRules::wide.
    std::optional<std::uint32_t> spread_domain(PodGroupIndex pod_group,
                                               ProfileId profile) const noexcept;

private:
    bool counts() const noexcept { return predicates->pods.counters.size() != 0; }
    void change_draining(Slot slot, bool is_draining);
    /// How many pods of the pod group fit on each node of the slot by their requests, at most
    /// `wanted`.
    int fitting(PodGroupIndex pod_group, Slot slot, int wanted) const noexcept;
    /// Changes capacity, counters and quotas for `per_node` more pods; below zero: fewer.
    void change_pods(PodGroupIndex pod_group, Slot slot, int per_node);
    /// Adds the slot's nodes and all pods on them to the counters (`times` 1) or removes them (-1).
    void count_all_on(Slot slot, int times);
    void revert(const Record& record);
    void drop_last_slot();
};

}  // namespace capstan::engine::scheduling
