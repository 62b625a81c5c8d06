/// Why a pod does not run on a node.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace capstan::engine::scheduling {

/// The predicates by the names of kube-scheduler's plugins, in the order in which they are asked:
/// the first that fails is the one that is told.
enum class Predicate : std::uint8_t {
    none,  ///< the pod fits
    node_unschedulable,
    node_name,
    taint_toleration,
    node_affinity,
    node_ports,
    node_resources_fit,
    volume_restrictions,
    node_volume_limits,
    volume_binding,
    volume_zone,
    pod_topology_spread,
    inter_pod_affinity,
    dynamic_resources,
};

/// "NodeResourcesFit"; "none" for none.
std::string_view name_of(Predicate predicate) noexcept;

/// The scheduler's own words, then numbers:
///     Insufficient cpu: needs 2, 500m of 4 are free
struct Refusal {
    Predicate predicate = Predicate::none;
    std::string sentence{};  ///< empty: the pod fits
    /// The key of the taint or of the label, the resource of which there is too little; empty with
    /// other predicates.
    std::string subject{};
    /// How much of a resource is missing, in thousandths of what the pod asks for, of several the
    /// most.
    int shortfall = 0;
    bool operator==(const Refusal&) const = default;
};

/// How much is said of resources that fall short: all of them with the numbers, or the first alone
/// without, "Insufficient cpu", which takes a tenth of the time.
enum class Wording : std::uint8_t { full, brief };

}  // namespace capstan::engine::scheduling
