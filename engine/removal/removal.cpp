#include "engine/removal/removal.hpp"

#include <algorithm>
#include <chrono>
#include <iterator>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>

#include <capstan/assert.hpp>
#include <capstan/duration.hpp>
#include <capstan/sentence.hpp>
#include <capstan/well_known.hpp>

#include "engine/drainability/leaving_pods.hpp"
#include "engine/health/leaving_nodes.hpp"
#include "engine/next_change.hpp"
#include "engine/removal/drain.hpp"
#include "engine/removal/minima.hpp"
#include "engine/removal/phases.hpp"
#include "engine/templates/membership.hpp"

namespace capstan::engine::removal {
namespace {

/// Until a removal whose group is under repair is looked at again.
constexpr Duration repair_pause = std::chrono::seconds(10);

/// The annotation that delays the removal; empty: there is none.
std::string find_delay(const snapshot::Cluster& cluster, const snapshot::NodeRow& node) {
    for (const snapshot::LabelPair& pair : node.annotations)
        if (cluster.text(pair.key).starts_with(well_known::delay_deletion_annotation_prefix))
            return std::string(cluster.text(pair.key));
    return {};
}

// Batches of machines
//
// Clouds limit the rate of calls, and most clouds can remove many machines of a group in one call.
// So a removal that is ready waits for the batch interval, counted from the first one of its
// group, and all that are ready by then are removed together.

using Removals = decltype(Memory::removals);

RemovalCause cause_of(const NodeRemoval& removal) {
    if (!removal.ready) return RemovalCause::unready;
    return removal.empty ? RemovalCause::empty : RemovalCause::underutilized;
}

/// The removals of one group that are ready.
struct Batch {
    std::vector<std::string> ready{};
    Time first = Time::max();  ///< since when the first of them waits
    bool is_whole = true;      ///< all removals of the group are ready
};

std::map<NodeGroupId, Batch> find_batches(const Removals& removals,
                                          const std::set<std::string>& ready) {
    std::map<NodeGroupId, Batch> out;
    for (const auto& [node, removal] : removals) {
        if (!is_revocable(removal.phase)) continue;
        Batch& batch = out[removal.group];
        if (!ready.contains(node)) {
            batch.is_whole = false;
            continue;
        }
        batch.ready.push_back(node);
        batch.first = std::min(batch.first, removal.phase_since);
    }
    return out;
}

MachineRemoval make_machine_removal(const Group& group, RemovalCause cause,
                                    const std::vector<const Removals::value_type*>& members) {
    MachineRemoval out{.group = group.group.id, .cloud = group.cloud, .cause = cause};
    for (const auto* member : members) {
        out.machines.push_back(member->second.machine);
        out.nodes.push_back(member->first);
    }
    out.because = members.size() == 1
                      ? members[0]->second.because.text()
                      : listed(members, [](const auto* member) {
                            return member->first + ": " + member->second.because.text();
                        });
    return out;
}

/// Moves the removals of the nodes in `ready` from phase `delayed` to `deleting`: those of a group
/// together once the first of them has waited for the batch interval, those of a zero-or-max group
/// once all of its removals are ready. `wake_at`: when the next batch is due.
void start_deleting(const Snapshot& snapshot, const std::set<std::string>& ready, Memory& memory,
                    const ScaleDownSettings& settings, Time now, std::optional<Time>& wake_at) {
    for (const auto& [group, batch] : find_batches(memory.removals, ready)) {
        if (batch.ready.empty()) continue;
        const Time due = later(batch.first, settings.node_deletion_batcher_interval);
        if (is_zero_or_max(find_group(snapshot, group))) {
            if (!batch.is_whole) continue;
        } else if (now < due) {
            wake_by(wake_at, due);
            continue;
        }
        for (const std::string& node : batch.ready) {
            NodeRemoval& removal = memory.removals.at(node);
            CAPSTAN_ASSERT(removal.phase == RemovalPhase::delayed,
                           "a machine is removed before its node is drained");
            enter(removal, RemovalPhase::deleting, now);
        }
    }
    for (auto& [node, removal] : memory.removals) {
        if (removal.phase != RemovalPhase::deleting) continue;
        const Group* const group = find_group(snapshot, removal.group);
        if (group != nullptr) removal.target = group->group.target;
    }
}

/// The removals in phase `deleting`, one action for each group and cause; all machines of a
/// zero-or-max group are in one action.
std::vector<MachineRemoval> make_machine_removals(const Snapshot& snapshot, const Memory& memory) {
    std::map<NodeGroupId, std::map<RemovalCause, std::vector<const Removals::value_type*>>> batches;
    for (const auto& entry : memory.removals) {
        if (entry.second.phase != RemovalPhase::deleting) continue;
        const bool is_one = is_zero_or_max(find_group(snapshot, entry.second.group));
        batches[entry.second.group][is_one ? RemovalCause::underutilized : cause_of(entry.second)]
            .push_back(&entry);
    }
    std::vector<MachineRemoval> out;
    for (const auto& [id, causes] : batches) {
        const Group* group = find_group(snapshot, id);
        if (group == nullptr || is_unreadable(group)) continue;
        for (const auto& [cause, members] : causes)
            out.push_back(make_machine_removal(*group, cause, members));
    }
    return out;
}

/// PreferNoSchedule taints on nodes that may be removed soon, so that the scheduler prefers other
/// nodes. The changes, by node. First takes the taint off nodes that are not in `wanted` and not
/// being removed, then sets it on nodes in `wanted`; both together are at most as many as the
/// settings allow in one pass. With a maximum of 0 all such taints are taken off at once. Nodes in
/// no group are not changed, nor, unless the maximum is 0, nodes of groups that cannot be read.
std::vector<NodeChange> plan_soft_taints(const PassView& view,
                                         std::span<const std::string> wanted) {
    const snapshot::Cluster& cluster = view.snapshot.cluster;
    const ScaleDownSettings& settings = view.settings.scale_down;
    const bool is_off = settings.max_bulk_soft_taint_count == 0;
    const std::set<std::string_view> candidates(wanted.begin(), wanted.end());
    std::vector<NodeChange> drops, sets;
    for (NodeIndex node = 0; node < cluster.node_count(); ++node) {
        const snapshot::NodeRow& row = cluster.node(node);
        const std::optional<templates::MachineIndex>& machine = view.membership.machine_of[node];
        const bool is_tainted = has_taint(row, deletion_candidate_taint);
        const bool is_wanted = !is_off && candidates.contains(cluster.text(row.name));
        if (is_tainted == is_wanted || !machine) continue;
        // While a group cannot be read, it is not known whether its nodes are still needed.
        if (!is_off && is_unreadable(&(*view.snapshot.groups)[machine->group])) continue;
        if (view.memory.removals.contains(cluster.text(row.name))) continue;
        std::string name(cluster.text(row.name));
        if (is_tainted) {
            drops.push_back({.node = std::move(name),
                             .drop_taints = {std::string(deletion_candidate_taint)},
                             .because = is_off ? "soft taints are off" : "needed again"});
        } else {
            sets.push_back({.node = std::move(name),
                            .set_taints = {dated_taint(deletion_candidate_taint,
                                                       Effect::prefer_no_schedule, view.time.wall)},
                            .because = "may be removed soon"});
        }
    }
    if (!is_off) {
        const auto most = static_cast<std::size_t>(settings.max_bulk_soft_taint_count);
        drops.resize(std::min(drops.size(), most));
        sets.resize(std::min(sets.size(), most - drops.size()));
    }
    drops.insert(drops.end(), std::make_move_iterator(sets.begin()),
                 std::make_move_iterator(sets.end()));
    std::ranges::sort(drops, {}, &NodeChange::node);
    return drops;
}

class Stepping {
public:
    Stepping(const PassView& view, const std::set<NodeGroupId>& groups_under_repair,
             const health::Repairs& repairs, pods::DisruptionBudgets budgets, Memory& memory)
        : view_(view),
          snapshot_(view.snapshot),
          cluster_(snapshot_.cluster),
          membership_(view.membership),
          groups_under_repair_(groups_under_repair),
          repairs_(repairs),
          budgets_(std::move(budgets)),
          memory_(memory),
          settings_(view.settings),
          time_(view.time),
          now_(time_.now) {}

