/// Deletes empty groups that were made by auto-provisioning.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "engine/pass_context/pass_context.hpp"
#include "engine/policies.hpp"

namespace capstan::engine::provisioning {

struct EmptyGroups {
    std::vector<GroupDeletion> deletions{};
    std::vector<std::string> notes{};
    std::optional<Time> wake_at{};  ///< when the next group has been empty for long enough
};

/// A group is deleted if its cloud marks it as autoprovisioned, a source owns it, it has a target
/// of 0, no machines and no upcoming nodes, this pass does not increase it, and all this has been
/// so for ScaleDownSettings::empty_group_time. No group is deleted while a node is drained or if
/// scale-down is switched off. Records in `memory` since when groups are empty.
///
/// The deletion of a group is not requested again before Settings::backoff_initial is over: the
/// cloud may have refused it, or may still list a deleted group.
EmptyGroups find_empty_groups(const pass_context::PassContext& context, const Policies& policies,
                              const CallContext& call_context,
                              const std::vector<Increase>& increases, Memory& memory);

/// Postpones the next request for each group after a deletion was requested.
Memory remember_deletions(Memory memory, const Decision& decision, const Results& results,
                          const Settings& settings, Time now);

}  // namespace capstan::engine::provisioning
