#include "engine/health/group_counts.hpp"

#include <algorithm>
#include <map>
#include <set>
#include <string_view>
#include <utility>

#include <capstan/assert.hpp>
#include <capstan/duration.hpp>
#include <capstan/sentence.hpp>

#include "engine/health/answered_targets.hpp"
#include "engine/health/backoff.hpp"
#include "engine/health/readiness.hpp"
#include "engine/health/removed_machines.hpp"

namespace capstan::engine::health {
namespace {

using GroupMachines = std::set<std::pair<NodeGroupId, MachineId>>;

/// The machines of the nodes in `phase` of their removal.
GroupMachines in_phase(const Memory& memory, RemovalPhase phase) {
    GroupMachines out;
    for (const auto& [node, removal] : memory.removals) {
        if (removal.phase == phase) out.emplace(removal.group, removal.machine);
    }
    return out;
}

/// Machines that clouds have agreed to remove and may still list, and machines that clouds are
/// being asked to remove.
struct LeavingMachines {
    explicit LeavingMachines(const Memory& memory)
        : agreed(in_phase(memory, RemovalPhase::removed)),
          asked(in_phase(memory, RemovalPhase::deleting)) {}
    GroupMachines agreed, asked;
};

bool has_failed(const Machine& machine) {
    return machine.error || machine.state == MachineState::failed;
}

MachineFate fate_of(const Machine& machine, bool joined, bool counted_elsewhere) {
    if (machine.state == MachineState::deleting) return MachineFate::being_removed;
    if (counted_elsewhere) return MachineFate::counted_elsewhere;
    if (joined) return MachineFate::joined;
    const bool is_request = machine.state == MachineState::requested;
    if (has_failed(machine)) return is_request ? MachineFate::failed_request : MachineFate::failed;
    return is_request ? MachineFate::requested : MachineFate::begun;
}

int& count_of(MachineCounts& counts, MachineFate fate) {
    switch (fate) {
        case MachineFate::being_removed: return counts.being_removed;
        case MachineFate::joined: return counts.joined;
        case MachineFate::counted_elsewhere: return counts.counted_elsewhere;
        case MachineFate::failed_request: return counts.failed_request;
        case MachineFate::failed: return counts.failed;
        case MachineFate::requested: return counts.requested;
        case MachineFate::begun: break;
    }
    return counts.begun;
}

/// Machines that the group's target does not include although they may be listed.
const std::set<MachineId>& ended_machines(const Memory& memory, const NodeGroup& group) {
    static const std::set<MachineId> none;
    const AnsweredTarget* const answer = find_counting_answer(memory, group);
    return answer != nullptr ? answer->ended : none;
}

/// Counts a machine that is neither gone nor being deleted by what was asked of its cloud.
void count_asked(GroupCounts& figures, const MachineId& machine, bool is_asked,
                 const RemovedMachine* removed, const std::set<MachineId>& ended) {
    const bool is_agreed = removed != nullptr && removed->agreed;
    if (is_agreed || ended.contains(machine)) ++figures.machines.ended;
    if (is_asked || (removed != nullptr && removed->target && !is_agreed))
        ++figures.machines.removal_asked;
}

void count_machines(GroupCounts& figures, const std::vector<bool>& joined,
                    const std::vector<bool>& counted_elsewhere, const LeavingMachines& leaving,
                    const Memory& memory) {
    const std::set<MachineId>& ended = ended_machines(memory, figures.group->group);
    const auto& machines = figures.group->machines;
    CAPSTAN_ASSERT(joined.size() == machines.size() && counted_elsewhere.size() == machines.size(),
                   "the membership is of another snapshot");
    for (std::size_t m = 0; m < machines.size(); ++m) {
        const auto is_among = [&](const GroupMachines& set) {
            return !set.empty() && set.contains({figures.id(), machines[m].id});
        };
        const bool gone = is_among(leaving.agreed);
        figures.fates.push_back(gone ? MachineFate::being_removed
                                     : fate_of(machines[m], joined[m], counted_elsewhere[m]));
        ++count_of(figures.machines, figures.fates.back());
        const MachineFate fate = figures.fates.back();
        if (fate != MachineFate::being_removed)
            count_asked(figures, machines[m].id,
                        fate == MachineFate::joined && is_among(leaving.asked),
                        find_removed_machine(memory, figures.id(), machines[m].id), ended);
        const bool is_deleted = machines[m].state == MachineState::deleting;
        if ((joined[m] || counted_elsewhere[m]) && !is_deleted) ++figures.machines.with_node;
    }
    const int listed = figures.machines.listed() - figures.machines.ended;
    figures.machines.unlisted = std::max(0, figures.target() - listed);
}

}  // namespace

int GroupCounts::target() const noexcept { return std::max(0, group->group.target.value_or(0)); }

int GroupCounts::provisioned() const noexcept {
    return nodes.ready + nodes.unready + nodes.suspended + machines.counted_elsewhere +
           machines.node_lost;
}

bool GroupCounts::is_atomic() const noexcept { return group->options.zero_or_max.value_or(false); }

std::vector<GroupCounts> count_groups(const Snapshot& snapshot,
                                      const templates::Membership& membership,
                                      const std::vector<Readiness>& readiness, const Memory& memory,
                                      const Settings& settings) {
    const std::vector<Group>& groups = *snapshot.groups;
    CAPSTAN_ASSERT(membership.nodes.size() == groups.size(),
                   "the membership is of another snapshot");
    const LeavingMachines leaving(memory);
    std::vector<GroupCounts> out(groups.size());
    for (std::size_t g = 0; g < groups.size(); ++g) {
        out[g].group = &groups[g];
        out[g].limit =
            groups[g].options.max_node_provision_time.value_or(settings.max_node_provision_time);
        for (const NodeIndex n : membership.nodes[g]) add_node(readiness[n], out[g].nodes);
        count_machines(out[g], membership.joined[g], membership.counted_elsewhere[g], leaving,
                       memory);
    }
    return out;
}

Time unjoined_since(const Memory& memory, const NodeGroupId& group, const Machine& machine,
                    Time now) noexcept {
    const auto of_group = memory.unjoined.find(group);
    if (of_group == memory.unjoined.end()) return now;
    const auto at = of_group->second.find(machine.id);
    return at == of_group->second.end() ? now : at->second;
}

std::optional<Time> launched_at(const Memory& memory, const NodeGroupId& group,
                                const Machine& machine, const PassTime& time) noexcept {
    if (!machine.launched) return std::nullopt;
    const auto of_group = memory.launched.find(group);
    if (of_group != memory.launched.end()) {
        const auto at = of_group->second.find(machine.id);
        if (at != of_group->second.end()) return at->second;
    }
    return time.measured(*machine.launched);
}

bool is_overdue(const GroupCounts& group, std::size_t machine, const Memory& memory,
                Time now) noexcept {
    CAPSTAN_ASSERT(machine < group.fates.size(), "the group has no such machine");
    const MachineFate fate = group.fates[machine];
    if (fate != MachineFate::requested && fate != MachineFate::begun) return false;
    return now - unjoined_since(memory, group.id(), group.group->machines[machine], now) >
           group.limit;
}

MachineIndices find_machines(const GroupCounts& group, MachineFate fate) {
    MachineIndices out;
    for (std::size_t m = 0; m < group.fates.size(); ++m) {
        if (group.fates[m] == fate) out.push_back(m);
    }
    return out;
}

MachineIndices find_overdue(const GroupCounts& group, MachineFate fate, const Memory& memory,
                            Time now) {
    MachineIndices out = find_machines(group, fate);
    std::erase_if(out, [&](std::size_t m) { return !is_overdue(group, m, memory, now); });
    return out;
}

namespace {

int fitting_size(const Memory& memory, const GroupCounts& group, int to_take_back, Time now) {
    const Backoff* backoff = find_backoff(memory, group.id(), now);
    // When the cloud has capacity again, the one machine joins; nothing else ends the back-off.
    if (backoff != nullptr && !backoff->until)
        return group.machines.real() + (backoff->given_back ? 0 : 1);
    return to_take_back > 0 ? group.target() - to_take_back : group.machines.listed();
}

}  // namespace

void update_incorrect_size(Memory& memory, const GroupCounts& group, int to_take_back, Time now) {
    const int current = fitting_size(memory, group, to_take_back, now);
    const auto at = memory.wrong_sizes.find(group.id());
    if (current >= group.target()) {
        if (at != memory.wrong_sizes.end()) memory.wrong_sizes.erase(at);
        return;
    }
    const bool is_same = at != memory.wrong_sizes.end() && at->second.current == current &&
                         at->second.expected == group.target();
    if (is_same && to_take_back == 0) return;
    memory.wrong_sizes[group.id()] = {.current = current, .expected = group.target(), .since = now};
}

bool is_due(const IncorrectNodeGroupSize& size, const GroupCounts& group, const Memory& memory,
            Time now) {
    return now - size.since > group.limit || is_of_failure(size, group.id(), memory, now);
}

bool is_of_failure(const IncorrectNodeGroupSize& size, const NodeGroupId& group,
                   const Memory& memory, Time now) {
    const Backoff* backoff = find_backoff(memory, group, now);
    return backoff != nullptr && (!backoff->until || backoff->code == ErrorCode::deadline) &&
           size.since <= backoff->last_failure;
}

namespace {

/// Machines of one group without a node, by whether they count as upcoming and why not.
struct MissingMachines {
    int waited_for = 0, failed = 0, late = 0, written_off = 0;
};

void add_part(std::string& sentence, std::string_view between, const std::string& part) {
    sentence.append(sentence.empty() ? "" : between).append(part);
}

std::string not_waited_for(const MissingMachines& machines, Duration limit) {
    std::string out;
    const auto add = [&](int n, const std::string& what) {
        if (n > 0) add_part(out, ", ", counted(n, "machine") + " " + what);
    };
    add(machines.failed, "that failed");
    add(machines.late, "launched more than " + format_duration(limit) + " ago");
    add(machines.written_off, "requested before the group was backed off");
    return out;
}

std::string sentence(const Upcoming& upcoming, const MissingMachines& machines, Duration limit) {
    std::string out;
    if (upcoming.missing > 0) {
        out = counted(upcoming.missing, "machine") + (upcoming.missing == 1 ? " has" : " have") +
              " not joined";
    }
    if (upcoming.starting > 0) {
        add_part(out, ", ",
                 counted(upcoming.starting, "node") + (upcoming.starting == 1 ? " is" : " are") +
                     " not ready");
    }
    const std::string others = not_waited_for(machines, limit);
    if (!others.empty()) add_part(out, "; ", "not counted: " + others);
    return out;
}

class UpcomingCounter {
public:
    UpcomingCounter(const GroupCounts& group, const Memory& memory, NextChange& next_change)
        : group_(group),
          memory_(memory),
          next_change_(next_change),
          is_backed_off_(find_backoff(memory, group.id(), next_change.now()) != nullptr) {}

