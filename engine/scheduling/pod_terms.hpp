/// The inter-pod constraints of each pod group, as rules over counters: affinity, anti-affinity,
/// spread, ports, volumes.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include <capstan/labels.hpp>

#include "engine/scheduling/compiled_predicates.hpp"
#include "engine/scheduling/node_demands.hpp"
#include "engine/scheduling/predicates/refusal.hpp"
#include "engine/scheduling/topology_counts.hpp"
#include "engine/snapshot/cluster.hpp"
#include "engine/snapshot/hash_index.hpp"

namespace capstan::engine::scheduling {

/// The counter must be zero in the node's domain: anti-affinity, host ports, exclusive claims.
struct ForbiddenRule {
    CounterId counter = 0;
    bool counts_itself = false;  ///< a pod of the pod group adds to the counter
    bool others_term = false;    ///< the anti-affinity is that of the pods that are counted
};

/// Each counter must be above zero in the node's domain. If all counters are zero everywhere and
/// the affinity selects the pod itself, the first pod may go to any node with all topology keys.
struct AffinityRule {
    std::vector<CounterId> counters{};  ///< one per topology key; none: no affinity
    bool counts_itself = false;         ///< the affinity selects pods of its own pod group
};

/// A topology spread constraint with DoNotSchedule.
struct SpreadRule {
    CounterId counter = 0;
    int max_skew = 1;
    int min_domains = 1;
    bool counts_itself = false;  ///< the constraint counts pods of its own pod group
    bool is_default = false;     ///< a default constraint of the scheduler, not the pod's own
};

/// Volumes of one CSI driver to attach.
struct AttachRule {
    std::uint32_t driver = 0;          ///< index into InterPodIndex::drivers
    std::vector<CounterId> volumes{};  ///< the counter of each volume
};

/// All rules of a pod group.
struct PodRules {
    std::vector<ForbiddenRule> ports{}, claims{}, anti_affinity{};
    AffinityRule affinity{};
    std::vector<SpreadRule> spread{};
    std::vector<AttachRule> attach{};
    /// Index of the only rule in `spread` with domains wider than a node; absent: there is none,
    /// or more than one.
    std::optional<std::uint32_t> wide{};
    std::vector<std::int32_t> wide_domains{};  ///< all domains of its topology, ascending

    bool empty() const noexcept {
        return ports.empty() && claims.empty() && anti_affinity.empty() &&
               affinity.counters.empty() && spread.empty() && attach.empty();
    }
};

// Sets of pods that terms of affinity and spread select.

/// Pods in some namespaces with certain labels.
struct PodSelector {
    bool none = false;                               ///< selects no pod, whatever the rest is
    std::vector<std::string> namespaces{};           ///< ascending
    std::optional<LabelSelector> namespaces_like{};  ///< namespaces that it matches, as well
    LabelSelector labels{};
    bool operator==(const PodSelector&) const = default;
};

/// The pods that an affinity term of the `owner` is about. The labels of matchLabelKeys and
/// mismatchLabelKeys become requirements, which changes nothing where the API server has merged
/// them already.
PodSelector make_selector(const snapshot::Cluster& cluster, const snapshot::PodGroupRow& owner,
                          const snapshot::PodTerm& term);
/// The pods of the owner's namespace that a spread constraint of the `owner` counts. With an empty
/// selector kube-scheduler counts no pod, and neither does the result.
PodSelector make_selector(const snapshot::Cluster& cluster, const snapshot::PodGroupRow& owner,
                          const snapshot::SpreadConstraint& constraint);

/// "pods with app=web in namespace a"
std::string describe(const PodSelector& selector);

/// A set of pods: those that match every selector of a list.
using PodSetId = std::uint32_t;

/// All distinct sets. [engine thread]
class PodSets {
public:
    /// Equal lists get equal ids.
    PodSetId add(std::vector<PodSelector> all_of);
    bool empty() const noexcept { return sets_.empty(); }
    std::size_t size() const noexcept { return sets_.size(); }
    /// The sets that contain the pods of the equivalence group, ascending.
    std::vector<PodSetId> holding(const snapshot::Cluster& cluster,
                                  PodGroupId equivalence_group) const;
    std::string describe(PodSetId id) const;

private:
    std::vector<std::vector<PodSelector>> sets_;
    snapshot::HashIndex index_;
    // Sets with a label that all their pods have, by hash of its key and value.
    std::unordered_map<std::uint64_t, std::vector<PodSetId>> by_label_;
    std::vector<PodSetId> others_;  // all other sets
};

// The terms of affinity and spread that matter to the pod groups: their own, and the anti-affinity
// of bound pods and daemons.

/// An anti-affinity: no pod of the set may be in the same domain of the topology key.
struct AntiAffinityTerm {
    PodSetId set = 0;
    std::string key{};
    auto operator<=>(const AntiAffinityTerm&) const = default;
};
using TermId = std::uint32_t;

/// The terms of one equivalence group.
struct PodGroupTerms {
    PodSetId affinity = 0;  ///< pods that match all its affinity terms; only if it has such terms
    std::vector<TermId> anti_affinity{};  ///< its anti-affinity terms, each once
    std::vector<PodSetId> spread{};       ///< the pods that each of its spread constraints counts
    std::vector<PodSetId> in{};           ///< the sets that contain its pods; only for pod groups
};

/// The terms of all equivalence groups that matter. [engine thread]
struct PodTerms {
    PodTerms() = default;
    PodTerms(const snapshot::Cluster& cluster, std::span<const PodGroupId> pod_groups,
             std::span<const PodGroupId> others);

    PodSets sets;
    std::vector<AntiAffinityTerm> anti_affinity;  ///< by TermId
    /// By set, the anti-affinity terms that keep the pods of the set away. Only for sets with a pod
    /// group in them.
    std::vector<std::vector<TermId>> anti_affinity_against;

    /// NULL: the equivalence group has no terms and is in no set.
    const PodGroupTerms* find(PodGroupId equivalence_group) const noexcept;
    /// Adds to `reading` the topology keys that the terms read of nodes.
    void read_by(const snapshot::Cluster& cluster, std::span<const PodGroupId> pod_groups,
                 NodeReading& reading) const;

private:
    static constexpr std::uint32_t no_terms = ~std::uint32_t{0};
    /// The entry of the equivalence group, made if there is none.
    PodGroupTerms& of(PodGroupId equivalence_group);
    PodGroupTerms read(const snapshot::Cluster& cluster, PodGroupId equivalence_group,
                       bool is_pod_group);
    TermId add(AntiAffinityTerm term);
    std::vector<PodGroupTerms> terms_;
    std::vector<std::uint32_t> terms_of_;  // by PodGroupId: index into terms_, or no_terms
    std::map<AntiAffinityTerm, TermId> index_;
};

}  // namespace capstan::engine::scheduling
