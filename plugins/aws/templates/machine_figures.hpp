/// What a node on a machine of one type has, by all that is known of its group but the tags.
#pragma once

#include <capstan/resources.hpp>

#include "group_template.hpp"
#include "image_traits.hpp"
#include "user_data.hpp"

namespace capstan::aws {

/// What a group's machines have in common.
struct MachineMake {
    ImageTraits image{};
    UserDataFacts user_data{};
    bool made_for_eks =
        false;             ///< its pods have addresses of the VPC, its kube-proxy is a DaemonSet
    bool managed = false;  ///< by EKS, with an image of EKS
};
MachineMake find_make(const TemplateSources& sources);

struct MachineFigures {
    Resources capacity{}, allocatable{};
};
MachineFigures figures_of(const InstanceType& type, const MachineMake& make,
                          const TemplateSources& sources, const TemplateConfig& config);

/// The least of both, of each resource; what one of them lacks is absent.
MachineFigures least_of(const MachineFigures& a, const MachineFigures& b);

/// The least machine that requirements allow, as if it were a type without a name.
InstanceType least_machine(const InstanceRequirements& requirements);

}  // namespace capstan::aws
