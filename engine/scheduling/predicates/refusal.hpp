/// Why a pod does not run on a node.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace capstan::engine::scheduling {

/// The predicates by the names of kube-scheduler's plugins, in the order in which they are
/// evaluated. A refusal is that of the first predicate that fails.
enum class Predicate : std::uint8_t {
    none,  ///< all predicates pass
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

/// "NodeResourcesFit"; "none" for Predicate::none.
std::string_view name_of(Predicate predicate) noexcept;

/// Whether pods on other nodes are the reason.
constexpr bool is_of_pods(Predicate predicate) noexcept {
    return predicate == Predicate::pod_topology_spread ||
           predicate == Predicate::inter_pod_affinity;
}

/// Why a pod does not fit. The sentence has the scheduler's own words, then numbers:
///     Insufficient cpu: needs 2, 500m of 4 are free
struct Refusal {
    Predicate predicate = Predicate::none;
    std::string sentence{};  ///< empty: the pod fits
    /// What the refusal is about: the key of a taint (taint_toleration) or of a label
    /// (node_affinity), or a resource (node_resources_fit). Empty with other predicates.
    std::string subject{};
    /// How much of a resource is missing, in thousandths of what the pod requests. If several
    /// resources fall short, the largest of their shortfalls.
    int shortfall = 0;
    bool operator==(const Refusal&) const = default;
};

/// How a refusal names resources that fall short. `full` names all of them with numbers. `brief`
/// names only the first, without numbers ("Insufficient cpu"), and takes a tenth of the time.
enum class Wording : std::uint8_t { full, brief };

}  // namespace capstan::engine::scheduling
