/// What each pod group asks of the pods around it, in counters: affinity, spread, ports, volumes.
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

/// No pod of the counter may be in the domain.
struct Forbidden {
    CounterId counter = 0;
    bool counts_itself = false;  ///< a pod of the class adds to it
    bool others_term = false;    ///< it is the other pods that will not have this one
};

/// In every counter's domain there must be a pod; where there is none anywhere, the first may go
/// wherever it will, if it is one of those looked for.
struct Together {
    std::vector<CounterId> counters{};  ///< one per topology key; none: no affinity
    bool counts_itself = false;
};

struct SpreadRule {
    CounterId counter = 0;
    int max_skew = 1;
    int min_domains = 1;
    bool counts_itself = false;
    bool is_default = false;  ///< the scheduler's, not the pod's own
};

struct AttachRule {
    std::uint32_t driver = 0;
    std::vector<CounterId> volumes{};
};

struct PodRules {
    std::vector<Forbidden> ports{}, claims{}, apart{};
    Together together{};
    std::vector<SpreadRule> spread{};
    std::vector<AttachRule> attach{};
    /// The one rule of spread whose domains are wider than a node; nothing: none, or several.
    std::optional<std::uint32_t> wide{};
    std::vector<std::int32_t> wide_domains{};  ///< that some node or shape could be in, ascending

    bool empty() const noexcept {
        return ports.empty() && claims.empty() && apart.empty() && together.counters.empty() &&
               spread.empty() && attach.empty();
    }
};

// Sets of pods as the terms of affinity and spread describe them, and which of them a class is in.

/// Pods in some namespaces with certain labels.
struct PodSelector {
    bool none = false;                               ///< selects no pod, whatever else is said
    std::vector<std::string> namespaces{};           ///< ascending
    std::optional<LabelSelector> namespaces_like{};  ///< these namespaces as well
    LabelSelector labels{};
    bool operator==(const PodSelector&) const = default;
};

/// What the term is about for pods of the class; what matchLabelKeys and mismatchLabelKeys say is
/// put in, which changes nothing where the API server has done so.
PodSelector make_selector(const snapshot::Cluster& cluster, const snapshot::PodGroupRow& owner,
                          const snapshot::PodTerm& term);
/// The pods of the owner's namespace that the constraint counts. kube-scheduler counts none for a
/// selector that is empty.
PodSelector make_selector(const snapshot::Cluster& cluster, const snapshot::PodGroupRow& owner,
                          const snapshot::SpreadConstraint& constraint);

/// "app=web in namespace a"
std::string describe(const PodSelector& selector);

/// The pods that all selectors of a list hold for.
using PodSetId = std::uint32_t;

/// [engine thread]
class PodSets {
public:
    /// Equal lists get equal numbers.
    PodSetId add(std::vector<PodSelector> all_of);
    bool empty() const noexcept { return sets_.empty(); }
    std::size_t size() const noexcept { return sets_.size(); }
    /// The sets that pods of the class are in, ascending.
    std::vector<PodSetId> holding(const snapshot::Cluster& cluster,
                                  snapshot::PodGroupId equivalence_group) const;
    std::string describe(PodSetId id) const;

private:
    std::vector<std::vector<PodSelector>> sets_;
    snapshot::HashIndex index_;
    // Sets that only pods with a certain label can be in, by hash of key and value; and the others.
    std::unordered_map<std::uint64_t, std::vector<PodSetId>> by_label_;
    std::vector<PodSetId> others_;
};

// The terms of affinity and spread that matter to the pod groups: their own, and the anti-affinity
// of pods that are there or come with a node.

/// Not together with pods of the set, in one domain of the key.
struct ApartTerm {
    PodSetId set = 0;
    std::string key{};
    auto operator<=>(const ApartTerm&) const = default;
};
using TermId = std::uint32_t;

/// Of one class.
struct ClassTerms {
    PodSetId together = 0;  ///< pods that hold for all terms of the own affinity, if there are any
    std::vector<TermId> apart{};     ///< own anti-affinity, each once
    std::vector<PodSetId> spread{};  ///< by constraint
    /// Of pod groups: the sets that they are in.
    std::vector<PodSetId> in{};
};

/// [engine thread]
struct PodTerms {
    PodTerms() = default;
    PodTerms(const snapshot::Cluster& cluster, std::span<const snapshot::PodGroupId> pod_groups,
             std::span<const snapshot::PodGroupId> others);

    PodSets sets;
    std::vector<ApartTerm> apart;  ///< by TermId
    /// Terms that keep some pod group off, by the set that is kept off.
    std::vector<std::vector<TermId>> apart_from_set;

    const ClassTerms* find(snapshot::PodGroupId equivalence_group) const noexcept;
    void read_by(const snapshot::Cluster& cluster, std::span<const snapshot::PodGroupId> pod_groups,
                 NodeReading& reading) const;

private:
    static constexpr std::uint32_t no_terms = ~std::uint32_t{0};
    /// Makes an entry for a class that has none.
    ClassTerms& of(snapshot::PodGroupId equivalence_group);
    ClassTerms read(const snapshot::Cluster& cluster, snapshot::PodGroupId equivalence_group,
                    bool is_asked);
    TermId add(ApartTerm term);
    std::vector<ClassTerms> terms_;        // of classes that have some, or are in a set
    std::vector<std::uint32_t> terms_of_;  // by class
    std::map<ApartTerm, TermId> index_;
};

}  // namespace capstan::engine::scheduling
