/// GPUs, Neuron devices and EFA interfaces as nodes offer them, once their device plugins run.
#pragma once

#include <capstan/resources.hpp>

#include "../api/instance_type.hpp"

namespace capstan::aws {

/// `efa_interfaces`: of the launch template; a node has no more of them than its type takes. What
/// there is none of is absent.
Resources accelerator_resources(const InstanceType& type, int efa_interfaces);

}  // namespace capstan::aws
