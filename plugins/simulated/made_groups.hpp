/// Groups that auto-provisioning makes of the machine types in the settings.
#pragma once

#include <capstan/machine_type.hpp>
#include <capstan/result.hpp>

#include "config.hpp"

namespace capstan::simulated {

/// The machine types and offerings of the settings.
MachineTypes machine_types_of(const Config& config);

/// The group for a plan. `unsupported`: the offering does not exist, or its machines have another
/// value for a label of the plan.
Result<GroupConfig> make_group(const Config& config, const GroupPlan& plan);

}  // namespace capstan::simulated
