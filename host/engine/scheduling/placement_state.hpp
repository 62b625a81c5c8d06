/// What a Placement is made of: free capacity, counters of pods, and a record of every change.
///
/// A what-if is undone far more often than it is kept. So nothing is copied: each change is written
/// down with what it takes to reverse it, and undoing walks back over the records.
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

/// [one thread]
class SpreadQuotas {
public:
    bool has(std::uint32_t pod_group) const noexcept {
        return pod_group < of_.size() && of_[pod_group].is_set;
    }
    /// By domain, how many more; only for pod groups that have any.
    std::span<const int> left(std::uint32_t pod_group) const noexcept {
        return of_[pod_group].left;
    }

    /// With the first one the other domains get nothing.
    void set(std::uint32_t pod_group, std::uint32_t domain, int pods, std::size_t domains);
    void end(std::uint32_t pod_group);
    /// What was allowed is used up; below zero it comes back.
    void use(std::uint32_t pod_group, std::uint32_t domain, int pods) noexcept {
        of_[pod_group].left[domain] -= pods;
    }
    /// Takes back the last `set` or `end`.
    void undo();

private:
    struct Allowance {
        bool is_set = false;
        std::vector<int> left;  // by domain
    };
    struct Change {
        std::uint32_t pod_group = 0;
        Allowance before;
    };
    void remember(std::uint32_t pod_group);

    std::vector<Allowance> of_;
    std::vector<Change> changes_;
};

// The pods that are on the cluster's nodes, and those that come with a new one, as counters see
// them.

/// Classes other than the pod groups that may matter to them: with pods on a node, or daemons of a
/// shape; ascending, each once; of `absent` ones only daemons. Empty where no pod group looks at
/// pods, nor any pod at others.
std::vector<snapshot::PodGroupId> find_others(const snapshot::Cluster& cluster,
                                              std::span<const snapshot::PodGroupId> pod_groups,
                                              std::span<const TemplateNode> shapes,
                                              const std::vector<bool>& absent);

/// Counts the pods that are not absent and bound to a node `times` (below zero: takes them away
/// again) where `place` is.
void count_bound(TopologyCounts& topology_counts, const snapshot::Cluster& cluster,
                 const InterPodIndex& inter_pod, snapshot::NodeIndex node,
                 const TopologyCounts::Place& place, int times);
/// The same of the daemons of a new node.
void count_daemons(TopologyCounts& topology_counts, const InterPodIndex& inter_pod,
                   const TemplateNode& shape, const TopologyCounts::Place& place, int times);

/// The cluster as it is, a slot for each node.
TopologyCounts count_standing(const snapshot::Cluster& cluster, const InterPodIndex& inter_pod,
                              const NodeProfiles& profiles);

// What a Placement is made of.

inline constexpr TemplateNodeId no_shape = ~TemplateNodeId{0};
inline constexpr std::uint32_t no_record = ~std::uint32_t{0};

struct SlotFacts {
    int nodes = 1;
    ProfileId profile = 0;
    TemplateNodeId shape = no_shape;  ///< no_shape: a node of the cluster
    bool closed = false;
    std::uint32_t last_placed = no_record;  ///< the youngest record of pods placed here
};

/// One change, with what is needed to take it back. Records of pods on a slot are chained, so that
/// what is on it is found without a search.
struct Record {
    enum class Kind : std::uint8_t { placed, added, split, closed, spread_quotas };
    Kind kind = Kind::placed;
    Slot slot = 0;
    std::uint32_t other = 0;  ///< placed: the record before it on the slot; split: where from
    PodGroupIndex pod_group = 0;
    int count = 0;  ///< placed: per node; split: nodes
};

struct Placement::State {
    explicit State(const CompiledPredicates::PredicateData& the_rules);

    Slot add(TemplateNodeId shape, int nodes);
    Slot split(Slot from, int nodes);
    void close(Slot slot);
    void place(PodGroupIndex pod_group, Slot slot, int per_node);
    void allow(PodGroupIndex pod_group, std::uint32_t domain, int pods);
    void disallow(PodGroupIndex pod_group);
    void undo(std::size_t mark);

    Room room(PodGroupIndex pod_group, Slot slot, int wanted) const;
    Refusal why_not(PodGroupIndex pod_group, Slot slot, Wording wording) const;
    /// Of the pod group's static demand on nodes like those of the slot.
    Predicate verdict(PodGroupIndex pod_group, Slot slot) const {
        return rules->demands.verdict(rules->demand_of[pod_group], slots[slot].profile);
    }

    const CompiledPredicates::PredicateData* rules;
    std::vector<SlotFacts> slots;
    CapacityTree capacity;
    TopologyCounts topology_counts;  ///< has slots only where some counter counts
    SpreadQuotas spread_quotas;
    std::vector<Record> log;

    TopologyCounts::Place place_of(Slot slot) const noexcept {
        return {.slot = slot,
                .profile = slots[slot].profile,
                .nodes = slots[slot].nodes,
                .open = is_open(slot)};
    }
    /// Nodes to come are opened by the first pod that is put on them.
    bool is_open(Slot slot) const noexcept {
        return slots[slot].shape == no_shape || slots[slot].last_placed != no_record;
    }
    std::optional<int> attach_limit(Slot slot, std::uint32_t driver) const noexcept;
    /// Place of the profile's nodes among the domains that the pod group is spread over; nothing:
    /// in none. Only for pod groups with one wide constraint.
    std::optional<std::uint32_t> spread_domain(PodGroupIndex pod_group,
                                               ProfileId profile) const noexcept;

private:
    bool counts() const noexcept { return rules->pods.counters.size() != 0; }
    void put(PodGroupIndex pod_group, Slot slot, int per_node);
    /// Takes what is on a slot's nodes off all counters, or puts it back.
    void count_all_on(Slot slot, int times);
    void take_back(const Record& record);
    void drop_last_slot();
};

}  // namespace capstan::engine::scheduling
