#include "engine/pass/pass.hpp"

#include <algorithm>
#include <iterator>
#include <map>
#include <memory>
#include <set>
#include <string_view>
#include <utility>
#include <vector>

#include <capstan/assert.hpp>

#include "engine/health/answered_targets.hpp"
#include "engine/health/backoff.hpp"
#include "engine/health/cloud_backoff.hpp"
#include "engine/health/known_groups.hpp"
#include "engine/health/removal_backoff.hpp"
#include "engine/health/removed_machines.hpp"
#include "engine/limits/limits.hpp"
#include "engine/next_change.hpp"
#include "engine/provisioning/empty_groups.hpp"
#include "engine/provisioning/upcoming_groups.hpp"
#include "engine/removal/removal.hpp"
#include "engine/removal/returning_pods.hpp"
#include "engine/removal/vacated_nodes.hpp"
#include "engine/scale_down/scale_down.hpp"
#include "engine/scale_up/kept_requests.hpp"
#include "engine/scale_up/planned_assignments.hpp"
#include "engine/scale_up/refused_pods.hpp"
#include "engine/scale_up/scale_up_report.hpp"
#include "engine/snapshot/default_spread.hpp"
#include "engine/templates/observed_nodes.hpp"

namespace capstan::engine::pass {
namespace {

template <class T>
void append(std::vector<T>& to, std::vector<T> more) {
    to.insert(to.end(), std::make_move_iterator(more.begin()), std::make_move_iterator(more.end()));
}

/// For a pass without a current view of the cluster: a machine that seems to have no node may have
/// joined unseen, so it may take any time to join. The first pass with a current view judges it by
/// the group's own limit again.
Snapshot with_any_time_to_join(Snapshot snapshot) {
    std::vector<Group> groups = *snapshot.groups;
    for (Group& group : groups) group.options.max_node_provision_time = Duration::max();
    snapshot.groups = std::make_shared<const std::vector<Group>>(std::move(groups));
    return snapshot;
}

/// Keeps machines failed that were overdue before the view of the cluster went stale and that have
/// no node in it: once the view is current again, they are no new failures.
void keep_overdue(Memory& memory, const std::map<NodeGroupId, std::set<MachineId>>& failed_before) {
    for (const auto& [group, machines] : failed_before) {
        const auto unjoined = memory.unjoined.find(group);
        if (unjoined == memory.unjoined.end()) continue;
        for (const MachineId& machine : machines)
            if (unjoined->second.contains(machine)) memory.failed_machines[group].insert(machine);
    }
}

/// `snapshot` with the scheduler's default topology spread constraints, and without changes to the
/// groups of clouds to which requests are backed off.
Snapshot with_constraints(const Snapshot& snapshot, const Memory& memory, const Settings& settings,
                          const PassTime& time) {
    Snapshot out = health::with_request_backoffs(snapshot, memory, time);
    out.cluster = snapshot::with_default_spread(out.cluster, settings.default_spread);
    return out;
}

/// Time without a current view of the cluster does not count as unneeded time of any node.
void skip_unobserved_time(Memory& memory, bool is_observed, Time now) {
    if (!is_observed) {
        if (!memory.unobserved_since) memory.unobserved_since = now;
        return;
    }
    const std::optional<Time> since = std::exchange(memory.unobserved_since, std::nullopt);
    if (!since || *since >= now) return;
    for (auto& [node, unneeded] : memory.unneeded)
        unneeded.since = std::min(later(unneeded.since, now - *since), now);
}

/// `listed` with what clouds have agreed to and do not list yet: groups that are being made, and
/// the targets in their answers to increases. Drops from `memory` what is listed by now.
Snapshot with_agreed(const Snapshot& listed, Memory& memory, const Policies& policies,
                     const Settings& settings, const CallContext& call_context) {
    const Time now = call_context.now;
    memory = provisioning::remember_upcoming_groups(std::move(memory), listed, settings, now);
    health::update_removed_machines(memory, listed, now);
    memory = health::update_answered_targets(std::move(memory), listed, settings, now);
    Snapshot agreed = health::with_answered_targets(
        provisioning::with_upcoming_groups(listed, memory, policies, call_context), memory);
    return memory.unobserved_since ? with_any_time_to_join(std::move(agreed)) : agreed;
}

/// Updates `memory` with the snapshot: what has ended since the pass before, and what is new.
Memory remember_observations(Memory memory, const Snapshot& snapshot,
                             const templates::Membership& membership, const Settings& settings,
                             const PassTime& time) {
    health::forget_cloud_backoffs(memory, time.now);
    const auto failed_before = memory.failed_machines;
    memory = health::remember(std::move(memory), snapshot, membership, settings, time);
    if (memory.unobserved_since) keep_overdue(memory, failed_before);
    memory = templates::remember_templates(std::move(memory), snapshot, membership, settings, time);
    memory =
        removal::remember_removals(std::move(memory), snapshot, membership, settings, time.now);
    return health::remember_known_groups(std::move(memory), snapshot, membership);
}

pass_context::PassContext make_context(const PassView& view,
                                       const provisioning::CandidateGroups& groups,
                                       const Policies& policies,
                                       std::span<const PodGroupId> asked) {
    pass_context::PassContext out =
        pass_context::make_pass_context(view, asked, policies.phase_observer);
    out.most_groups = groups.most_groups;
    out.new_groups = groups.candidates;
    out.no_new_group_reason = groups.no_new_group_reason;
    return out;
}

template <class F>
decltype(auto) during(const Policies& policies, PassPhase phase, F work) {
    const ScopedPassPhase scope(policies.phase_observer, phase);
    return work();
}

/// A pass under way.
struct PassState {
    const Policies& policies;
    const CallContext& call_context;
    const provisioning::CandidateGroups& groups;
    pass_context::PassContext& context;
    scale_up::ScaleUp& scale_up;
    Memory& memory;
    Outcome& out;

