#include "engine/health/requests.hpp"

#include <algorithm>
#include <limits>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include <capstan/assert.hpp>
#include <capstan/duration.hpp>
#include <capstan/sentence.hpp>

#include "engine/health/backoff.hpp"
#include "engine/health/shared_backoff.hpp"
#include "engine/next_change.hpp"

namespace capstan::engine::health {
namespace {

/// Whether a back-off until a machine joins ends: no machine is outstanding. If the request was
/// given back, there have to be more nodes than before, or more than the target.
bool has_joined(Backoff& backoff, const GroupCounts& group) {
    const int nodes = group.provisioned();
    if (!backoff.given_back) return group.target() <= nodes;
    const int before = *backoff.given_back;
    backoff.given_back = std::min(before, nodes);
    return nodes > before || nodes > group.target();
}

void open_request(Memory& memory, const Increase& increase, const Settings& settings, Time now) {
    expect_request(memory, increase, settings, now);
    memory.failed_calls.erase(increase.group);
    // The cloud accepts increases again, which ends a back-off for errors of its API.
    const auto backoff = memory.backoffs.find(increase.group);
    if (settings.backoff == BackoffPolicy::until_joined && backoff != memory.backoffs.end() &&
        backoff->second.until) {
        memory.backoffs.erase(backoff);
    }
}

/// The number of machines without a node that were removed and not replaced.
int count_gone(const MachineRemoval& removal, const std::vector<Error>& failed) {
    int out = 0;
    if (removal.keep_target) return out;
    for (std::size_t m = 0; m < removal.machines.size(); ++m) {
        const bool has_node = m < removal.nodes.size() && !removal.nodes[m].empty();
        if (!has_node && find_error(failed, removal.machines[m]) == nullptr) ++out;
    }
    return out;
}

int waited_for(const GroupCounts& group, MachineFate fate, const Memory& memory, Time now) {
    return static_cast<int>(find_machines(group, fate).size() -
                            find_overdue(group, fate, memory, now).size());
}

/// Machines that may still join in time, and nodes that may still start.
int on_the_way(const GroupCounts& group, const Memory& memory, Time now) {
    return group.machines.unlisted + group.nodes.starting +
           waited_for(group, MachineFate::requested, memory, now) +
           waited_for(group, MachineFate::begun, memory, now);
}

/// Machines of the target that will never become nodes.
int written_off(const GroupCounts& group, const Memory& memory, Time now) {
    return group.machines.failed + group.machines.failed_request +
           static_cast<int>(find_overdue(group, MachineFate::requested, memory, now).size() +
                            find_overdue(group, MachineFate::begun, memory, now).size());
}

Error timed_out(const GroupCounts& group, int outstanding) {
    return {.code = ErrorCode::deadline,
            .message = counted(outstanding, "machine") + " of a target of " +
                       std::to_string(group.target()) + " did not join and start within " +
                       format_duration(group.limit)};
}

int time_out(Memory& memory, const GroupCounts& group, int outstanding, int increase,
             const Settings& settings, Time now) {
    const BackoffPolicy policy = policy_of(group, memory, settings, now);
    back_off(memory, group.id(), timed_out(group, outstanding), policy, settings, now);
    const int not_begun = group.target() - group.machines.real();
    return policy == BackoffPolicy::exponential ? std::clamp(increase, 0, std::max(0, not_begun))
                                                : 0;
}

/// Whether the request has timed out, by the group's own limit. Without a current view of the
/// cluster machines may have joined unseen, so then no request times out.
bool is_out_of_time(ScaleUpRequest& request, const GroupCounts& group, const Memory& memory,
                    Time now) {
    if (memory.unobserved_since) return false;
    request.deadline = later(request.since, group.limit);
    return request.deadline < now;
}

void infer_request(Memory& memory, const GroupCounts& group, int outstanding, Time now) {
    if (memory.unobserved_since || find_backoff(memory, group.id(), now) != nullptr) return;
    const int coming = std::min(outstanding, on_the_way(group, memory, now));
    if (coming <= 0) return;
    memory.requests[group.id()] = {
        .since = now, .deadline = later(now, group.limit), .increase = coming};
}

}  // namespace

bool restore_kept_request(Memory& memory, const NodeGroupId& group) {
    const auto backoff = memory.backoffs.find(group);
    if (backoff == memory.backoffs.end() || !backoff->second.given_back) return false;
    backoff->second.given_back.reset();
    return true;
}

void expect_request(Memory& memory, const Increase& increase, const Settings& settings, Time now) {
    CAPSTAN_ASSERT(increase.by >= 0, "fewer than no machines are expected");
    ScaleUpRequest& request = memory.requests[increase.group];
    request.since = now;
    request.deadline = later(now, settings.max_node_provision_time);
    request.increase += increase.by;
    memory.last_by_group[increase.group].scale_up = now;
    if (!fails_lately(memory, increase.group)) memory.last.scale_up = now;
}

void release_kept_request(Memory& memory, const Decrease& decrease) {
    const auto backoff = memory.backoffs.find(decrease.group);
    const bool until_joined = backoff != memory.backoffs.end() && !backoff->second.until;
    // The fewest nodes are counted from the next pass on.
    if (decrease.kept_one_too && until_joined)
        backoff->second.given_back = std::numeric_limits<int>::max();
}

Memory remember_sizes(Memory memory, const Decision& decision, const Results& results,
                      const Settings& settings, Time now) {
    for (std::size_t i = 0; i < results.decreases.size(); ++i) {
        const Decrease& decrease = decision.decreases[i];
        if (results.decreases[i]) continue;
        lower_request(memory, decrease.group, decrease.by);
        // The list may be late to show the decrease: the figures of the next pass are new ones.
        memory.wrong_sizes.erase(decrease.group);
        release_kept_request(memory, decrease);
    }
    for (std::size_t i = 0; i < results.removals.size(); ++i) {
        const MachineRemoval& removal = decision.removals[i];
        lower_request(memory, removal.group, count_gone(removal, results.removals[i]));
    }
    for (std::size_t i = 0; i < results.increases.size(); ++i) {
        const Increase& increase = decision.increases[i];
        if (const std::optional<Error>& error = results.increases[i]) {
            memory = remember_failure(std::move(memory), increase.group, *error, settings, now);
        } else if (restore_kept_request(memory, increase.group)) {
            memory.failed_calls.erase(increase.group);
        } else {
            Increase agreed = increase;
            agreed.by = count_agreed(increase, results, i);
            open_request(memory, agreed, settings, now);
        }
        // The machines that were agreed to are upcoming; the missing ones count as a failure.
        if (const Error* const shortfall = find_shortfall(results, i))
            memory = remember_failure(std::move(memory), increase.group, *shortfall, settings, now);
    }
    return memory;
}

int update_request(Memory& memory, const GroupCounts& group, const Settings& settings, Time now) {
    const int outstanding = group.target() - group.provisioned();
    const auto backoff = memory.backoffs.find(group.id());
    const bool until_joined = backoff != memory.backoffs.end() && !backoff->second.until;
    if (until_joined && has_joined(backoff->second, group)) memory.backoffs.erase(backoff);
    const auto at = memory.requests.find(group.id());
    if (outstanding <= 0) {
        if (at == memory.requests.end()) return 0;
        // The machines have come, so the scale-up counts, whatever failed before.
        memory.last.scale_up =
            std::max(memory.last.scale_up.value_or(at->second.since), at->second.since);
        memory.requests.erase(at);
        return 0;
    }
    if (at == memory.requests.end()) {
        infer_request(memory, group, outstanding, now);
        return 0;
    }
    if (is_out_of_time(at->second, group, memory, now)) {
        const int increase = at->second.increase;
        memory.requests.erase(at);
        return time_out(memory, group, outstanding, increase, settings, now);
    }
    if (outstanding <= written_off(group, memory, now)) memory.requests.erase(at);
    return 0;
}

void lower_request(Memory& memory, const NodeGroupId& group, int count) {
    CAPSTAN_ASSERT(count >= 0, "a request grows while it is lowered");
    const auto at = memory.requests.find(group);
    if (at == memory.requests.end()) return;
    at->second.increase -= count;
    if (at->second.increase <= 0) memory.requests.erase(at);
}

BackoffPolicy policy_of(const GroupCounts& group, const Memory& memory, const Settings& settings,
                        Time now) noexcept {
    // An atomic group cannot keep one machine requested.
    if (group.is_atomic()) return BackoffPolicy::exponential;
    // Machines that the cloud has not begun may come at any time, others only in time.
    const int may_join = group.machines.requested + group.machines.failed_request +
                         group.machines.unlisted + group.nodes.starting +
                         group.nodes.long_starting +
                         waited_for(group, MachineFate::begun, memory, now);
    return may_join > 0 ? settings.backoff : BackoffPolicy::exponential;
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
            ? Error{.code = ErrorCode::unavailable, .message = "the cloud could not create it"}
            : Error{.code = ErrorCode::deadline,
                    .message = "did not join within " + format_duration(limit)};
    return within("machine " + first.id.value() + more, first.error.value_or(otherwise));
}

const std::set<MachineId>& machines_of(const std::map<NodeGroupId, std::set<MachineId>>& by_group,
                                       const NodeGroupId& group) {
    static const std::set<MachineId> none;
    const auto at = by_group.find(group);
    return at == by_group.end() ? none : at->second;
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
    back_off_offerings(memory, *group.group, settings);
    if (policy == BackoffPolicy::until_joined) memory.requests.erase(group.id());
}

/// Backs the group off for overdue machines. Each increase moves the deadline of the request, so
/// the deadline alone might never pass.
void miss_machines(Memory& memory, const GroupCounts& group, const FailedMachines& overdue,
                   const Settings& settings, Time now) {
    const Backoff* backoff = find_backoff(memory, group.id(), now);
    const BackoffPolicy policy = policy_of(group, memory, settings, now);
    // No machine may join any more, so a back-off until a machine joins would never end.
    const bool is_pointless =
        backoff != nullptr && !backoff->until && policy == BackoffPolicy::exponential;
    const bool is_first = backoff == nullptr && memory.requests.contains(group.id());
    if (!is_pointless && !is_first) return;
    back_off(memory, group.id(), error_of(overdue, group.limit), policy, settings, now);
    memory.requests.erase(group.id());
}

bool is_timed(const Memory& memory, const NodeGroupId& group, const MachineId& machine) {
    const auto of_group = memory.unjoined.find(group);
    return of_group != memory.unjoined.end() && of_group->second.contains(machine);
}

/// When this host requested the group's machines; absent: they were requested by others, or there
/// is no request. Machines cannot have been launched before, even if the cloud's clock says so.
std::optional<Time> find_own_request(const Memory& memory, const NodeGroupId& group) {
    const auto request = memory.requests.find(group);
    const auto last = memory.last_by_group.find(group);
    if (request == memory.requests.end() || last == memory.last_by_group.end()) return std::nullopt;
    const Time since = request->second.since;
    return last->second.scale_up == since ? std::optional(since) : std::nullopt;
}

}  // namespace

