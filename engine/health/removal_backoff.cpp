#include "engine/health/removal_backoff.hpp"

#include <algorithm>
#include <utility>

#include <capstan/duration.hpp>

#include "engine/health/backoff.hpp"
#include "engine/health/known_groups.hpp"
#include "engine/health/reactions.hpp"
#include "engine/health/removed_machines.hpp"
#include "engine/next_change.hpp"

namespace capstan::engine::health {
namespace {

/// Whether the back-off has not ended; at its very end a removal may be tried again.
bool is_in_force(const RemovalBackoff& backoff, Time now) { return now < backoff.until; }

bool is_long_past(const RemovalBackoff& backoff, const Settings& settings, Time now) {
    return is_backoff_past(backoff.until, backoff.until, settings.backoff_reset, now);
}

void count_failure(RemovalBackoff& backoff, const Error& error, Duration first,
                   const Settings& settings, Time now) {
    if (is_long_past(backoff, settings, now)) backoff = {};
    const BackoffLengths lengths{.first = first, .most = std::max(settings.backoff_max, first)};
    const bool was_active = is_in_force(backoff, now);
    backoff.length = next_backoff_length(backoff.length, was_active, lengths);
    if (backoff.failures == 0 || !was_active) ++backoff.failures;
    backoff.until = find_backoff_end(error, backoff.length, lengths.most, now);
    backoff.because = error.message;
    backoff.only_drains = false;
}

/// Whether the error backs the call off. It does not if the cloud was not asked, or if the cloud is
/// backed off as a whole.
bool needs_backoff(Call call, const Error& error) {
    switch (reaction_to(call, error.code)) {
        case Reaction::decide_again:
        case Reaction::back_off_cloud:
        case Reaction::await_credentials: return false;
        default: return true;
    }
}

/// Whether the cloud does not support the call.
bool is_left_out(Call call, const Error& error) {
    return reaction_to(call, error.code) == Reaction::suspend;
}

void leave_out_for_a_day(RemovalBackoff& backoff, const Error& error, Time now) {
    backoff = {.until = later(now, suspension_time), .because = error.message};
}

bool is_done(const Error* error) {
    return error == nullptr || reaction_to(Call::remove, error->code) == Reaction::treat_as_gone;
}

void take_removal(Memory& memory, const MachineRemoval& removal, const std::vector<Error>& errors,
                  const Settings& settings, Time now) {
    auto& left_out = removal.keep_target ? memory.unreplaceable_groups : memory.unremovable_groups;
    for (const Error& error : errors)
        if (is_left_out(Call::remove, error))
            leave_out_for_a_day(left_out[removal.group], error, now);
    for (std::size_t m = 0; m < removal.machines.size(); ++m) {
        const bool has_node = m < removal.nodes.size() && !removal.nodes[m].empty();
        if (has_node) continue;
        const MachineId& machine = removal.machines[m];
        const Error* const error = find_error(errors, machine);
        if (is_done(error)) {
            postpone_removal(memory, removal.group, machine, {}, removal_listed_time, now);
            continue;
        }
        if (removal.keep_target && error != nullptr && is_left_out(Call::remove, *error)) continue;
        if (!needs_backoff(Call::remove, *error)) continue;
        // The sentence is in the log; the memory may have thousands of these back-offs.
        Error silent = *error;
        silent.message.clear();
        count_failure(memory.removal_backoffs[removal.group][machine], silent,
                      first_removal_backoff, settings, now);
    }
}

bool may_list_machine(const Snapshot& snapshot, const NodeGroupId& id, const MachineId& machine) {
    const Group* const group = find_group(snapshot, id);
    if (group == nullptr) return false;
    return is_unread(*group) ||
           std::ranges::binary_search(group->machines, machine, {}, &Machine::id);
}

}  // namespace

const RemovalBackoff* find_removal_backoff(const Memory& memory, const NodeGroupId& group,
                                           const MachineId& machine, Time now) noexcept {
    const auto of_group = memory.removal_backoffs.find(group);
    if (of_group == memory.removal_backoffs.end()) return nullptr;
    const auto at = of_group->second.find(machine);
    return at != of_group->second.end() && is_in_force(at->second, now) ? &at->second : nullptr;
}

const RemovalBackoff* find_unremovable(const Memory& memory, const NodeGroupId& group,
                                       Time now) noexcept {
    const auto at = memory.unremovable_groups.find(group);
    return at != memory.unremovable_groups.end() && is_in_force(at->second, now) ? &at->second
                                                                                 : nullptr;
}

const RemovalBackoff* find_unreplaceable(const Memory& memory, const NodeGroupId& group,
                                         Time now) noexcept {
    const auto at = memory.unreplaceable_groups.find(group);
    return at != memory.unreplaceable_groups.end() && is_in_force(at->second, now) ? &at->second
                                                                                   : nullptr;
}

bool is_decrease_backed_off(const Memory& memory, const NodeGroupId& group, Time now) noexcept {
    const auto at = memory.decrease_backoffs.find(group);
    return at != memory.decrease_backoffs.end() && is_in_force(at->second, now);
}

void back_off_removal(Memory& memory, const NodeGroupId& group, const MachineId& machine,
                      std::string because, Duration first, const Settings& settings, Time now) {
    count_failure(memory.removal_backoffs[group][machine], {.message = std::move(because)},
                  std::max(first, first_removal_backoff), settings, now);
}

void postpone_removal(Memory& memory, const NodeGroupId& group, const MachineId& machine,
                      std::string because, Duration length, Time now) {
    if (length <= Duration(0)) return;
    const Time until = later(now, length);
    RemovalBackoff& backoff = memory.removal_backoffs[group][machine];
    // Earlier failures keep the machine backed off for longer.
    if (until <= backoff.until) return;
    // `length` stays: the next failure doubles it as if nothing had been between them.
    backoff.until = until;
    backoff.failures = 0;
    backoff.because = std::move(because);
    backoff.only_drains = false;
}

void postpone_drain(Memory& memory, const NodeGroupId& group, const MachineId& machine,
                    std::string because, Duration length, Time now) {
    // All pods keep a machine that is backed off in any case.
    if (find_removal_backoff(memory, group, machine, now) != nullptr) return;
    postpone_removal(memory, group, machine, std::move(because), length, now);
    memory.removal_backoffs[group][machine].only_drains = true;
}

Memory remember_refused_removals(Memory memory, const Decision& decision, const Results& results,
                                 const Settings& settings, Time now) {
    for (std::size_t i = 0; i < results.removals.size(); ++i)
        take_removal(memory, decision.removals[i], results.removals[i], settings, now);
    for (std::size_t i = 0; i < results.decreases.size(); ++i) {
        const std::optional<Error>& error = results.decreases[i];
        const NodeGroupId& group = decision.decreases[i].group;
        if (!error) {
            memory.decrease_backoffs.erase(group);
        } else if (is_left_out(Call::decrease_target, *error)) {
            leave_out_for_a_day(memory.decrease_backoffs[group], *error, now);
        } else if (needs_backoff(Call::decrease_target, *error)) {
            // After a conflict the list is out of date, and will show the target in a while.
            count_failure(memory.decrease_backoffs[group], *error, first_removal_backoff, settings,
                          now);
        }
    }
    return memory;
}

void forget_removal_backoffs(Memory& memory, const Snapshot& snapshot, const Settings& settings,
                             Time now) {
    for (auto& [group, machines] : memory.removal_backoffs)
        std::erase_if(machines, [&, &id = group](const auto& entry) {
            return is_long_past(entry.second, settings, now) ||
                   !may_list_machine(snapshot, id, entry.first);
        });
    std::erase_if(memory.removal_backoffs, [](const auto& entry) { return entry.second.empty(); });
    const auto is_over = [&](const auto& entry) {
        return find_group(snapshot, entry.first) == nullptr ||
               is_long_past(entry.second, settings, now);
    };
    std::erase_if(memory.decrease_backoffs, is_over);
    std::erase_if(memory.unremovable_groups, is_over);
    std::erase_if(memory.unreplaceable_groups, is_over);
}

std::optional<Time> next_removal_backoff_end(const Memory& memory, Time now) noexcept {
    std::optional<Time> out;
    const auto note = [&](const RemovalBackoff& backoff) {
        if (is_in_force(backoff, now)) out = std::min(out.value_or(backoff.until), backoff.until);
    };
    for (const auto& [group, machines] : memory.removal_backoffs)
        for (const auto& [machine, backoff] : machines) note(backoff);
    for (const auto& [group, backoff] : memory.decrease_backoffs) note(backoff);
    for (const auto& [group, backoff] : memory.unremovable_groups) note(backoff);
    for (const auto& [group, backoff] : memory.unreplaceable_groups) note(backoff);
    return out;
}

std::string why_removal_backed_off(const RemovalBackoff& backoff, const PassTime& time) {
    std::string out = "removal backed off until " + end_and_rest_text(backoff.until, time) + ": " +
                      backoff.because.text();
    if (backoff.failures > 1) out += " (" + std::to_string(backoff.failures) + " times in a row)";
    return out;
}

}  // namespace capstan::engine::health