    bool is_unobserved() const noexcept { return !call_context.unobserved_because.empty(); }
    void wake(std::optional<Time> time) const {
        if (time) out.wake_at = std::min(out.wake_at.value_or(*time), *time);
    }
};

/// Keeps the plans for upcoming nodes of groups that could not be read in this pass.
void keep_planned(const PassState& state) {
    auto before = std::exchange(state.memory.planned,
                                scale_up::planned_nodes(state.context, state.scale_up.placement()));
    for (const Group& group : state.context.groups()) {
        if (!health::is_unread(group)) continue;
        if (auto at = before.find(group.group.id); at != before.end())
            state.memory.planned.insert_or_assign(at->first, std::move(at->second));
    }
}

void plan_scale_up(const PassState& state) {
    during(state.policies, PassPhase::scale_up, [&] { state.scale_up.run(); });
    keep_planned(state);
    scale_up::update_planned_since(state.memory, state.context);
    state.out.decision = scale_up::make_decision(state.scale_up);
    state.out.figures = scale_up::figures_of(state.scale_up, state.out.decision);
}

/// The requests that are given back become repairs of this pass.
void resize_kept_requests(const PassState& state) {
    const ScopedPassPhase phase(state.policies.phase_observer, PassPhase::scale_up);
    scale_up::KeptRequests kept = scale_up::plan_kept_requests(state.scale_up, state.memory);
    std::vector<Decrease>& decreases = state.context.repairs.decreases;
    append(decreases, std::move(kept.given_back));
    std::ranges::stable_sort(decreases, {}, &Decrease::group);
    append(state.out.decision.increases, std::move(kept.asked_again));
    state.wake(kept.wake_at);
}

std::vector<std::string> describe_unused_limits(const pass_context::PassContext& context) {
    // Groups of machine types that clouds offer may have such GPUs.
    const auto& offered = context.snapshot->machines;
    const bool may_come = offered != nullptr && !offered->empty();
    if (context.settings->gpu_types.empty() || context.templates.empty() || may_come) return {};
    std::vector<const NodeTemplate*> templates;
    for (const templates::GroupTemplate& group : context.templates)
        templates.push_back(group.node.get());
    return limits::describe_unused_limits(context.snapshot->cluster, templates, *context.settings);
}

/// Whether no group is increased twice, decreased twice, or both.
bool changes_targets_once(const Decision& decision) {
    std::set<std::string_view> changed;
    const auto is_first = [&](const auto& change) {
        return changed.insert(change.group.value()).second;
    };
    return std::ranges::all_of(decision.decreases, is_first) &&
           std::ranges::all_of(decision.increases, is_first);
}

void repair_sizes(const PassState& state) {
    const health::Repairs& repairs = state.context.repairs;
    Decision& decision = state.out.decision;
    decision.decreases = repairs.decreases;
    // Without a current view, a machine that seems not to have joined may have.
    if (!state.is_unobserved()) decision.removals = repairs.removals;
    decision.increases.insert(decision.increases.begin(), repairs.increases.begin(),
                              repairs.increases.end());
    CAPSTAN_ASSERT(changes_targets_once(decision), "the target of a group is changed twice");
    append(decision.notes, repairs.notes);
    append(decision.notes, repairs.warnings);
    append(decision.warnings, repairs.warnings);
    const std::vector<std::string> refused = scale_up::describe_refused_pods(state.context);
    append(decision.notes, refused);
    append(decision.warnings, refused);
    const std::vector<std::string> unused = describe_unused_limits(state.context);
    append(decision.notes, unused);
    append(decision.warnings, unused);
    append(decision.notes, health::describe_departed_groups(state.memory, state.context.groups()));
}

/// Why no removal begins; empty: one may begin.
std::string why_no_removals(const CallContext& call_context) {
    if (!call_context.unobserved_because.empty())
        return "the view of the cluster is stale: " + call_context.unobserved_because;
    if (!call_context.unwritten_because.empty())
        return std::string(unwritten_memory) + call_context.unwritten_because;
    return {};
}

/// Pods that a removal has evicted and that fit nowhere else return to its node and need no other
/// one. `returning`: those found so far in this pass.
void let_pods_return(const pass_context::PassContext& context, removal::PodNumbers& returning,
                     Memory& memory, scale_up::Progress& progress) {
    const auto& pod_groups = context.pending.pod_groups;
    removal::PodNumbers left;
    for (PodGroupIndex s = 0; s < pod_groups.size(); ++s)
        if (progress.left[s] > 0) left[pod_groups[s].equivalence_group] = progress.left[s];
    const PassView view{*context.snapshot, context.membership, memory, *context.settings,
                        context.time};
    for (const auto& [id, count] : removal::give_up_for_evicted_pods(view, left, memory))
        returning[id] += count;
    for (PodGroupIndex s = 0; s < pod_groups.size(); ++s) {
        const auto at = returning.find(pod_groups[s].equivalence_group);
        const int pods = at == returning.end() ? 0 : std::min(at->second, progress.left[s]);
        progress.left[s] -= pods;
        progress.fit[s] += pods;
    }
}

scale_down::ScaleDown find_nodes_to_remove(const PassState& state) {
    // Pods can move to existing nodes, but not to nodes that were just ordered.
    scheduling::Placement what_if(state.scale_up.placement());
    what_if.undo(state.scale_up.start());
    scale_down::ScaleDown plan = scale_down::plan_scale_down(
        state.context, what_if, state.context.candidates, state.context.budgets,
        state.out.decision.increases, state.memory);
    if (std::string because = why_no_removals(state.call_context); !because.empty()) {
        plan.chosen.clear();
        plan.no_removals_because = std::move(because);
    }
    return plan;
}

/// The places of pods that have to move: room on existing nodes that other pending pods do not need
/// because upcoming nodes take them.
removal::FreePlaces find_free_places(const PassState& state) {
    const pass_context::PassContext& context = state.context;
    const snapshot::Cluster& cluster = context.snapshot->cluster;
    scheduling::Placement placement(state.scale_up.placement());
    placement.undo(state.scale_up.start());
    std::vector<int> on_existing(context.pending_count()), pending(context.pending_count());
    for (PodGroupIndex s = 0; s < pending.size(); ++s)
        pending[s] = static_cast<int>(context.pending.pod_groups[s].count);
    // Of pods that this pass does not consider it is not known that they have no place.
    removal::FreePlaces unknown;
    for (const PodIndex pod : context.evicted) {
        const PodGroupId id = cluster.equivalence_group_of(pod);
        const auto s = pass_context::find_pod_group(context, id);
        const bool is_considered = s && *s < pending.size();
        if (is_considered) --pending[*s];
        if (!is_considered || context.pending.left_out > 0) ++unknown[id];
    }
    for (scheduling::Slot slot = 0; slot < placement.slot_count(); ++slot) {
        for (const scheduling::Assignment& assignment : placement.assignments(slot)) {
            const PodGroupIndex s = assignment.pod_group;
            if (s >= pending.size()) continue;
            if (slot < cluster.node_count()) {
                on_existing[s] += assignment.per_node;
            } else {
                pending[s] -= assignment.per_node * placement.nodes(slot);
            }
        }
    }
    removal::FreePlaces out;
    for (PodGroupIndex s = 0; s < pending.size(); ++s)
        out[context.predicates->pod_groups()[s]] = on_existing[s] - std::max(0, pending[s]);
    for (const auto& [id, pods] : unknown) out[id] = std::max(out[id], pods);
    return out;
}

removal::RemovalSteps take_steps(const PassState& state, const scale_down::ScaleDown& plan) {
    const pass_context::PassContext& context = state.context;
    const ScopedPassPhase phase(context.phase_observer, PassPhase::scale_down);
    if (state.is_unobserved()) return removal::step_undoing_only(*context.snapshot, state.memory);
    pods::DisruptionBudgets budgets = context.budgets;
    const bool moves_pods = !context.evicted.empty();
    removal::FreePlaces places = moves_pods ? find_free_places(state) : removal::FreePlaces();
    const PassView view{*context.snapshot, context.membership, state.memory, *context.settings,
                        context.time};
    removal::VacatingSteps vacating =
        removal::step_vacated_nodes(view, context.health.leaving, budgets, places, state.memory);
    if (moves_pods) removal::give_up_without_places(view, std::move(places), budgets, state.memory);
    removal::RemovalSteps out = removal::step_removals(
        view, context.candidates, plan, context.repairs, std::move(budgets), state.memory);
    removal::add_steps(out, std::move(vacating));
    return out;
}

void plan_scale_down(const PassState& state) {
    Decision& decision = state.out.decision;
    scale_down::ScaleDown plan = find_nodes_to_remove(state);
    removal::RemovalSteps steps = take_steps(state, plan);
    // A removed machine makes room within a maximum, which pending pods may need.
    if (!steps.removals.empty() && !decision.unschedulable.empty()) state.wake(state.context.now);
    decision.nodes = std::move(plan.nodes);
    decision.no_removals_because = std::move(plan.no_removals_because);
    state.out.figures.at_minimum = std::move(plan.at_minimum);
    state.out.figures.held_back = std::move(plan.held_back);
    state.out.figures.looked_at_nodes = plan.looked_at_nodes;
    append(decision.removals, std::move(steps.removals));
    CAPSTAN_ASSERT(!state.is_unobserved() || (decision.removals.empty() && steps.evictions.empty()),
                   "nodes are removed without a current view of the cluster");
    health::expect_removals(state.memory, decision.removals, state.context.groups(),
                            state.context.now);
    decision.node_changes = std::move(steps.node_changes);
    decision.evictions = std::move(steps.evictions);
    append(decision.notes, std::move(steps.notes));
    state.wake(plan.wake_at);
    state.wake(steps.wake_at);
}

void plan_groups(const PassState& state) {
    Decision& decision = state.out.decision;
    decision.creations =
        provisioning::find_creations(state.context, decision.increases, state.groups.candidates);
    decision.new_groups = state.groups.candidates;
    decision.no_new_group_reason = state.groups.no_new_group_reason;
    provisioning::expect_groups(state.memory, decision, state.context.now);
    provisioning::EmptyGroups empty = provisioning::find_empty_groups(
        state.context, state.policies, state.call_context, decision.increases, state.memory);
    decision.deletions = std::move(empty.deletions);
    append(decision.notes, std::move(empty.notes));
    append(decision.notes, state.groups.notes);
    state.wake(empty.wake_at);
}

void plan_next_pass(const PassState& state) {
    const Memory& memory = state.memory;
    const Time now = state.context.now;
    state.wake(state.context.pending.wake_at);
    state.wake(health::next_removal_backoff_end(memory, now));
    state.wake(health::next_removed_machine_end(memory, now));
    state.wake(health::next_cloud_backoff_end(memory, now));
    state.wake(state.context.health.wake_at);
    // An answer with its time over waits until its request times out, and only a pass with a
    // current view lets it time out.
    const std::optional<Time> answer_end = health::next_answer_end(memory, now);
    if (!state.is_unobserved() || answer_end > now) state.wake(answer_end);
    const bool pods_wait = !state.out.decision.unschedulable.empty();
    state.wake(templates::next_observation(memory, pods_wait, now));
    // The end of a back-off matters only to pending pods.
    if (pods_wait) state.wake(health::next_backoff_end(memory, now));
}

}  // namespace

CompletedPass run_pass(const Snapshot& snapshot, Memory memory, const Policies& policies,
                       const Settings& settings, const CallContext& call_context,
                       std::span<const PodGroupId> asked) {
    const PassTime time = call_context.time();
    CompletedPass out;
    PassDetails& details = out.details;
    templates::Membership membership;
    skip_unobserved_time(memory, call_context.unobserved_because.empty(), time.now);
    during(policies, PassPhase::remember, [&] {
        const Snapshot listed = with_constraints(snapshot, memory, settings, time);
        const Snapshot agreed = with_agreed(listed, memory, policies, settings, call_context);
        membership = templates::make_membership(agreed);
        memory = remember_observations(std::move(memory), agreed, membership, settings, time);
        provisioning::CandidateGroups groups =
            provisioning::find_candidate_groups(agreed, memory, policies, settings, call_context);
        if (groups.snapshot.groups != agreed.groups)
            membership = templates::make_membership(groups.snapshot);
        append(groups.notes, health::describe_answered_targets(listed, memory));
        details.groups = std::make_unique<const provisioning::CandidateGroups>(std::move(groups));
    });
    removal::PodNumbers returning;
    const auto place_pending = [&] {
        details.context = std::make_unique<pass_context::PassContext>(
            make_context({details.groups->snapshot, membership, memory, settings, time},
                         *details.groups, policies, asked));
        details.scale_up = during(policies, PassPhase::place_pending, [&] {
            scale_up::InitialPlacement placed = scale_up::place_pending(*details.context);
            if (call_context.unobserved_because.empty())
                let_pods_return(*details.context, returning, memory, placed.progress);
            return std::make_unique<scale_up::ScaleUp>(std::move(placed), policies, call_context);
        });
    };
    place_pending();
    if (scale_up::remember_refused_pods(*details.scale_up, memory)) place_pending();
    const PassState state{
        policies, call_context, *details.groups, *details.context, *details.scale_up, memory, out};
    plan_scale_up(state);
    resize_kept_requests(state);
    repair_sizes(state);
    plan_scale_down(state);
    plan_groups(state);
    health::set_listed_targets(out.decision, snapshot);
    plan_next_pass(state);
    memory.started = true;
    out.memory = std::move(memory);
    return out;
}

}  // namespace capstan::engine::pass
