/// How long new machines take until their nodes take pods, by the scenario and not by any setting
/// of the autoscaler.
#pragma once

#include <capstan/time.hpp>

#include "simulator/chaos/invariant.hpp"

namespace capstan::simulator::chaos {

/// The longest time from an order to a node that takes pods, over all groups and machine types of
/// the run: booting, registering and becoming ready, late devices and taints, and what calls and
/// lists of the clouds add.
Duration longest_boot(const JudgedRun& run);

}  // namespace capstan::simulator::chaos
