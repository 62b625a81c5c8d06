/// The sets of labels that groups of one machine type in one zone could have.
///
/// A label set serves many pods when their requirements go together, so sets are packed greedily:
/// the most popular requirements start a set, and every other requirement joins the set unless it
/// contradicts a label of the set or keeps a pod of the set off. What is left starts the next set.
/// The proposal for node auto-provisioning has this computation.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "node_requirements.hpp"

namespace capstan::provisioning {

/// Pods and what they require; they fit on the unlabelled node once it has these labels and taints.
struct PodRequirements {
    const PodEquivalenceGroup* pods = nullptr;  ///< never NULL
    NodeRequirements requirements{};
};

/// Labels and taints for one node group, and the number of pods that it is for.
struct LabelSet {
    NodeRequirements requirements{};
    std::uint32_t pods = 0;               ///< pods that would run there
    std::uint32_t most_popular_pods = 0;  ///< those of `pods` with the set's most popular labels
    Labels most_popular_labels{};         ///< the labels that started the set
};

/// The most sets for one machine type in one zone: a pass has to end, however many pods ask for
/// nodes of their own. Requirements that are left out are the most popular ones of a later pass.
inline constexpr std::size_t max_sets = 32;

/// Packs the requirements of pods into at most `max_sets` sets, the most popular ones. The answer
/// is ordered by taints, and for equal taints the most popular set comes first.
///     3 x {x: a}, 2 x {y: b}, 1 x {x: c}  ->  {x: a, y: b}, {x: c}
/// Equally popular requirements are ordered by their labels. Requirements with different taints
/// never share a set, since a pod would have to tolerate all of them. With `alpha` every
/// requirement is a set of its own.
std::vector<LabelSet> make_label_sets(const UnlabelledNode& node,
                                      std::span<const PodRequirements> fitting_pods,
                                      const Config& config);

}  // namespace capstan::provisioning
