#include "engine/health/requests.hpp"

#include <algorithm>
#include <limits>
#include <utility>

#include <capstan/duration.hpp>
#include <capstan/sentence.hpp>

#include "engine/health/backoff.hpp"
#include "engine/next_change.hpp"

namespace capstan::engine::health {
namespace {

/// Whether the back-off until a machine joins ends: nothing is outstanding, or, where nothing is
/// asked for, there are more nodes than before or than the target holds.
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
    // The cloud does as it is asked again: what its interface did before is past.
    const auto backoff = memory.backoffs.find(increase.group);
    // Not so where its nodes were the trouble (scale_up/idle_nodes.hpp).
    const auto record = memory.templates.find(increase.group);
    const bool is_idle = record != memory.templates.end() && !record->second.idle_node.empty();
    if (settings.backoff == BackoffPolicy::until_joined && backoff != memory.backoffs.end() &&
        backoff->second.until && !is_idle) {
        memory.backoffs.erase(backoff);
    }
}

/// Those of a removal that went and had no node.
int count_gone(const MachineRemoval& removal, const std::vector<Error>& failed) {
    int out = 0;
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

/// Machines the target holds that will never be nodes.
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

/// Whether the time of the request is over: here the group's own limit is known. Machines may have
/// joined unseen, so a pass that does not see the cluster leaves that to the first one that does.
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

bool keep_asked_for(Memory& memory, const NodeGroupId& group) {
    const auto backoff = memory.backoffs.find(group);
    if (backoff == memory.backoffs.end() || !backoff->second.given_back) return false;
    backoff->second.given_back.reset();
    return true;
}

void expect_request(Memory& memory, const Increase& increase, const Settings& settings, Time now) {
    ScaleUpRequest& request = memory.requests[increase.group];
    request.since = now;
    request.deadline = later(now, settings.max_node_provision_time);
    request.increase += increase.by;
    memory.last.scale_up = memory.last_by_group[increase.group].scale_up = now;
}

void remember_given_back(Memory& memory, const Decrease& decrease) {
    const auto backoff = memory.backoffs.find(decrease.group);
    const bool is_patient = backoff != memory.backoffs.end() && !backoff->second.until;
    // The fewest nodes are counted from the next pass on.
    if (decrease.kept_one_too && is_patient)
        backoff->second.given_back = std::numeric_limits<int>::max();
}

Memory remember_sizes(Memory memory, const Decision& decision, const Results& results,
                      const Settings& settings, Time now) {
    for (std::size_t i = 0; i < results.decreases.size(); ++i) {
        const Decrease& decrease = decision.decreases[i];
        if (results.decreases[i]) continue;
        lower_request(memory, decrease.group, decrease.by);
        remember_given_back(memory, decrease);
    }
    for (std::size_t i = 0; i < results.removals.size(); ++i) {
        const MachineRemoval& removal = decision.removals[i];
        lower_request(memory, removal.group, count_gone(removal, results.removals[i]));
    }
    for (std::size_t i = 0; i < results.increases.size(); ++i) {
        const Increase& increase = decision.increases[i];
        if (results.increases[i]) {
            memory = remember_failure(std::move(memory), increase.group, *results.increases[i],
                                      settings, now);
        } else if (keep_asked_for(memory, increase.group)) {
            memory.failed_calls.erase(increase.group);
        } else {
            Increase agreed = increase;
            agreed.by = count_agreed(increase, results, i);
            open_request(memory, agreed, settings, now);
        }
        // What was agreed to is on its way, and for the rest the group has failed to grow.
        if (const Error* const shortfall = find_shortfall(results, i))
            memory = remember_failure(std::move(memory), increase.group, *shortfall, settings, now);
    }
    return memory;
}

int follow_request(Memory& memory, const GroupCounts& group, const Settings& settings, Time now) {
    const int outstanding = group.target() - group.provisioned();
    const auto backoff = memory.backoffs.find(group.id());
    const bool until_joined = backoff != memory.backoffs.end() && !backoff->second.until;
    if (until_joined && has_joined(backoff->second, group)) memory.backoffs.erase(backoff);
    if (outstanding <= 0) {
        memory.requests.erase(group.id());
        return 0;
    }
    const auto at = memory.requests.find(group.id());
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
    const auto at = memory.requests.find(group);
    if (at == memory.requests.end()) return;
    at->second.increase -= count;
    if (at->second.increase <= 0) memory.requests.erase(at);
}

BackoffPolicy policy_of(const GroupCounts& group, const Memory& memory, const Settings& settings,
                        Time now) noexcept {
    // Groups that go as a whole cannot keep one machine asked for.
    if (group.is_atomic()) return BackoffPolicy::exponential;
    // What the cloud has not begun may come at any time; what it has begun only in time.
    const int may_join = group.machines.requested + group.machines.failed_request +
                         group.machines.unlisted + group.nodes.starting +
                         group.nodes.long_starting +
                         waited_for(group, MachineFate::begun, memory, now);
    return may_join > 0 ? settings.backoff : BackoffPolicy::exponential;
}

}  // namespace capstan::engine::health
