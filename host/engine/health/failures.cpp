#include "engine/health/failures.hpp"

#include <algorithm>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include <capstan/duration.hpp>
#include <capstan/sentence.hpp>

#include "engine/health/backoff.hpp"
#include "engine/health/requests.hpp"
#include "engine/templates/capacity_type.hpp"
#include "engine/templates/well_known_labels.hpp"

namespace capstan::engine::health {
namespace {

bool has_spot_machines(const Group& group) {
    return group.described != nullptr && templates::is_spot(group.described->labels);
}

std::string describe_make(const InstanceOffering& make) {
    return std::string(make.spot ? "spot " : "") + make.machine_type + " in zone " + make.zone;
}

}  // namespace

std::optional<InstanceOffering> find_make(const Group& group) {
    if (group.described == nullptr || group.described->variants != 1) return std::nullopt;
    NodeTemplate node = *group.described;
    templates::fill_fields(node);
    if (node.machine_type.empty() || node.zone.empty()) return std::nullopt;
    return InstanceOffering{.cloud = group.cloud,
                            .machine_type = std::move(node.machine_type),
                            .zone = std::move(node.zone),
                            .spot = has_spot_machines(group)};
}

void back_off_makes(Memory& memory, const Group& group, const Settings& settings) {
    const auto own = memory.backoffs.find(group.group.id);
    if (!settings.backoff_by_machine_type || own == memory.backoffs.end()) return;
    const bool spot = has_spot_machines(group);
    for (const Machine& machine : group.machines) {
        if (!machine.error || machine.error->code != ErrorCode::out_of_capacity) continue;
        if (machine.state == MachineState::deleting) continue;
        if (machine.machine_type.empty() || machine.zone.empty()) continue;
        const InstanceOffering make{.cloud = group.cloud,
                                    .machine_type = machine.machine_type,
                                    .zone = machine.zone,
                                    .spot = spot};
        Backoff backoff = own->second;
        backoff.code = ErrorCode::out_of_capacity;
        backoff.because = "group " + group.group.id.value() + " found no " + describe_make(make) +
                          ": " + machine.error->message;
        backoff.found_by = group.group.id;
        memory.offering_backoffs[make] = std::move(backoff);
    }
}

void forget_make_backoffs(Memory& memory, const Settings& settings, Time now) {
    std::erase_if(memory.offering_backoffs, [&](const auto& entry) {
        const Backoff& backoff = entry.second;
        if (!settings.backoff_by_machine_type) return true;
        if (backoff.until) return *backoff.until < now;
        const Backoff* finder = find_backoff(memory, backoff.found_by, now);
        return finder == nullptr || finder->until.has_value();
    });
}

namespace {

/// Ascending by id, as machines are.
using FailedMachines = std::vector<const Machine*>;

using MachineTimes = std::map<MachineId, Time>;

void keep_times(std::map<NodeGroupId, MachineTimes>& by_group, const NodeGroupId& group,
                MachineTimes times) {
    if (times.empty()) {
        by_group.erase(group);
    } else {
        by_group[group] = std::move(times);
    }
}

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

void fail_machines(Memory& memory, const GroupCounts& group, const FailedMachines& failures,
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
void miss_machines(Memory& memory, const GroupCounts& group, const FailedMachines& overdue,
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

/// When its machines were asked for; nothing: by others, or there are none to come. What was asked
/// for was not launched before, though a cloud's clock may be behind this machine's.
std::optional<Time> find_own_request(const Memory& memory, const NodeGroupId& group) {
    const auto request = memory.requests.find(group);
    const auto last = memory.last_by_group.find(group);
    if (request == memory.requests.end() || last == memory.last_by_group.end()) return std::nullopt;
    const Time since = request->second.since;
    return last->second.scale_up == since ? std::optional(since) : std::nullopt;
}

}  // namespace

void follow_failures(Memory& memory, const GroupCounts& group, const std::set<MachineId>& known,
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

void time_machines(Memory& memory, const GroupCounts& group, const PassTime& time) {
    const Backoff* backoff = find_backoff(memory, group.id(), time.now);
    const bool is_patient = backoff != nullptr && !backoff->until;
    MachineTimes since, launched;
    const Time asked_at = find_own_request(memory, group.id()).value_or(Time::min());
    for (std::size_t m = 0; m < group.fates.size(); ++m) {
        const MachineFate fate = group.fates[m];
        const bool waits =
            fate == MachineFate::begun || (fate == MachineFate::requested && !is_patient);
        if (!waits) continue;
        const Machine& machine = group.group->machines[m];
        since.emplace_hint(since.end(), machine.id,
                           unjoined_since(memory, group.id(), machine, time.now));
        if (const auto at = launched_at(memory, group.id(), machine, time))
            launched.emplace_hint(launched.end(), machine.id,
                                  std::clamp(*at, std::min(asked_at, time.now), time.now));
    }
    keep_times(memory.unjoined, group.id(), std::move(since));
    keep_times(memory.launched, group.id(), std::move(launched));
}

}  // namespace capstan::engine::health
