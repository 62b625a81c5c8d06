/// Which labels nodes of one machine get: as many pods' requirements at once as go together.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "node_requirements.hpp"

namespace capstan::provisioning {

/// Pods with their requirements; the pods fit on the unlabelled node once it has the labels.
struct PodRequirements {
    const PodEquivalenceGroup* pods = nullptr;  ///< never NULL
    NodeRequirements wish{};
};

/// Labels and taints for one group, and the pods that it is for.
struct LabelSet {
    NodeRequirements wish{};
    std::uint32_t pods = 0;     ///< that would run there
    std::uint32_t leading = 0;  ///< of those, that ask for what is asked for most
    Labels led_by{};            ///< which is this
};

/// Of one machine in one zone. A pass has to end, however many pods ask for a node of their own;
/// requirements that are left out are more popular once the others have their groups.
inline constexpr std::size_t most_sets = 32;

/// The most popular requirements lead; each other set joins, by popularity, that contradicts
/// nothing that is there and keeps off no pod that joined before. What is left over begins anew.
/// Wishes for different taints never meet, since a pod would need to tolerate all of them.
///     3 x {x: a}, 2 x {y: b}, 1 x {x: c}  ->  {x: a, y: b}, {x: c}
/// Equally popular ones go by their labels. With `alpha` each is a set of its own. At most
/// `most_sets`, those that the most popular requirements lead.
std::vector<LabelSet> make_label_sets(const UnlabelledNode& node,
                                      std::span<const PodRequirements> wishing,
                                      const Config& config);

}  // namespace capstan::provisioning