    void run(GroupHealth& out) {
        for (std::size_t m = 0; m < group_.fates.size(); ++m) count(m, out);
        count_unlisted(out);
        machines_.failed = out.failed = group_.machines.failed + group_.machines.failed_request;
        // After a decrease of the target the cloud will not finish all listed machines.
        const int held = group_.machines.joined + group_.machines.counted_elsewhere;
        const int most = group_.group->group.target.value_or(group_.machines.listed()) - held;
        out.upcoming.missing = std::clamp(most, 0, machines_.waited_for);
        const int asked_for = group_.group->group.target.value_or(group_.machines.listed());
        out.outstanding = std::max(0, asked_for - group_.machines.with_node);
        out.upcoming.because = sentence(out.upcoming, machines_, group_.limit);
    }

private:
    void count(std::size_t m, GroupHealth& out) {
        const MachineFate fate = group_.fates[m];
        if (fate != MachineFate::requested && fate != MachineFate::begun) return;
        const Machine& machine = group_.group->machines[m];
        const Time seen = unjoined_since(memory_, group_.id(), machine, next_change_.now());
        const std::optional<Time> launched =
            launched_at(memory_, group_.id(), machine, next_change_.time());
        // Both are asked, so that next_change_ records both ends.
        const bool seen_late = !next_change_.is_within(seen, group_.limit);
        const bool late =
            (launched && !next_change_.is_within(*launched, group_.limit)) || seen_late;
        ++(late ? out.long_unjoined : out.unjoined);
        const bool given_up =
            is_backed_off_ &&
            (fate == MachineFate::requested ||
             !is_waited_for(memory_, group_.id(), std::min(seen, launched.value_or(seen)),
                            next_change_.now()));
        ++(given_up ? machines_.written_off : late ? machines_.late : machines_.waited_for);
    }

