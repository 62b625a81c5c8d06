/// Sets of pods as the terms of affinity and spread describe them, and which of them a class is in.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include <capstan/labels.hpp>

#include "engine/snapshot/cluster.hpp"
#include "engine/snapshot/hash_index.hpp"

namespace capstan::engine {

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
PodSelector make_selector(const Cluster& cluster, const ClassRow& owner, const PodTerm& term);
/// The pods of the owner's namespace that the constraint counts. kube-scheduler counts none for a
/// selector that is empty.
PodSelector make_selector(const Cluster& cluster, const ClassRow& owner,
                          const SpreadConstraint& constraint);

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
    std::vector<PodSetId> holding(const Cluster& cluster, ClassId equivalence_group) const;
    std::string describe(PodSetId id) const;

private:
    std::vector<std::vector<PodSelector>> sets_;
    HashIndex index_;
    // Sets that only pods with a certain label can be in, by hash of key and value; and the others.
    std::unordered_map<std::uint64_t, std::vector<PodSetId>> by_label_;
    std::vector<PodSetId> others_;
};

}  // namespace capstan::engine
