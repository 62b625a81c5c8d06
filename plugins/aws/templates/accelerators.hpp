/// GPUs, Neuron devices and EFA interfaces as nodes offer them once their device plugins run.
#pragma once

#include <capstan/resources.hpp>

#include "../api/instance_type.hpp"

namespace capstan::aws {

/// `efa_interfaces`: their number in the launch template; the instance type limits it. Resources of
/// which the node has none are absent.
Resources accelerator_resources(const InstanceType& type, int efa_interfaces);

}  // namespace capstan::aws
