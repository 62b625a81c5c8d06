/// Groups that auto-provisioning made and that no pod needs any more.
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
    std::optional<Time> wake_at{};  ///< when the next one has been empty for long enough
};

/// Deleted is a group that its cloud marks as autoprovisioned and that a source calls its own, with
/// a target of 0, no machines and none on their way, which is not grown now and has been so for
/// ScaleDownSettings::empty_group_time. Nothing is deleted while a node is drained or removals are
/// switched off. Notes in `memory` since when groups are empty.
///
/// What was asked for once is not asked for again before Settings::backoff_initial is over: the
/// cloud has refused it, or lists still what it has deleted.
EmptyGroups find_empty_groups(const pass_context::PassContext& context, const Policies& policies,
                              const CallContext& call_context,
                              const std::vector<Increase>& increases, Memory& memory);

/// Puts the groups off that were asked to be deleted.
Memory remember_deletions(Memory memory, const Decision& decision, const Results& results,
                          const Settings& settings, Time now);

}  // namespace capstan::engine::provisioning
