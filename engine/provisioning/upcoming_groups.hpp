/// Groups that a cloud was asked to make and does not list yet. Like upcoming nodes they count as
/// existing, so that no pass makes a second group for the same pods.
#pragma once

#include <capstan/time.hpp>

#include "engine/actions.hpp"
#include "engine/decision.hpp"
#include "engine/memory.hpp"
#include "engine/policies.hpp"
#include "engine/settings.hpp"
#include "engine/snapshot.hpp"

namespace capstan::engine::provisioning {

/// At the start of a pass: forgets upcoming groups that `listed` has, and upcoming groups that were
/// not listed in time. Of the latter, groups that their cloud had agreed to make are backed off.
Memory remember_upcoming_groups(Memory memory, const Snapshot& listed, const Settings& settings,
                                Time now);

/// `listed` with the upcoming groups as their clouds would make them, each with the size that it is
/// to have first. A group that its cloud would not make any more is left out.
Snapshot with_upcoming_groups(const Snapshot& listed, const Memory& memory,
                              const Policies& policies, const CallContext& call_context);

/// Before the decision is carried out: records its creations as upcoming groups.
void expect_groups(Memory& memory, const Decision& decision, Time now);

/// After the decision was carried out: forgets the upcoming groups that a cloud refused to make or
/// was not asked for, and backs refused groups off.
Memory remember_creations(Memory memory, const Decision& decision, const Results& results,
                          const Settings& settings, Time now);

}  // namespace capstan::engine::provisioning
