/// The parts of a pod's spec that decide where the pod may run.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include <capstan/labels.hpp>
#include <capstan/resources.hpp>
#include <capstan/taints.hpp>
#include <capstan/time.hpp>

namespace capstan::engine::snapshot {

/// A host port that a pod uses.
struct HostPort {
    std::string ip{};  ///< empty or "0.0.0.0": every address
    std::string protocol = "TCP";
    int port = 0;
    bool operator==(const HostPort&) const = default;
};

/// A required term of inter-pod affinity or anti-affinity.
struct PodTerm {
    std::optional<LabelSelector> selector{};  ///< absent: selects no pod
    std::vector<std::string> namespaces{};
    /// Without this and without `namespaces` the term is about the pod's own namespace. The empty
    /// selector means every namespace.
    std::optional<LabelSelector> namespace_selector{};
    std::string topology_key{};
    std::vector<std::string> match_label_keys{}, mismatch_label_keys{};
    bool operator==(const PodTerm&) const = default;
};

/// A topology spread constraint with DoNotSchedule. Constraints with ScheduleAnyway keep no pod off
/// a node and are not stored.
struct SpreadConstraint {
    int max_skew = 1;
    std::string topology_key{};
    std::optional<LabelSelector> selector{};  ///< absent: selects no pod
    std::optional<int> min_domains{};
    bool honor_affinity = true;  ///< nodeAffinityPolicy
    bool honor_taints = false;   ///< nodeTaintsPolicy
    std::vector<std::string> match_label_keys{};
    bool operator==(const SpreadConstraint&) const = default;
};

/// A volume of an in-tree plugin, as the CSI driver that has replaced the plugin names it.
struct InTreeVolume {
    std::string driver{}, handle{};
    bool operator==(const InTreeVolume&) const = default;
};

/// Pods with equal specs share one PodSpec.
struct PodSpec {
    /// The effective requests of one pod, with init containers, sidecars and overhead. Without
    /// "pods".
    Resources requests{};
    Labels node_selector{};
    std::vector<NodeSelectorTerm> affinity_required{};  ///< one must hold; empty: none required
    std::vector<NodeSelectorTerm> affinity_preferred{};
    std::vector<Toleration> tolerations{};
    std::vector<PodTerm> pod_affinity{}, pod_anti_affinity{};  ///< required ones
    std::vector<SpreadConstraint> spread{};
    /// The pod has further topology spread constraints, which are not stored: with ScheduleAnyway,
    /// or timed out (spread_timeout.hpp). The scheduler applies its default constraints only to
    /// pods without any.
    bool has_soft_spread = false;
    std::vector<HostPort> ports{};
    std::optional<std::int32_t>
        priority{};  ///< absent: no API server has set it; such a pod is never expendable
    std::string priority_class{};
    bool never_preempts = false;  ///< preemptionPolicy Never
    std::string scheduler = "default-scheduler";
    bool uses_resource_claims = false;  ///< dynamic resource allocation
    bool uses_local_storage = false;    ///< emptyDir or hostPath
    /// Volumes that are lost with the node, by name, ascending: hostPath, and emptyDir that is not
    /// in memory.
    std::vector<std::string> local_volumes{};
    std::vector<InTreeVolume> in_tree_volumes{};  ///< without a claim
    std::optional<Duration> termination_grace{};  ///< absent: the API's default, 30s
    bool operator==(const PodSpec&) const = default;
};

/// Equal specs have equal hashes. A hash is the same on every machine.
std::uint64_t hash_of(const PodSpec& spec) noexcept;

}  // namespace capstan::engine::snapshot
