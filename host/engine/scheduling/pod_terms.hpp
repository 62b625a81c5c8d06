/// The terms of affinity and spread that matter to the subjects: their own, and the anti-affinity
/// of pods that are there or come with a node.
#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "engine/scheduling/node_profiles.hpp"
#include "engine/scheduling/node_shape.hpp"
#include "engine/scheduling/pod_sets.hpp"
#include "engine/snapshot/cluster.hpp"

namespace capstan::engine {

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
    /// Of subjects: the sets that they are in.
    std::vector<PodSetId> in{};
};

/// [engine thread]
struct PodTerms {
    PodTerms() = default;
    PodTerms(const Cluster& cluster, std::span<const ClassId> subjects,
             std::span<const ClassId> others);

    PodSets sets;
    std::vector<ApartTerm> apart;  ///< by TermId
    /// Terms that keep some subject off, by the set that is kept off.
    std::vector<std::vector<TermId>> apart_from_set;

    const ClassTerms* find(ClassId equivalence_group) const noexcept;
    void read_by(const Cluster& cluster, std::span<const ClassId> subjects,
                 NodeReading& reading) const;

private:
    static constexpr std::uint32_t no_terms = ~std::uint32_t{0};
    /// Makes an entry for a class that has none.
    ClassTerms& of(ClassId equivalence_group);
    ClassTerms read(const Cluster& cluster, ClassId equivalence_group, bool is_subject);
    TermId add(ApartTerm term);
    std::vector<ClassTerms> terms_;        // of classes that have some, or are in a set
    std::vector<std::uint32_t> terms_of_;  // by class
    std::map<ApartTerm, TermId> index_;
};

}  // namespace capstan::engine
