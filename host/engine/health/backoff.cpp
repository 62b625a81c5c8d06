#include "engine/health/backoff.hpp"

#include <algorithm>
#include <chrono>
#include <utility>
#include <vector>

#include <capstan/duration.hpp>
#include <capstan/sentence.hpp>

#include "engine/templates/membership.hpp"

namespace capstan::engine {
namespace {

bool is_stale(const Backoff& backoff, const Settings& settings, Time now) {
    return backoff.until && *backoff.until < now &&
           now - backoff.last_failure > settings.backoff_reset;
}

/// Errors that say nothing about the group: somebody else was faster, or we gave up ourselves.
bool concerns_group(ErrorCode code) {
    return code != ErrorCode::conflict && code != ErrorCode::cancelled && code != ErrorCode::busy;
}

Duration length_after(const Backoff* before, const Settings& settings, Time now) {
    if (before == nullptr) return std::min(settings.backoff_initial, settings.backoff_max);
    // Several increases may fail together; they are one failure in the row.
    const bool still_alone = !before->until || *before->until >= now;
    return std::min(still_alone ? before->length : 2 * before->length, settings.backoff_max);
}

using Failures = std::vector<const Machine*>;

/// Ascending by id, as machines are.
Failures failed_machines(const Group& group, const std::vector<bool>& joined) {
    Failures out;
    for (std::size_t m = 0; m < group.machines.size(); ++m) {
        const Machine& machine = group.machines[m];
        const bool failed = machine.error || machine.state == MachineState::failed;
        if (failed && !joined[m] && machine.state != MachineState::deleting) {
            out.push_back(&machine);
        }
    }
    return out;
}

Error error_of(const Failures& failures) {
    const Machine& first = *failures.front();
    const std::string more =
        failures.size() == 1 ? "" : ", the first of " + counted(std::ssize(failures), "machine");
    const Error error = first.error.value_or(
        Error{.code = ErrorCode::unavailable, .message = "its cloud could not make it"});
    return within("machine " + first.id.value() + more, error);
}

bool any_failure(const std::vector<Group>& groups) {
    return std::ranges::any_of(groups, [](const Group& group) {
        return std::ranges::any_of(group.machines, [](const Machine& machine) {
            return machine.error || machine.state == MachineState::failed;
        });
    });
}

}  // namespace

Memory remember(Memory memory, const Snapshot& snapshot, const Membership& membership,
                const Settings& settings, Time now) {
    std::erase_if(memory.backoffs,
                  [&](const auto& entry) { return is_stale(entry.second, settings, now); });
    const auto known = std::exchange(memory.failed_machines, {});
    if (!any_failure(*snapshot.groups)) return memory;
    for (std::size_t g = 0; g < snapshot.groups->size(); ++g) {
        const Group& group = (*snapshot.groups)[g];
        Failures failures = failed_machines(group, membership.joined[g]);
        if (failures.empty()) continue;
        auto& ids = memory.failed_machines[group.group.id];
        for (const Machine* machine : failures) ids.insert(machine->id);
        if (const auto before = known.find(group.group.id); before != known.end()) {
            std::erase_if(failures,
                          [&](const Machine* m) { return before->second.contains(m->id); });
        }
        if (failures.empty()) continue;
        memory =
            remember_failure(std::move(memory), group.group.id, error_of(failures), settings, now);
    }
    return memory;
}

Memory remember_failure(Memory memory, const NodeGroupId& group, const Error& error,
                        const Settings& settings, Time now) {
    if (!concerns_group(error.code)) return memory;
    const auto at = memory.backoffs.find(group);
    const bool in_a_row = at != memory.backoffs.end() && !is_stale(at->second, settings, now);
    const Duration length = length_after(in_a_row ? &at->second : nullptr, settings, now);
    // A cloud that asks for more time gets it, within reason.
    const Duration asked = std::min(error.retry_after.value_or(length), settings.backoff_max);
    memory.backoffs[group] = {.since = in_a_row ? at->second.since : now,
                              .until = now + std::max(length, asked),
                              .length = length,
                              .last_failure = now,
                              .code = error.code,
                              .because = error.message};
    return memory;
}

const Backoff* find_backoff(const Memory& memory, const NodeGroupId& group, Time now) noexcept {
    const auto at = memory.backoffs.find(group);
    return at != memory.backoffs.end() && (!at->second.until || *at->second.until >= now)
               ? &at->second
               : nullptr;
}

std::optional<Time> next_backoff_end(const Memory& memory, Time now) noexcept {
    std::optional<Time> out;
    for (const auto& [group, backoff] : memory.backoffs) {
        if (!backoff.until || *backoff.until < now) continue;
        const Time end = *backoff.until + Duration(1);
        out = std::min(out.value_or(end), end);
    }
    return out;
}

std::string why_backed_off(const Backoff& backoff, Time now) {
    if (!backoff.until) return "backed off until a machine joins: " + backoff.because;
    const auto left = std::chrono::ceil<std::chrono::seconds>(*backoff.until - now);
    return "backed off for " + format_duration(left) + " more: " + backoff.because;
}

}  // namespace capstan::engine
