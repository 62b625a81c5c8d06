/// Groups that a cloud was asked to make and does not list yet: they are waited for like nodes on
/// their way, so that no pass makes a second one for the same pods.
#pragma once

#include <capstan/time.hpp>

#include "engine/actions.hpp"
#include "engine/decision.hpp"
#include "engine/memory.hpp"
#include "engine/policies.hpp"
#include "engine/settings.hpp"
#include "engine/snapshot.hpp"

namespace capstan::engine::provisioning {

/// At the start of a pass: forgets those that `listed` has, and those that did not come in time;
/// of these the ones that a cloud agreed to make are backed off.
Memory remember_upcoming_groups(Memory memory, const Snapshot& listed, const Settings& settings,
                                Time now);

/// `listed` and what is still to come, as its clouds would make it, with the target it is to have.
/// One that its cloud would not make any more is left out.
Snapshot with_upcoming_groups(const Snapshot& listed, const Memory& memory,
                              const Policies& policies, const CallContext& call_context);

/// Before the decision is carried out: its groups are to come.
void expect_groups(Memory& memory, const Decision& decision, Time now);

/// Groups that were refused, and those that were not asked for, are not to come.
Memory remember_creations(Memory memory, const Decision& decision, const Results& results,
                          const Settings& settings, Time now);

}  // namespace capstan::engine::provisioning