    void begin(const drainability::Candidate& candidate, const scale_down::ChosenNode& chosen) {
        std::string name(cluster_.text(cluster_.node(candidate.node).name));
        const auto unneeded = memory_.unneeded.find(name);
        const Machine* const machine =
            templates::find_machine(snapshot_, membership_, candidate.node);
        CAPSTAN_ASSERT(machine != nullptr, "a node without a machine is removed");
        NodeRemoval removal{.group = (*snapshot_.groups)[candidate.group].group.id,
                            .machine = machine->id,
                            .empty = candidate.is_empty(),
                            .ready = candidate.ready,
                            .since = now_,
                            .phase_since = now_,
                            .places = chosen.places,
                            .because = chosen.because};
        if (unneeded != memory_.unneeded.end()) removal.unneeded_since = unneeded->second.since;
        const bool is_new =
            memory_.removals.try_emplace(std::move(name), std::move(removal)).second;
        CAPSTAN_ASSERT(is_new, "the removal of a node begins twice");
    }

    void advance_all() {
        // Removals that began earlier take from the budgets first.
        std::vector<std::pair<Time, std::string>> order;
        for (const auto& [node, removal] : memory_.removals)
            order.emplace_back(removal.since, node);
        std::ranges::sort(order);
        for (const auto& [since, node] : order)
            if (const auto index = cluster_.find_node(node))
                advance(node, *index, memory_.removals.at(node));
        enforce_minima();
        undo_broken_sets();
        start_deleting(snapshot_, ready_, memory_, settings_.scale_down, now_, steps_.wake_at);
    }

