/// NodeResourcesFit: the node has enough free of everything that the pod requests.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace capstan::engine::scheduling {

/// One resource of a node, and what a pod wants of it, in the units of Resources. Every pod wants
/// one of the resource "pods".
struct ResourceFacts {
    std::string_view name{};
    std::int64_t wanted = 0;
    std::int64_t allocatable = 0;  ///< zero where the node lacks it
    std::int64_t requested = 0;    ///< by the pods on the node
    std::int64_t daemons = 0;  ///< of `requested`, by DaemonSet pods and static pods; 0: unknown
};

/// Whether enough is free. A resource of which the pod wants nothing always suffices, so a node
/// that is overcommitted in one resource still takes pods that want none of it. [any thread]
constexpr bool is_sufficient(const ResourceFacts& facts) noexcept {
    return facts.wanted <= 0 || facts.wanted <= facts.allocatable - facts.requested;
}

/// The refusal for a resource that falls short, without numbers: "Insufficient cpu", "Too many
/// pods". [any thread]
std::string brief_text(const ResourceFacts& facts);

/// Absent: the node passes. Else names every resource that falls short, in the order given:
///     Insufficient cpu: needs 2, 500m of 4 are free; Too many pods: 110 of 110 are used
///     Insufficient cpu: needs 4, 3800m of 4 are free (200m for DaemonSets)
/// [any thread]
std::optional<std::string> check_node_resources_fit(std::span<const ResourceFacts> resources);

}  // namespace capstan::engine::scheduling