void update_failed_machines(Memory& memory, const GroupCounts& group,
                            const std::set<MachineId>& known, const Settings& settings, Time now) {
    std::set<MachineId> ids;
    FailedMachines failed, overdue;
    const std::set<MachineId>& lost_nodes = machines_of(memory.lost_nodes, group.id());
    for (std::size_t m = 0; m < group.fates.size(); ++m) {
        const Machine& machine = group.group->machines[m];
        const bool is_late = is_overdue(group, m, memory, now);
        if (!is_late && !is_failure(group.fates[m])) continue;
        ids.insert(machine.id);
        if (is_late && lost_nodes.contains(machine.id)) continue;
        if (!known.contains(machine.id)) (is_late ? overdue : failed).push_back(&machine);
    }
    if (!ids.empty()) memory.failed_machines[group.id()] = std::move(ids);
    if (!failed.empty()) {
        fail_machines(memory, group, failed, settings, now);
    } else if (!overdue.empty()) {
        miss_machines(memory, group, overdue, settings, now);
    }
}

void record_lost_nodes(Memory& memory, GroupCounts& group, const snapshot::Cluster& cluster,
                       std::size_t nodes) {
    const auto known = memory.known_groups.find(group.id());
    const std::ptrdiff_t fewer =
        known == memory.known_groups.end()
            ? 0
            : known->second.nodes - static_cast<std::ptrdiff_t>(nodes) -
                  std::ranges::count_if(memory.removals, [&](const auto& entry) {
                      return entry.second.group == group.id() && !cluster.find_node(entry.first);
                  });
    const std::set<MachineId>& before = machines_of(memory.lost_nodes, group.id());
    const auto unjoined = memory.unjoined.find(group.id());
    std::set<MachineId> lost, others;
    for (const std::size_t m : find_machines(group, MachineFate::begun)) {
        const MachineId& machine = group.group->machines[m].id;
        const bool had_none =
            unjoined != memory.unjoined.end() && unjoined->second.contains(machine);
        if (before.contains(machine)) {
            lost.insert(machine);
        } else if (!had_none) {
            others.insert(machine);
        }
    }
    // A machine that is new to this pass may be a requested one, while the machines of the nodes
    // that have vanished are gone, too.
    const bool may_be_requested = memory.requests.contains(group.id());
    if (!may_be_requested && std::ssize(others) <= fewer) lost.merge(others);
    group.machines.node_lost = static_cast<int>(lost.size());
    memory.lost_nodes.erase(group.id());
    if (!lost.empty()) memory.lost_nodes[group.id()] = std::move(lost);
}

std::size_t find_room_for_unjoined(const Memory& memory) noexcept {
    std::size_t timed = 0;
    for (const auto& [group, machines] : memory.unjoined) timed += machines.size();
    return timed < unjoined_max ? unjoined_max - timed : 0;
}

void record_machine_times(Memory& memory, const GroupCounts& group, const PassTime& time,
                          std::size_t& room) {
    const Backoff* backoff = find_backoff(memory, group.id(), time.now);
    const bool until_joined = backoff != nullptr && !backoff->until;
    MachineTimes since, launched;
    const Time asked_at = find_own_request(memory, group.id()).value_or(Time::min());
    for (std::size_t m = 0; m < group.fates.size(); ++m) {
        const MachineFate fate = group.fates[m];
        const bool waits =
            fate == MachineFate::begun || (fate == MachineFate::requested && !until_joined);
        if (!waits) continue;
        const Machine& machine = group.group->machines[m];
        if (!is_timed(memory, group.id(), machine.id)) {
            if (room == 0) continue;
            --room;
        }
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
