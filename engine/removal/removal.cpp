#include "engine/removal/removal.hpp"

#include <algorithm>
#include <chrono>
#include <iterator>
#include <map>
#include <set>
#include <string>
#include <tuple>
#include <utility>

#include <capstan/duration.hpp>
#include <capstan/well_known.hpp>

#include "engine/drainability/leaving_pods.hpp"
#include "engine/health/leaving_nodes.hpp"
#include "engine/next_change.hpp"
#include "engine/removal/drain.hpp"
#include "engine/removal/machine_batches.hpp"
#include "engine/removal/minima.hpp"
#include "engine/removal/phases.hpp"
#include "engine/removal/soft_taints.hpp"

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
        NodeRemoval removal{
            .group = (*snapshot_.groups)[candidate.group].group.id,
            .machine = templates::find_machine(snapshot_, membership_, candidate.node)->id,
            .empty = candidate.is_empty(),
            .ready = candidate.ready,
            .since = now_,
            .phase_since = now_,
            .places = chosen.places,
            .because = chosen.because};
        if (unneeded != memory_.unneeded.end()) removal.unneeded_since = unneeded->second.since;
        memory_.removals.try_emplace(std::move(name), std::move(removal));
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
    for (const scale_down::ChosenNode& chosen : plan.chosen)
        stepping.begin(candidates.nodes[chosen.candidate], chosen);
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