    /// Machines that are not listed have no times of their own, only the request's. Machines that
    /// the cloud has agreed to and does not list yet count as upcoming even if others failed.
    void count_unlisted(GroupHealth& out) {
        const int unlisted = group_.machines.unlisted;
        const AnsweredTarget* const answer = find_counting_answer(memory_, group_.group->group);
        const bool is_agreed =
            answer != nullptr &&
            is_waited_for(memory_, group_.id(), answer->since, next_change_.now());
        const bool is_asked_for = memory_.requests.contains(group_.id());
        (is_backed_off_ && !is_asked_for ? out.long_unjoined : out.unjoined) += unlisted;
        const bool given_up = is_backed_off_ && !is_agreed;
        (given_up ? machines_.written_off : machines_.waited_for) += unlisted;
    }

    const GroupCounts& group_;
    const Memory& memory_;
    NextChange& next_change_;
    bool is_backed_off_;
    MissingMachines machines_{};
};

}  // namespace

bool is_waited_for(const Memory& memory, const NodeGroupId& group, Time since, Time now) noexcept {
    const Backoff* backoff = find_backoff(memory, group, now);
    return backoff == nullptr || backoff->code != ErrorCode::deadline ||
           since > backoff->last_failure;
}

void count_upcoming(const GroupCounts& group, int starting, const Memory& memory,
                    NextChange& next_change, GroupHealth& out) {
    out.upcoming.starting = starting;
    UpcomingCounter(group, memory, next_change).run(out);
}

}  // namespace capstan::engine::health
