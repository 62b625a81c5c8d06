/// GPUs, Neuron devices and EFA interfaces as nodes offer them, once their device plugins run.
#pragma once

#include <string>

#include <capstan/resources.hpp>

#include "../api/instance_type.hpp"

namespace capstan::aws {

/// `efa_interfaces`: of the launch template; a node has no more of them than its type takes. What
/// there is none of is absent.
Resources accelerator_resources(const InstanceType& type, int efa_interfaces);

/// For the label `k8s.amazonaws.com/accelerator`, by upstream's names where it has one:
/// "nvidia-tesla-t4", "nvidia-h100". Empty: the type has no GPU, or several kinds.
std::string gpu_label_of(const InstanceType& type);

}  // namespace capstan::aws