    RemovalSteps take_steps(const scale_down::ScaleDown& plan) {
        for (auto& [node, removal] : memory_.removals)
            if (const auto index = cluster_.find_node(node))
                write_marks(node, cluster_.node(*index), removal);
        std::ranges::move(plan_soft_taints(view_, plan.soft_taint_nodes),
                          std::back_inserter(steps_.node_changes));
        std::ranges::sort(steps_.node_changes, {}, &NodeChange::node);
        steps_.removals = make_machine_removals(snapshot_, memory_);
        std::erase_if(steps_.evictions, [&](const Eviction& eviction) {
            return memory_.removals.at(eviction.node).phase != RemovalPhase::draining;
        });
        std::ranges::sort(steps_.evictions, {}, [](const Eviction& eviction) {
            return std::tie(eviction.node, eviction.ns, eviction.pod);
        });
        // An evicted pod may be gone at once, and then its drain goes on.
        if (!steps_.evictions.empty() || (plan.has_waiting && frees_turns()))
            wake_by(steps_.wake_at, now_);
        return std::move(steps_);
    }

private:
    void advance(const std::string& node, NodeIndex index, NodeRemoval& removal) {
        if (was_unmarked(cluster_.node(index), removal))
            return end_unmarked_removal(memory_, removal, settings_, now_);
        if (is_held(removal)) return;
        if (removal.phase == RemovalPhase::tainting && removal.since != now_)
            look_again(index, removal);
        if (removal.phase == RemovalPhase::waiting) end_waiting(removal);
        if (removal.phase == RemovalPhase::draining) drain(index, removal);
        if (removal.phase == RemovalPhase::delayed) end_delay(node, index, removal);
        if (removal.phase == RemovalPhase::deleting) undo_for_pods(index, removal);
        if (removal.phase == RemovalPhase::removed) end_removed(node, index, removal);
    }

    /// Whether another client took our taint off the node. A view may be older than the taint, so
    /// the taint counts as taken off only if an earlier pass has seen it.
    static bool was_unmarked(const snapshot::NodeRow& row, NodeRemoval& removal) {
        const bool is_to_be_asked = removal.phase == RemovalPhase::deleting && !removal.asked;
        if (!is_revocable(removal.phase) && !is_to_be_asked) return false;
        if (removal.phase == RemovalPhase::tainting) return false;
        if (carries_mark_of(removal, row)) removal.mark_seen = true;
        return removal.mark_seen && !has_taint(row, to_be_deleted_taint);
    }

    /// Checks the node's pods again while it could not be tainted: until then the scheduler may put
    /// pods there.
    void look_again(NodeIndex index, NodeRemoval& removal) {
        const drainability::LeavingPods pods =
            drainability::find_leaving_pods(cluster_, index, budgets_, settings_, time_);
        const std::string because =
            removal.empty ? drainability::why_not_empty(cluster_, pods) : pods.blocked_because;
        if (!because.empty()) undo(removal, because);
    }

    void end_waiting(NodeRemoval& removal) {
        const Time due =
            later(removal.phase_since, settings_.scale_down.node_delete_delay_after_taint);
        if (now_ < due) return wake_by(steps_.wake_at, due);
        enter(removal, RemovalPhase::draining, now_);
    }

