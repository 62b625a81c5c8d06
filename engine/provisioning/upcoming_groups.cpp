#include "engine/provisioning/upcoming_groups.hpp"

#include <algorithm>
#include <iterator>
#include <utility>

#include <capstan/duration.hpp>

#include "engine/health/answered_targets.hpp"
#include "engine/health/backoff.hpp"
#include "engine/next_change.hpp"
#include "engine/provisioning/candidate_groups.hpp"

namespace capstan::engine::provisioning {
namespace {

bool lists_group(const Snapshot& snapshot, const NodeGroupId& id) {
    return find_group(snapshot, id) != nullptr;
}

Error not_listed_in_time(const UpcomingNodeGroup& group) {
    return {.code = ErrorCode::deadline,
            .message = "the cloud accepted its creation but did not list it within " +
                       format_duration(group.deadline - group.since)};
}

/// Backs off a group that its cloud refused to make. A conflict means that another group has the
/// name, which will not change; for an increase it would mean that the target has changed
/// meanwhile.
Memory remember_refusal(Memory memory, const NodeGroupId& id, const Error& error,
                        const Settings& settings, Time now) {
    if (error.code != ErrorCode::conflict)
        return health::remember_failure(std::move(memory), id, error, settings, now,
                                        health::Call::create_group);
    health::back_off(memory, id, error, BackoffPolicy::exponential, settings, now);
    return memory;
}

int nodes_of(const Decision& decision, const NodeGroupId& group) {
    const auto at = std::ranges::find(decision.increases, group, &Increase::group);
    return at == decision.increases.end() ? 0 : at->by;
}

}  // namespace

Memory remember_upcoming_groups(Memory memory, const Snapshot& listed, const Settings& settings,
                                Time now) {
    for (auto at = memory.upcoming_groups.begin(); at != memory.upcoming_groups.end();) {
        const auto& [id, group] = *at;
        const bool is_late = group.deadline < now;
        if (is_late && group.agreed && !lists_group(listed, id))
            health::back_off(memory, id, not_listed_in_time(group), BackoffPolicy::exponential,
                             settings, now);
        at = is_late || lists_group(listed, id) ? memory.upcoming_groups.erase(at) : std::next(at);
    }
    return memory;
}

Snapshot with_upcoming_groups(const Snapshot& listed, const Memory& memory,
                              const Policies& policies, const CallContext& call_context) {
    if (memory.upcoming_groups.empty() || policies.maker == nullptr) return listed;
    std::vector<Group> more;
    for (const auto& [id, upcoming] : memory.upcoming_groups) {
        auto candidate_group =
            policies.maker->new_group(upcoming.cloud, upcoming.plan, call_context);
        if (!candidate_group || candidate_group->planned.group.id != id) continue;
        more.push_back(as_group(*std::move(candidate_group), upcoming.cloud, upcoming.plan));
        more.back().group.target = upcoming.nodes;
    }
    return with_groups(listed, std::move(more));
}

void expect_groups(Memory& memory, const Decision& decision, Time now) {
    for (const GroupCreation& creation : decision.creations) {
        memory.upcoming_groups[creation.group] = {.cloud = creation.cloud,
                                                  .plan = creation.plan,
                                                  .nodes = nodes_of(decision, creation.group),
                                                  .since = now,
                                                  .deadline = later(now, health::answer_time)};
    }
}

Memory remember_creations(Memory memory, const Decision& decision, const Results& results,
                          const Settings& settings, Time now) {
    for (std::size_t i = 0; i < decision.creations.size(); ++i) {
        const NodeGroupId& id = decision.creations[i].group;
        const auto at = memory.upcoming_groups.find(id);
        const bool was_asked = i < results.creations.size();
        const std::optional<Error> error = was_asked ? results.creations[i] : std::nullopt;
        if (was_asked && !error && at != memory.upcoming_groups.end()) {
            at->second.agreed = true;
            at->second.deadline = later(at->second.since, settings.max_node_provision_time);
            continue;
        }
        // If it is not known whether the group was made, it stays an upcoming group.
        const bool is_open = error && health::is_outcome_open(health::Call::create_group, *error);
        if (!is_open) memory.upcoming_groups.erase(id);
        if (error) memory = remember_refusal(std::move(memory), id, *error, settings, now);
    }
    return memory;
}

}  // namespace capstan::engine::provisioning
