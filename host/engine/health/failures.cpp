#include "engine/health/failures.hpp"

#include <algorithm>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include <capstan/duration.hpp>
#include <capstan/sentence.hpp>

#include "engine/health/backoff.hpp"
#include "engine/health/makes.hpp"
#include "engine/health/requests.hpp"

namespace capstan::engine {
namespace {

/// Ascending by id, as machines are.
using FailedMachines = std::vector<const Machine*>;

Error error_of(const FailedMachines& failures, Duration limit) {
    const Machine& first = *failures.front();
    const std::string more =
        failures.size() == 1 ? "" : ", the first of " + counted(std::ssize(failures), "machine");
    const Error otherwise =
        first.state == MachineState::failed
            ? Error{.code = ErrorCode::unavailable, .message = "its cloud could not make it"}
            : Error{.code = ErrorCode::deadline,
                    .message = "did not join within " + format_duration(limit)};
    return within("machine " + first.id.value() + more, first.error.value_or(otherwise));
}

bool is_failure(MachineFate fate) {
    return fate == MachineFate::failed || fate == MachineFate::failed_request;
}

void fail_machines(Memory& memory, const GroupFigures& group, const FailedMachines& failures,
                   const Settings& settings, Time now) {
    const Error error = error_of(failures, group.limit);
    if (!concerns_group(error.code)) return;
    const BackoffPolicy policy = policy_of(group, memory, settings, now);
    back_off(memory, group.id(), error, policy, settings, now);
    back_off_makes(memory, *group.group, settings);
    if (policy == BackoffPolicy::until_joined) memory.requests.erase(group.id());
}

/// Their request may have been moved on and on by later ones, so its deadline alone would never
/// tell.
void miss_machines(Memory& memory, const GroupFigures& group, const FailedMachines& overdue,
                   const Settings& settings, Time now) {
    const Backoff* backoff = find_backoff(memory, group.id(), now);
    const BackoffPolicy policy = policy_of(group, memory, settings, now);
    // What was waited for will not come, so no machine can end it any more.
    const bool is_pointless =
        backoff != nullptr && !backoff->until && policy == BackoffPolicy::exponential;
    const bool is_news = backoff == nullptr && memory.requests.contains(group.id());
    if (!is_pointless && !is_news) return;
    back_off(memory, group.id(), error_of(overdue, group.limit), policy, settings, now);
    memory.requests.erase(group.id());
}

}  // namespace

void follow_failures(Memory& memory, const GroupFigures& group, const std::set<MachineId>& known,
                     const Settings& settings, Time now) {
    std::set<MachineId> ids;
    FailedMachines failed, overdue;
    for (std::size_t m = 0; m < group.fates.size(); ++m) {
        const Machine& machine = group.group->machines[m];
        const bool is_late = is_overdue(group, m, memory, now);
        if (!is_late && !is_failure(group.fates[m])) continue;
        ids.insert(machine.id);
        if (!known.contains(machine.id)) (is_late ? overdue : failed).push_back(&machine);
    }
    if (!ids.empty()) memory.failed_machines[group.id()] = std::move(ids);
    if (!failed.empty()) {
        fail_machines(memory, group, failed, settings, now);
    } else if (!overdue.empty()) {
        miss_machines(memory, group, overdue, settings, now);
    }
}

void time_machines(Memory& memory, const GroupFigures& group, Time now) {
    const Backoff* backoff = find_backoff(memory, group.id(), now);
    const bool is_patient = backoff != nullptr && !backoff->until;
    std::map<MachineId, Time> since;
    for (std::size_t m = 0; m < group.fates.size(); ++m) {
        const MachineFate fate = group.fates[m];
        const bool waits =
            fate == MachineFate::begun || (fate == MachineFate::requested && !is_patient);
        if (!waits) continue;
        const Machine& machine = group.group->machines[m];
        since.emplace_hint(since.end(), machine.id,
                           unjoined_since(memory, group.id(), machine, now));
    }
    if (since.empty()) {
        memory.unjoined.erase(group.id());
    } else {
        memory.unjoined[group.id()] = std::move(since);
    }
}

}  // namespace capstan::engine
