#include "engine/health/answered_targets.hpp"

#include <algorithm>
#include <iterator>
#include <map>
#include <set>
#include <utility>

#include <capstan/duration.hpp>
#include <capstan/sentence.hpp>

#include "engine/health/reactions.hpp"
#include "engine/health/removed_machines.hpp"
#include "engine/next_change.hpp"
#include "engine/templates/membership.hpp"

namespace capstan::engine::health {
namespace {

/// The machines that one decision took from a group.
struct Lowered {
    int taken_back = 0;  ///< by decreases
    std::set<MachineId> removed{};
    std::set<MachineId> replaced{};  ///< removed, and the target did not fall
    int count() const { return taken_back + static_cast<int>(removed.size()); }
};
using LoweredByGroup = std::map<NodeGroupId, Lowered>;

void note_removed(const MachineRemoval& removal, const std::vector<Error>& failed, Lowered& to) {
    for (const MachineId& machine : removal.machines)
        if (find_error(failed, machine) == nullptr)
            (removal.keep_target ? to.replaced : to.removed).insert(machine);
}

LoweredByGroup find_lowered(const Decision& decision, const Results& results) {
    LoweredByGroup out;
    for (std::size_t i = 0; i < results.decreases.size(); ++i) {
        const Decrease& decrease = decision.decreases[i];
        if (!results.decreases[i]) out[decrease.group].taken_back += decrease.by;
    }
    for (std::size_t i = 0; i < results.removals.size(); ++i)
        note_removed(decision.removals[i], results.removals[i], out[decision.removals[i].group]);
    return out;
}

/// Once the cloud has agreed, NodeRemoval::target is the target without what the decision took.
void lower_targets_of_removals(Memory& memory, const Decision& decision, const Results& results,
                               const LoweredByGroup& lowered) {
    for (std::size_t i = 0; i < std::min(decision.removals.size(), results.removals.size()); ++i) {
        const MachineRemoval& asked = decision.removals[i];
        for (std::size_t m = 0; m < std::min(asked.nodes.size(), asked.machines.size()); ++m) {
            const auto removal = memory.removals.find(asked.nodes[m]);
            if (removal == memory.removals.end()) continue;
            std::optional<int>& target = removal->second.target;
            if (target && find_error(results.removals[i], asked.machines[m]) == nullptr)
                *target -= lowered.at(asked.group).count();
        }
    }
}

/// The listed targets, without machines that clouds have agreed to remove and still list.
class ListedTargets {
public:
    ListedTargets(const std::vector<Group>& listed, const Memory& memory) {
        for (const auto& [node, removal] : memory.removals) {
            if (removal.target && is_still_listed(removal, listed))
                add(removal.group, *removal.target);
        }
        for (const Group& group : memory.removed_machines.empty() ? std::vector<Group>() : listed)
            add_removed(group, memory);
    }
    /// Absent: the cloud reports no target.
    std::optional<int> of(const NodeGroup& group) const {
        const auto at = late_.find(group.id);
        if (!group.target || at == late_.end()) return group.target;
        return *group.target -
               std::clamp(*group.target - at->second.target, 0, at->second.machines);
    }

private:
    struct Late {
        int machines = 0;
        int target = 0;  ///< once all of these machines are gone
    };
    void add(const NodeGroupId& group, int target) {
        Late& late = late_.try_emplace(group, Late{0, target}).first->second;
        ++late.machines;
        late.target = std::min(late.target, target);
    }
    void add_removed(const Group& group, const Memory& memory) {
        const auto of_group = memory.removed_machines.find(group.group.id);
        if (of_group == memory.removed_machines.end()) return;
        for (const Machine& machine : group.machines) {
            const auto at = of_group->second.find(machine.id);
            if (at == of_group->second.end() || !at->second.agreed) continue;
            const std::optional<int> target = at->second.target;
            if (target && machine.state != MachineState::deleting) add(group.group.id, *target);
        }
    }
    std::map<NodeGroupId, Late> late_{};
};

/// Takes the machine out of the answered target. A second call for the machine does nothing.
void end_machine(AnsweredTarget& answer, const MachineId& machine) {
    if (answer.ended.insert(machine).second) --answer.target;
}

void lower_answers(Memory& memory, const LoweredByGroup& lowered) {
    for (const auto& [group, by] : lowered) {
        const auto at = memory.answered_targets.find(group);
        if (at == memory.answered_targets.end()) continue;
        at->second.target -= by.taken_back;
        for (const MachineId& machine : by.removed) end_machine(at->second, machine);
        at->second.ended.insert(by.replaced.begin(), by.replaced.end());
    }
}

/// Records the answer to an accepted increase. `answered`: the target in it; absent: the requested
/// one. It is not known whether the answer includes the machines that the same decision took, so
/// the target is at most the requested one less these machines.
void take_answer(Memory& memory, const Increase& increase, std::optional<int> answered,
                 const LoweredByGroup& lowered, const Settings& settings, Time now) {
    const auto at = lowered.find(increase.group);
    const Lowered gone = at == lowered.end() ? Lowered() : at->second;
    const int most = increase.from + increase.by - gone.count();
    AnsweredTarget& answer = memory.answered_targets[increase.group];
    // A target without an answer so far is only what this increase had asked for.
    const bool was_asked_for = !answer.agreed && answer.target == increase.from + increase.by;
    if (was_asked_for) answer.target = 0;
    answer.target -= std::exchange(answer.unanswered, 0);
    answer.target = std::max(answer.target, std::min(answered.value_or(most), most));
    answer.since = now;
    answer.deadline = later(now, settings.max_node_provision_time);
    answer.agreed = true;
    answer.ended.insert(gone.removed.begin(), gone.removed.end());
    answer.ended.insert(gone.replaced.begin(), gone.replaced.end());
}

bool has_node(const snapshot::Cluster& cluster, const Machine& machine) {
    for (NodeIndex n = 0; n < cluster.node_count(); ++n)
        if (templates::is_node_of(cluster, cluster.node(n), machine)) return true;
    return false;
}

bool has_failed_to_come(const Machine& machine, const snapshot::Cluster& cluster) {
    const bool has_failed = machine.state == MachineState::failed ||
                            (machine.error && machine.state != MachineState::deleting);
    return has_failed && !has_node(cluster, machine);
}

void end_failed(AnsweredTarget& answer, const Group& group, const snapshot::Cluster& cluster,
                const Memory& memory) {
    const auto known = memory.failed_machines.find(group.group.id);
    for (const Machine& machine : group.machines) {
        if (!has_failed_to_come(machine, cluster)) continue;
        // A machine that had failed before the answer is not part of the answered target.
        const bool is_known =
            known != memory.failed_machines.end() && known->second.contains(machine.id);
        if (!is_known) end_machine(answer, machine.id);
    }
}

/// Whether the request of the group times out in this pass and backs the group off: until then an
/// answer without machines has to count.
bool is_request_due(const Memory& memory, const Group& group, Duration limit, Time now) {
    const auto request = memory.requests.find(group.group.id);
    return request != memory.requests.end() && later(request->second.since, limit) < now;
}

/// Takes the part from calls without an answer out of the target, answer_time after the last call.
void end_unanswered(AnsweredTarget& answer, Time now) {
    if (now <= answer.unanswered_until) return;
    answer.target -= std::exchange(answer.unanswered, 0);
}

/// Whether the answer still counts; `listed`: the listed target.
bool update_answer(AnsweredTarget& answer, const Group* group, std::optional<int> listed,
                   const snapshot::Cluster& cluster, const Memory& memory, const Settings& settings,
                   Time now) {
    end_unanswered(answer, now);
    // If the cloud reports no target, only the time can end the answer.
    if (!listed) return now <= answer.deadline;
    const Duration limit =
        group->options.max_node_provision_time.value_or(settings.max_node_provision_time);
    if (answer.agreed)
        answer.deadline = later(answer.since, std::min(limit, group->target_lag.value_or(limit)));
    end_failed(answer, *group, cluster, memory);
    if (*listed >= answer.target) return false;
    if (now <= answer.deadline) return true;
    // The request of a group that cannot be read does not time out now.
    return answer.agreed && group->unreadable_because.empty() &&
           is_request_due(memory, *group, limit, now);
}

/// The answer that counts; NULL: the listed target counts.
const AnsweredTarget* find_answer(const Memory& memory, const NodeGroup& group,
                                  const ListedTargets& targets) {
    const auto at = memory.answered_targets.find(group.id);
    if (at == memory.answered_targets.end()) return nullptr;
    const std::optional<int> listed = targets.of(group);
    return listed && *listed < at->second.target ? &at->second : nullptr;
}

std::string because_of(const AnsweredTarget& answer, int listed) {
    const std::string target = std::to_string(answer.target);
    const std::string requested = target + " was requested without a known response";
    const std::string agreed = "accepted a change to " +
                               std::to_string(answer.target - answer.unanswered) +
                               (answer.unanswered > 0 ? ", and " + requested : "");
    return "the cloud lists a target of " + std::to_string(listed) + ", but " +
           (answer.agreed ? agreed : requested) + ": " + target +
           " is used until it is listed, for at most " +
           format_duration(answer.deadline - answer.since);
}

/// The increase was refused: takes it out of the target if it was counted without a known answer.
void take_refusal(Memory& memory, const Increase& increase) {
    const auto at = memory.answered_targets.find(increase.group);
    if (at == memory.answered_targets.end()) return;
    AnsweredTarget& answer = at->second;
    const bool is_counted = answer.target == increase.from + increase.by;
    if (answer.agreed && is_counted && answer.unanswered > 0) {
        answer.target -= std::exchange(answer.unanswered, 0);
    } else if (!answer.agreed && is_counted) {
        memory.answered_targets.erase(at);
    }
}

}  // namespace

void expect_answer(Memory& memory, const Increase& increase, Time now) {
    AnsweredTarget& answer = memory.answered_targets[increase.group];
    const int more = std::max(0, increase.from + increase.by - answer.target);
    answer.target += more;
    if (answer.agreed) {
        // The deadline of the part that was agreed to does not change.
        answer.unanswered += more;
        answer.unanswered_until = later(now, answer_time);
        return;
    }
    answer.since = now;
    answer.deadline = later(now, answer_time);
}

Memory remember_answers(Memory memory, const Decision& decision, const Results& results,
                        const Settings& settings, Time now) {
    const LoweredByGroup lowered = find_lowered(decision, results);
    lower_targets_of_removals(memory, decision, results, lowered);
    lower_answers(memory, lowered);
    for (std::size_t i = 0; i < results.increases.size(); ++i) {
        const Increase& increase = decision.increases[i];
        const std::optional<Error>& error = results.increases[i];
        if (!error) {
            const bool is_known = i < results.answered_targets.size();
            take_answer(memory, increase, is_known ? results.answered_targets[i] : std::nullopt,
                        lowered, settings, now);
        } else if (is_outcome_open(Call::increase, *error)) {
            expect_answer(memory, increase, now);
        } else {
            take_refusal(memory, increase);
        }
    }
    for (std::size_t i = 0; i < results.deletions.size(); ++i)
        if (!results.deletions[i]) memory.answered_targets.erase(decision.deletions[i].group);
    return memory;
}

Memory update_answered_targets(Memory memory, const Snapshot& listed, const Settings& settings,
                               Time now) {
    const ListedTargets targets(*listed.groups, memory);
    for (auto& [id, answer] : std::exchange(memory.answered_targets, {})) {
        const Group* const group = find_group(listed, id);
        const std::optional<int> target =
            group != nullptr ? targets.of(group->group) : std::nullopt;
        if (update_answer(answer, group, target, listed.cluster, memory, settings, now))
            memory.answered_targets.emplace(id, std::move(answer));
    }
    return memory;
}

Snapshot with_answered_targets(const Snapshot& listed, const Memory& memory) {
    const ListedTargets targets(*listed.groups, memory);
    const auto counted = [&](const Group& group) {
        const AnsweredTarget* const answer = find_answer(memory, group.group, targets);
        return answer != nullptr ? std::optional(answer->target) : targets.of(group.group);
    };
    const auto counts_as_listed = [&](const Group& group) {
        return counted(group) == group.group.target;
    };
    if (std::ranges::all_of(*listed.groups, counts_as_listed)) return listed;
    std::vector<Group> groups = *listed.groups;
    for (Group& group : groups) group.group.target = counted(group);
    Snapshot out = listed;
    out.groups = std::make_shared<const std::vector<Group>>(std::move(groups));
    return out;
}

void set_listed_targets(Decision& decision, const Snapshot& listed) {
    const auto set = [&](auto& change) {
        const Group* const group = find_group(listed, change.group);
        change.listed = group != nullptr ? group->group.target.value_or(change.from) : change.from;
    };
    std::ranges::for_each(decision.decreases, set);
    std::ranges::for_each(decision.increases, set);
}

bool is_still_listed(const NodeRemoval& removal, const std::vector<Group>& groups) noexcept {
    if (removal.phase != RemovalPhase::removed) return false;
    const Group* const group = find_group(groups, removal.group);
    if (group == nullptr) return false;
    const auto machine =
        std::ranges::lower_bound(group->machines, removal.machine, {}, &Machine::id);
    return machine != group->machines.end() && machine->id == removal.machine &&
           machine->state != MachineState::deleting;
}

const AnsweredTarget* find_counting_answer(const Memory& memory, const NodeGroup& group) noexcept {
    const auto at = memory.answered_targets.find(group.id);
    const bool counts = at != memory.answered_targets.end() && at->second.target == group.target;
    return counts ? &at->second : nullptr;
}

int count_uncertain(const Memory& memory, const Group& group) noexcept {
    const AnsweredTarget* const answer = find_counting_answer(memory, group.group);
    if (answer == nullptr) return 0;
    if (answer->agreed) return answer->unanswered;
    const auto listed = std::ranges::count_if(group.machines, [](const Machine& machine) {
        return machine.state != MachineState::deleting;
    });
    return std::max(0, answer->target - static_cast<int>(listed));
}

std::string why_target_counts(const Group& group, const std::vector<Group>& listed,
                              const Memory& memory) {
    const ListedTargets targets(listed, memory);
    const std::optional<int>& reported = group.group.target;
    const std::optional<int> target = targets.of(group.group);
    if (!reported || !target) return {};
    if (const AnsweredTarget* const answer = find_answer(memory, group.group, targets))
        return because_of(*answer, *reported);
    if (*target == *reported) return {};
    return "the cloud lists a target of " + std::to_string(*reported) +
           ", but accepted the removal of " + counted(*reported - *target, "machine") + ": " +
           std::to_string(*target) + " is used";
}

std::vector<std::string> describe_answered_targets(const Snapshot& listed, const Memory& memory) {
    const ListedTargets targets(*listed.groups, memory);
    std::vector<std::string> out;
    for (const auto& [id, answer] : memory.answered_targets) {
        const Group* const group = find_group(listed, id);
        if (group == nullptr || find_answer(memory, group->group, targets) == nullptr) continue;
        if (const std::optional<int>& reported = group->group.target)
            out.push_back("group " + id.value() + ": " + because_of(answer, *reported));
    }
    return out;
}

std::optional<Time> next_answer_end(const Memory& memory, Time now) noexcept {
    NextChange next_change(now);
    for (const auto& [group, answer] : memory.answered_targets) {
        // The deadline is over, but the answer counted because of a request that was due; the next
        // pass will end it.
        if (!next_change.is_before_end(answer.deadline)) return now;
        if (answer.unanswered > 0 && !next_change.is_before_end(answer.unanswered_until))
            return now;
    }
    return next_change.at();
}

}  // namespace capstan::engine::health
