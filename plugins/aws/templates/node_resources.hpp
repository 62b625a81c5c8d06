/// Capacity and allocatable of a node of one instance type, without the tags of its group.
#pragma once

#include <capstan/resources.hpp>

#include "group_template.hpp"
#include "image_traits.hpp"
#include "user_data.hpp"

namespace capstan::aws {

/// What all machines of a group have in common, whatever their instance type.
struct MachineTraits {
    ImageTraits image{};
    UserDataFacts user_data{};
    /// Set up for EKS: pods have addresses of the VPC, and kube-proxy is a DaemonSet.
    bool made_for_eks = false;
    bool managed = false;  ///< in a managed node group with an image of EKS, not a custom one
};
MachineTraits find_machine_traits(const TemplateSources& sources);

struct NodeResources {
    Resources capacity{}, allocatable{};
};
NodeResources node_resources_of(const InstanceType& type, const MachineTraits& traits,
                                const TemplateSources& sources, const TemplateConfig& config);

/// The minimum of each resource. A resource that `a` or `b` lacks is absent.
NodeResources least_of(const NodeResources& a, const NodeResources& b);

/// An instance type without a name that has the minimum that the requirements allow.
InstanceType least_machine(const InstanceRequirements& requirements);

}  // namespace capstan::aws
