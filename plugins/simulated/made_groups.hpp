/// Groups that the cloud makes when it is asked to, of the machine types in its settings.
#pragma once

#include <capstan/machine_type.hpp>
#include <capstan/result.hpp>

#include "config.hpp"

namespace capstan::simulated {

/// What the cloud makes groups of, as it offers it.
MachineTypes offers_of(const Config& config);

/// The group that a plan would become. `unsupported`: the cloud has no such machines there, or they
/// carry another label than the plan wants.
Result<GroupConfig> make_group(const Config& config, const GroupPlan& plan);

}  // namespace capstan::simulated
