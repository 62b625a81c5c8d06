#include "engine/provisioning/empty_groups.hpp"

#include <algorithm>
#include <utility>

#include <capstan/assert.hpp>
#include <capstan/duration.hpp>

#include "engine/health/reactions.hpp"
#include "engine/next_change.hpp"

namespace capstan::engine::provisioning {
namespace {

bool is_empty(const pass_context::PassContext& context, GroupIndex index,
              const std::vector<Increase>& increases) {
    const Group& group = context.groups()[index];
    const health::GroupHealth& health = context.health.groups[index];
    return group.plan == nullptr && group.unreadable_because.empty() &&
           group.group.autoprovisioned && group.group.target == 0 && group.machines.empty() &&
           health.upcoming.nodes() == 0 && health.outstanding == 0 &&
           std::ranges::find(increases, group.group.id, &Increase::group) == increases.end();
}

/// By group that is empty now: since when it has been empty.
std::map<NodeGroupId, Time> update_empty_since(const pass_context::PassContext& context,
                                               const std::vector<Increase>& increases,
                                               const std::map<NodeGroupId, Time>& before) {
    std::map<NodeGroupId, Time> out;
    for (GroupIndex g = 0; g < context.groups().size(); ++g) {
        if (!is_empty(context, g, increases)) continue;
        const auto known = before.find(context.id(g));
        out.emplace(context.id(g), known == before.end() ? context.now : known->second);
    }
    return out;
}

bool is_draining(const Memory& memory) {
    return std::ranges::any_of(memory.removals, [](const auto& entry) {
        return !entry.second.empty && entry.second.phase != RemovalPhase::undoing;
    });
}

/// Whether a source owns the group. Adds a note for each source that fails.
bool is_owned(const NodeGroup& group, const Policies& policies, const CallContext& call_context,
              std::vector<std::string>& notes) {
    for (const NamedSource& source : policies.group_sources) {
        const Result<bool> owns = source.source->owns(group, call_context);
        if (owns && *owns) return true;
        if (!owns)
            notes.push_back("group source " + source.name + " failed; group " + group.id.value() +
                            " stays: " + owns.error().message);
    }
    return false;
}

std::string why_deleted(Duration empty_group_time) {
    if (empty_group_time == Duration(0)) return "autoprovisioned group is empty";
    return "autoprovisioned group has been empty for at least " + format_duration(empty_group_time);
}

}  // namespace

EmptyGroups find_empty_groups(const pass_context::PassContext& context, const Policies& policies,
                              const CallContext& call_context,
                              const std::vector<Increase>& increases, Memory& memory) {
    EmptyGroups out;
    memory.empty_groups = update_empty_since(context, increases, memory.empty_groups);
    const ScaleDownSettings& settings = context.settings->scale_down;
    if (policies.group_sources.empty() || !settings.enabled || is_draining(memory)) return out;
    NextChange next_change(context.now);
    for (const Group& group : context.groups()) {
        const auto since = memory.empty_groups.find(group.group.id);
        if (since == memory.empty_groups.end()) continue;
        if (!is_owned(group.group, policies, call_context, out.notes)) continue;
        if (next_change.is_younger(since->second, settings.empty_group_time)) continue;
        CAPSTAN_ASSERT(group.group.target == 0 && group.machines.empty(),
                       "a group with machines is deleted");
        CAPSTAN_ASSERT(
            std::ranges::find(increases, group.group.id, &Increase::group) == increases.end(),
            "a group that grows is deleted");
        out.deletions.push_back({.group = group.group.id,
                                 .cloud = group.cloud,
                                 .because = why_deleted(settings.empty_group_time)});
    }
    out.wake_at = next_change.at();
    return out;
}

Memory remember_deletions(Memory memory, const Decision& decision, const Results& results,
                          const Settings& settings, Time now) {
    for (std::size_t i = 0; i < results.deletions.size(); ++i) {
        const auto since = memory.empty_groups.find(decision.deletions[i].group);
        if (since == memory.empty_groups.end()) continue;
        const std::optional<Error>& error = results.deletions[i];
        const bool is_suspended =
            error && health::reaction_to(health::Call::destroy_group, error->code) ==
                         health::Reaction::suspend;
        const Time again =
            later(now, is_suspended ? health::suspension_time : settings.backoff_initial);
        since->second = again - settings.scale_down.empty_group_time;
    }
    return memory;
}

}  // namespace capstan::engine::provisioning