    /// When the cloud takes the node's machine; absent: it does not.
    std::optional<Time> find_leaving_time(NodeIndex index) const {
        const Machine* const machine = templates::find_machine(snapshot_, membership_, index);
        if (machine == nullptr) return std::nullopt;
        NextChange unanswered(time_);  // not used: health::assess asks the same
        const auto departure = health::find_departure(*machine, settings_, unanswered);
        return departure && departure->is_vacated ? std::optional(departure->at) : std::nullopt;
    }

    void drain(NodeIndex index, NodeRemoval& removal) {
        DrainStep step = step_drain(view_, index, find_leaving_time(index), removal, budgets_);
        if (!step.failed_because.empty())
            return step.has_stuck_pods ? fail(removal, step.failed_because)
                                       : undo(removal, step.failed_because);
        if (step.wake_at) wake_by(steps_.wake_at, *step.wake_at);
        for (Eviction& eviction : step.evictions) steps_.evictions.push_back(std::move(eviction));
        if (!step.is_done) return;
        enter(removal, RemovalPhase::delayed, now_);
        removal.evictions.clear();
    }

    /// Undoes the removal if pods that tolerate the taints have come after the drain. Whether it
    /// did.
    bool undo_for_pods(NodeIndex index, NodeRemoval& removal) {
        const std::string because = drainability::why_not_empty(
            cluster_, drainability::find_leaving_pods(cluster_, index, budgets_, settings_, time_));
        if (!because.empty()) undo(removal, because);
        return !because.empty();
    }

    void end_delay(const std::string& node, NodeIndex index, NodeRemoval& removal) {
        if (undo_for_pods(index, removal)) return;
        const std::string delay = find_delay(cluster_, cluster_.node(index));
        const Time last =
            later(removal.phase_since, settings_.scale_down.node_deletion_delay_timeout);
        if (!delay.empty() && now_ < last) return wake_by(steps_.wake_at, last);
        if (groups_under_repair_.contains(removal.group))
            return wake_by(steps_.wake_at, later(now_, repair_pause));
        if (!delay.empty()) note(node, "is removed although " + delay + " is still set");
        ready_.insert(node);
    }

    void end_removed(const std::string& node, NodeIndex index, NodeRemoval& removal) {
        const Machine* machine = templates::find_machine(snapshot_, membership_, index);
        if (machine != nullptr && machine->error && machine->state != MachineState::deleting)
            return fail(removal, "the cloud accepted the removal of the machine, then failed: " +
                                     machine->error->message);
        const Duration most = settings_.scale_down.max_deletion_time;
        const Time last = later(removal.phase_since, most);
        if (now_ < last) return wake_by(steps_.wake_at, last);
        if (machine != nullptr && machine->state == MachineState::deleting) {
            note(node, "still exists: its machine has been terminating for more than " +
                           format_duration(most));
        } else if (machine != nullptr) {
            fail(removal, "the machine still runs " + format_duration(most) +
                              " after the cloud accepted its removal");
        } else {
            note(node,
                 "still exists " + format_duration(most) +
                     " after the cloud accepted the removal of its machine, which is deleted");
            memory_.removals.erase(node);
        }
    }

    /// While its group cannot be read, a removal waits unless it is being undone.
    bool is_held(const NodeRemoval& removal) const {
        return removal.phase != RemovalPhase::undoing &&
               is_unreadable(find_group(snapshot_, removal.group));
    }

    void undo(NodeRemoval& removal, const std::string& because) {
        give_up(memory_, removal, because, now_);
    }

    void fail(NodeRemoval& removal, const std::string& because) {
        give_up_and_back_off(memory_, removal, because, settings_, now_);
    }

    /// Undoes removals that would break a minimum. Group and cluster may have lost machines since a
    /// node was chosen, through another client or a repair. Removals with a repeated request are
    /// checked again, too.
    void enforce_minima() {
        Minima minima(snapshot_, membership_, memory_, repairs_, settings_);
        for (const std::vector<std::string>& nodes : find_removal_sets()) {
            const std::string because = minima.take(nodes);
            if (because.empty()) continue;
            for (const std::string& node : nodes) {
                ready_.erase(node);
                undo(memory_.removals.at(node), because);
            }
        }
    }

