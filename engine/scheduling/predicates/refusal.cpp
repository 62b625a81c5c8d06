#include "engine/scheduling/predicates/refusal.hpp"

namespace capstan::engine::scheduling {

std::string_view name_of(Predicate predicate) noexcept {
    switch (predicate) {
        case Predicate::none: return "none";
        case Predicate::node_unschedulable: return "NodeUnschedulable";
        case Predicate::node_name: return "NodeName";
        case Predicate::taint_toleration: return "TaintToleration";
        case Predicate::node_affinity: return "NodeAffinity";
        case Predicate::node_ports: return "NodePorts";
        case Predicate::node_resources_fit: return "NodeResourcesFit";
        case Predicate::volume_restrictions: return "VolumeRestrictions";
        case Predicate::node_volume_limits: return "NodeVolumeLimits";
        case Predicate::volume_binding: return "VolumeBinding";
        case Predicate::volume_zone: return "VolumeZone";
        case Predicate::pod_topology_spread: return "PodTopologySpread";
        case Predicate::inter_pod_affinity: return "InterPodAffinity";
        case Predicate::dynamic_resources: return "DynamicResources";
    }
    return "unknown";
}

}  // namespace capstan::engine::scheduling
