/// Pods, reduced to what decisions need.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include <capstan/labels.hpp>
#include <capstan/resources.hpp>
#include <capstan/taints.hpp>

CAPSTAN_NAMESPACE_BEGIN

/// Pods that are equal for the scheduler, with their number.
struct PodEquivalenceGroup {
    std::string ns{};                        ///< namespace
    std::string example{};                   ///< the name of one of them; the first by name
    std::string owner_kind{}, owner_name{};  ///< "ReplicaSet", "web-5d9c"; empty: no controller
    std::string scheduler = "default-scheduler";
    Resources
        requests{};  ///< effective requests of one pod: with init containers, sidecars and overhead
    Labels labels{}, annotations{};
    Labels node_selector{};
    std::vector<NodeSelectorTerm> affinity_required{};  ///< one must match; empty: none required
    std::vector<NodeSelectorTerm> affinity_preferred{};
    std::vector<Toleration> tolerations{};
    std::int32_t priority = 0;
    std::uint32_t count = 1;

    bool operator==(const PodEquivalenceGroup&) const = default;
};

/// Whether node selector and required node affinity allow these pods on a node.
inline bool selects(const PodEquivalenceGroup& pods, const Labels& node_labels,
                    std::string_view node_name) noexcept {
    return has_all(node_labels, pods.node_selector) &&
           (pods.affinity_required.empty() ||
            matches_any(pods.affinity_required, node_labels, node_name));
}

CAPSTAN_NAMESPACE_END