    /// The nodes of machines to be removed: nodes that are in `deleting` already come first.
    /// All nodes of a zero-or-max group are in one set, any other node is in a set of its own.
    std::vector<std::vector<std::string>> find_removal_sets() const {
        std::vector<std::vector<std::string>> out;
        std::map<NodeGroupId, std::size_t> atomics;
        const auto add = [&](const std::string& node) {
            const NodeGroupId& group = memory_.removals.at(node).group;
            const bool is_atomic = is_zero_or_max(find_group(snapshot_, group));
            const std::size_t at =
                is_atomic ? atomics.try_emplace(group, out.size()).first->second : out.size();
            if (at == out.size()) out.emplace_back();
            out[at].push_back(node);
        };
        for (const auto& [node, removal] : memory_.removals)
            if (removal.phase == RemovalPhase::deleting && !is_held(removal)) add(node);
        for (const std::string& node : ready_) add(node);
        return out;
    }

    /// Undoes all removals of a group that is only ever full or empty if one of them is undone.
    void undo_broken_sets() {
        std::set<NodeGroupId> broken;
        for (const auto& [node, removal] : memory_.removals)
            if (removal.phase == RemovalPhase::undoing &&
                is_zero_or_max(find_group(snapshot_, removal.group)))
                broken.insert(removal.group);
        for (auto& [node, removal] : memory_.removals)
            if ((is_revocable(removal.phase) || removal.phase == RemovalPhase::deleting) &&
                broken.contains(removal.group))
                undo(removal, "group " + removal.group.value() +
                                  " is removed atomically, and another of its nodes stays");
    }

    /// Requests the marks on the node for this phase, in each pass until the result is known.
    void write_marks(const std::string& node, const snapshot::NodeRow& row, NodeRemoval& removal) {
        if (is_held(removal)) return;
        auto& changes = steps_.node_changes;
        if (removal.phase == RemovalPhase::tainting)
            changes.push_back(make_mark(cluster_, row, removal, settings_.scale_down, time_));
        if (removal.phase == RemovalPhase::deleting)
            changes.push_back(make_announcement(node, removal, time_));
        if (removal.phase != RemovalPhase::undoing) return;
        changes.push_back(make_unmark(node, removal));
        note(node, "is not removed: " + removal.because.text());
    }

    /// Whether other removals may begin once the steps are done that are requested for the first
    /// time. A step that is requested again failed before, and may fail for a long time.
    bool frees_turns() const {
        return std::ranges::any_of(memory_.removals, [this](const auto& entry) {
            const NodeRemoval& removal = entry.second;
            return removal.phase_since == now_ && (removal.phase == RemovalPhase::undoing ||
                                                   removal.phase == RemovalPhase::deleting);
        });
    }

    void note(const std::string& node, const std::string& what) {
        steps_.notes.push_back("node " + node + " " + what);
    }

    const PassView& view_;
    const Snapshot& snapshot_;
    const snapshot::Cluster& cluster_;
    const templates::Membership& membership_;
    const std::set<NodeGroupId>& groups_under_repair_;
    const health::Repairs& repairs_;
    pods::DisruptionBudgets budgets_;
    Memory& memory_;
    const Settings& settings_;
    const PassTime& time_;
    const Time now_;
    std::set<std::string> ready_{};
    RemovalSteps steps_{};
};

}  // namespace

RemovalSteps step_removals(const PassView& view, const drainability::Candidates& candidates,
                           const scale_down::ScaleDown& plan, const health::Repairs& repairs,
                           pods::DisruptionBudgets budgets, Memory& memory) {
    Stepping stepping(view, plan.groups_under_repair, repairs, std::move(budgets), memory);
    for (const scale_down::ChosenNode& chosen : plan.chosen) {
        CAPSTAN_ASSERT(chosen.candidate < candidates.nodes.size(), "there is no such candidate");
        stepping.begin(candidates.nodes[chosen.candidate], chosen);
    }
    stepping.advance_all();
    return stepping.take_steps(plan);
}

RemovalSteps step_undoing_only(const Snapshot& snapshot, const Memory& memory) {
    RemovalSteps out;
    for (const auto& [node, removal] : memory.removals) {
        if (removal.phase != RemovalPhase::undoing || !snapshot.cluster.find_node(node)) continue;
        out.node_changes.push_back(make_unmark(node, removal));
        out.notes.push_back("node " + node + " is not removed: " + removal.because.text());
    }
    return out;
}

}  // namespace capstan::engine::removal
