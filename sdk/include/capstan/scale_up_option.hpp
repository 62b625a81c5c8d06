/// An option of a scale-up.
#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include <capstan/node_group.hpp>
#include <capstan/node_template.hpp>
#include <capstan/pod.hpp>

CAPSTAN_NAMESPACE_BEGIN

/// A number of pods of one equivalence group: `equivalence_group` is an index into the request's
/// pods. The ABI fixes the layout, so lists of these are passed without copies.
using PodShare = capstan_pod_share;
/// Immutable, because hundreds of options that help the same pods share one list.
using PodShares = std::shared_ptr<const std::vector<PodShare>>;

/// `nodes` more nodes in `group` make room for `pods`. Copies share the template and the list of
/// pods.
struct ScaleUpOption {
    NodeGroup group{};
    std::shared_ptr<const NodeTemplate> node{};  ///< template of the new nodes; NULL: unknown
    int nodes = 1;                               ///< at least 1
    PodShares pods{};                            ///< NULL: none
    Resources requested{};                       ///< sum of the requests of those pods
    std::uint32_t pod_count = 0;                 ///< number of those pods
    std::vector<NodeGroupId> similar{};          ///< groups that may share the increase
    std::optional<double> price_per_hour{};      ///< of one node, in the currency of all options
    bool group_exists = true;  ///< false: auto-provisioning would create the group first
};

/// `pods` as a list to share.
inline PodShares share(std::vector<PodShare> pods) {
    return std::make_shared<const std::vector<PodShare>>(std::move(pods));
}

namespace detail {

inline bool same_pods(const PodShares& a, const PodShares& b) noexcept {
    if (a == b) return true;
    const auto equal = [](const PodShare& x, const PodShare& y) {
        return x.equivalence_group == y.equivalence_group && x.count == y.count;
    };
    if (a == nullptr || b == nullptr)
        return (a == nullptr || a->empty()) && (b == nullptr || b->empty());
    return std::equal(a->begin(), a->end(), b->begin(), b->end(), equal);
}

}  // namespace detail

/// Whether they help the same number of pods of each equivalence group.
inline bool help_same_pods(const ScaleUpOption& a, const ScaleUpOption& b) noexcept {
    return detail::same_pods(a.pods, b.pods);
}

/// Compares the content of shared parts, not their addresses; a missing list of pods equals an
/// empty one.
inline bool operator==(const ScaleUpOption& a, const ScaleUpOption& b) noexcept {
    const bool same_node = a.node == b.node || (a.node && b.node && *a.node == *b.node);
    return same_node && detail::same_pods(a.pods, b.pods) && a.group == b.group &&
           a.nodes == b.nodes && a.requested == b.requested && a.pod_count == b.pod_count &&
           a.similar == b.similar && a.price_per_hour == b.price_per_hour &&
           a.group_exists == b.group_exists;
}

CAPSTAN_NAMESPACE_END
