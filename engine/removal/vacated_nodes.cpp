#include "engine/removal/vacated_nodes.hpp"

#include <algorithm>
#include <charconv>
#include <chrono>
#include <cstdint>
#include <iterator>
#include <set>
#include <span>
#include <tuple>
#include <utility>

#include <capstan/assert.hpp>

#include "engine/drainability/drain_rules/drain_rules.hpp"
#include "engine/drainability/eviction_refusals.hpp"
#include "engine/drainability/leaving_pods.hpp"
#include "engine/drainability/pods_on_node.hpp"
#include "engine/next_change.hpp"
#include "engine/node_marks.hpp"
#include "engine/removal/drain.hpp"
#include "engine/removal/phases.hpp"

namespace capstan::engine::removal {
namespace {

/// Whether a removal of the node is under way that drains it. The drain keeps to the time that is
/// left, too.
bool is_drained(const Memory& memory, std::string_view node) {
    const auto at = memory.removals.find(node);
    return at != memory.removals.end() && at->second.phase != RemovalPhase::undoing;
}

std::string why_leaving(const Machine& machine) {
    return "the machine has a termination notice: " + leaving_text(health::notice_of(machine));
}

class Vacating {
public:
    Vacating(const PassView& view, pods::DisruptionBudgets& budgets, FreePlaces& places,
             Memory& memory)
        : snapshot_(view.snapshot),
          cluster_(snapshot_.cluster),
          membership_(view.membership),
          budgets_(budgets),
          places_(places),
          memory_(memory),
          settings_(view.settings),
          time_(view.time),
          now_(time_.now) {}

    void step(const health::LeavingNode& leaving) {
        const std::string name = name_of(leaving.node);
        LeavingNodeRecord& record = memory_.leaving.at(name);
        const Machine* const machine =
            templates::find_machine(snapshot_, membership_, leaving.node);
        CAPSTAN_ASSERT(machine != nullptr, "a node without a machine is vacated");
        because_ = why_leaving(*machine);
        forget_those_gone(leaving.node, record);
        const bool is_ours = settings_.scale_down.drain_leaving_nodes && !is_drained(memory_, name);
        std::vector<PodIndex> pods(cluster_.pods_on(leaving.node).begin(),
                                   cluster_.pods_on(leaving.node).end());
        drainability::sort_by_name(cluster_, pods);
        for (const PodIndex pod : pods) {
            // Another program, or a removal under way, moves the pod to its place.
            const bool has_place = drainability::is_recreated(cluster_, pod, settings_) &&
                                   take_place(places_, cluster_, pod);
            if (is_ours) step_pod(pod, has_place, leaving.departure.at, record);
        }
    }

    VacatingSteps take() {
        std::ranges::sort(steps_.evictions, {}, [](const Eviction& eviction) {
            return std::tie(eviction.node, eviction.ns, eviction.pod);
        });
        return std::move(steps_);
    }

private:
    std::string name_of(NodeIndex node) const {
        return std::string(cluster_.text(cluster_.node(node).name));
    }

    void forget_those_gone(NodeIndex node, LeavingNodeRecord& record) const {
        std::set<std::string> there;
        for (const PodIndex pod : cluster_.pods_on(node))
            there.insert(drainability::pod_key(cluster_, pod));
        std::erase_if(record.evictions,
                      [&](const auto& entry) { return !there.contains(entry.first); });
    }

    void step_pod(PodIndex pod, bool has_place, Time leaves, LeavingNodeRecord& record) {
        if (cluster_.pod(pod).deleted) return;
        const drainability::DrainVerdict verdict =
            drainability::judge(pod, {cluster_, settings_, budgets_, time_});
        using enum drainability::Drain;
        const bool is_kept =
            verdict.drain == skip || verdict.drain == daemon || verdict.rule == "several_pdbs";
        if (is_kept) return;
        const bool may_move = verdict.drain == move || verdict.rule == "pdb";
        const snapshot::PodSpec& spec =
            *cluster_.equivalence_group(cluster_.equivalence_group_of(pod)).spec;
        const Time last = last_eviction(spec, settings_.scale_down, leaves);
        if (now_ < last && !(has_place && may_move)) return wake_by(steps_.wake_at, last);
        const EvictionGrace grace = grace_until(spec, settings_.scale_down, leaves, now_);
        if (!grace.is_too_late) evict_when_due(pod, grace.shorter, record);
    }

    void evict_when_due(PodIndex pod, std::optional<Duration> grace, LeavingNodeRecord& record) {
        NodeRemoval::Eviction& past = record.evictions[drainability::pod_key(cluster_, pod)];
        const auto last = std::max(past.agreed, past.refused);
        const Duration retry = settings_.scale_down.eviction_retry;
        const bool is_due = !last || later(*last, retry) <= now_;
        wake_by(steps_.wake_at, later(is_due ? now_ : *last, retry));
        if (!is_due) return;
        const std::span<const PodIndex> it(&pod, 1);
        if (const auto shortage = budgets_.find_shortage(it))
            return drainability::note_refusal(past, ErrorCode::throttled, shortage->sentence, now_);
        budgets_.take(it);
        steps_.evictions.push_back(make_eviction(cluster_, pod, grace, because_));
    }

    const Snapshot& snapshot_;
    const snapshot::Cluster& cluster_;
    const templates::Membership& membership_;
    pods::DisruptionBudgets& budgets_;
    FreePlaces& places_;
    Memory& memory_;
    const Settings& settings_;
    const PassTime& time_;
    const Time now_;
    std::string because_{};
    VacatingSteps steps_{};
};

/// The taint that a node is to have; absent: none.
std::optional<Taint> find_wanted_taint(const health::Departure* departure, const Machine& machine,
                                       const Settings& settings, const PassTime& time) {
    if (departure == nullptr || !settings.scale_down.drain_leaving_nodes) return std::nullopt;
    const Effect effect = departure->is_vacated ? Effect::no_schedule : Effect::prefer_no_schedule;
    return dated_taint(leaving_taint, effect, health::notice_of(machine).at.value_or(time.wall));
}

/// Whether the node works although no cloud lists its machine and the time of the notice, which is
/// the taint's value, is over: its group has left the cloud's settings. The node of a machine that
/// is gone is not ready for long, so its taint stays until others delete the node.
bool has_outlived(const snapshot::NodeRow& node, const Taint& taint, const Settings& settings,
                  NextChange& next_change) {
    if (!node.ready) return false;
    std::int64_t seconds = 0;
    const char* const end = taint.value.data() + taint.value.size();
    const bool is_dated = std::from_chars(taint.value.data(), end, seconds).ptr == end &&
                          seconds >= 0 &&
                          seconds < Time::max().time_since_epoch() / std::chrono::seconds(1);
    if (!is_dated || !settings.scale_down.drain_leaving_nodes) return true;
    return !next_change.is_younger(next_change.time().measured(Time(std::chrono::seconds(seconds))),
                                   settings.scale_down.max_deletion_time);
}

std::vector<NodeChange> plan_leaving_taints(const Snapshot& snapshot,
                                            const templates::Membership& membership,
                                            const std::vector<health::LeavingNode>& leaving,
                                            const Settings& settings, NextChange& next_change) {
    const PassTime& time = next_change.time();
    std::vector<NodeChange> out;
    const snapshot::Cluster& cluster = snapshot.cluster;
    for (NodeIndex n = 0; n < cluster.node_count(); ++n) {
        const snapshot::NodeRow& row = cluster.node(n);
        const health::Departure* const departure = health::find_departure(leaving, n);
        const auto taint = std::ranges::find(row.taints, leaving_taint, &Taint::key);
        const bool is_tainted = taint != row.taints.end();
        if (departure == nullptr && !is_tainted) continue;
        const Machine* const machine = templates::find_machine(snapshot, membership, n);
        std::string name(cluster.text(row.name));
        if (machine == nullptr && has_outlived(row, *taint, settings, next_change))
            out.push_back({.node = name,
                           .drop_taints = {std::string(leaving_taint)},
                           .because = "no cloud lists its machine, and the node is still ready"});
        // The machine of a node that is being deleted needs no further change.
        if (machine == nullptr || machine->state == MachineState::deleting) continue;
        const auto wanted = find_wanted_taint(departure, *machine, settings, time);
        if (wanted && !(is_tainted && taint->effect == wanted->effect)) {
            out.push_back({.node = std::move(name),
                           .set_taints = {*wanted},
                           .because = why_leaving(*machine)});
        } else if (!wanted && is_tainted &&
                   !is_unreadable(&(*snapshot.groups)[membership.machine_of[n]->group])) {
            out.push_back({.node = std::move(name),
                           .drop_taints = {std::string(leaving_taint)},
                           .because = machine->leaves && !settings.scale_down.drain_leaving_nodes
                                          ? "scale_down.drain_leaving_nodes is off"
                                          : "the machine no longer leaves"});
        }
    }
    std::ranges::sort(out, {}, &NodeChange::node);
    return out;
}

/// Keeps the records of vacated nodes, and begins those of new ones.
void remember_vacated(const Snapshot& snapshot, const templates::Membership& membership,
                      const std::vector<health::LeavingNode>& leaving, Memory& memory, Time now) {
    decltype(Memory::leaving) kept;
    for (const health::LeavingNode& node : leaving) {
        if (!node.departure.is_vacated) continue;
        const MachineId& machine = templates::find_machine(snapshot, membership, node.node)->id;
        std::string name(snapshot.cluster.text(snapshot.cluster.node(node.node).name));
        const auto before = memory.leaving.find(name);
        const bool is_known = before != memory.leaving.end() && before->second.machine == machine;
        kept.emplace(std::move(name), is_known
                                          ? std::move(before->second)
                                          : LeavingNodeRecord{.machine = machine, .since = now});
    }
    memory.leaving = std::move(kept);
}

}  // namespace

bool take_place(FreePlaces& places, const snapshot::Cluster& cluster, PodIndex pod) {
    const auto at = places.find(cluster.equivalence_group_of(pod));
    if (at == places.end() || at->second <= 0) return false;
    --at->second;
    return true;
}

VacatingSteps step_vacated_nodes(const PassView& view,
                                 const std::vector<health::LeavingNode>& leaving,
                                 pods::DisruptionBudgets& budgets, FreePlaces& places,
                                 Memory& memory) {
    remember_vacated(view.snapshot, view.membership, leaving, memory, view.time.now);
    Vacating vacating(view, budgets, places, memory);
    std::vector<health::LeavingNode> order;
    std::ranges::copy_if(leaving, std::back_inserter(order),
                         [](const health::LeavingNode& node) { return node.departure.is_vacated; });
    // The machine that leaves first takes from the budgets first. Nodes are in order of their
    // names.
    std::ranges::stable_sort(order, {},
                             [](const health::LeavingNode& node) { return node.departure.at; });
    for (const health::LeavingNode& node : order) vacating.step(node);
    VacatingSteps out = vacating.take();
    NextChange next_change(view.time);
    out.node_changes =
        plan_leaving_taints(view.snapshot, view.membership, leaving, view.settings, next_change);
    if (const auto at = next_change.at()) wake_by(out.wake_at, *at);
    return out;
}

void give_up_without_places(const PassView& view, FreePlaces places,
                            const pods::DisruptionBudgets& budgets, Memory& memory) {
    const snapshot::Cluster& cluster = view.snapshot.cluster;
    for (auto& [name, removal] : memory.removals) {
        const auto node = cluster.find_node(name);
        if (!node || removal.empty || removal.phase > RemovalPhase::draining ||
            memory.leaving.contains(name) ||
            is_unreadable(find_group(view.snapshot, removal.group)))
            continue;
        const auto moving =
            drainability::find_leaving_pods(cluster, *node, budgets, view.settings, view.time)
                .moving;
        const auto homeless = std::ranges::find_if(moving, [&](PodIndex pod) {
            return drainability::is_recreated(cluster, pod, view.settings) &&
                   !take_place(places, cluster, pod);
        });
        if (homeless == moving.end()) continue;
        give_up(memory, removal,
                "pod " + drainability::full_name(cluster, *homeless) +
                    " no longer fits on another node",
                view.time.now);
    }
}

void add_steps(RemovalSteps& steps, VacatingSteps more) {
    for (NodeChange& change : more.node_changes) {
        const auto same = std::ranges::find(steps.node_changes, change.node, &NodeChange::node);
        if (same == steps.node_changes.end()) {
            steps.node_changes.push_back(std::move(change));
            continue;
        }
        std::ranges::move(change.set_taints, std::back_inserter(same->set_taints));
        std::ranges::move(change.drop_taints, std::back_inserter(same->drop_taints));
    }
    std::ranges::sort(steps.node_changes, {}, &NodeChange::node);
    std::ranges::move(more.evictions, std::back_inserter(steps.evictions));
    std::ranges::sort(steps.evictions, {}, [](const Eviction& eviction) {
        return std::tie(eviction.node, eviction.ns, eviction.pod);
    });
    if (more.wake_at) wake_by(steps.wake_at, *more.wake_at);
}

}  // namespace capstan::engine::removal
