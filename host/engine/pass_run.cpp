#include "engine/pass_run.hpp"

#include <algorithm>
#include <iterator>
#include <map>
#include <memory>
#include <set>
#include <utility>
#include <vector>

#include "engine/health/alarm.hpp"
#include "engine/health/answered_targets.hpp"
#include "engine/health/backoff.hpp"
#include "engine/health/cloud_rests.hpp"
#include "engine/health/known_groups.hpp"
#include "engine/health/removal_backoff.hpp"
#include "engine/provisioning/empty_groups.hpp"
#include "engine/provisioning/groups_to_come.hpp"
#include "engine/scale_up/idle_nodes.hpp"
#include "engine/scale_up/kept_requests.hpp"
#include "engine/scale_up/planned_seats.hpp"
#include "engine/scale_up/report.hpp"
#include "engine/snapshot/default_spread.hpp"
#include "engine/templates/observed_nodes.hpp"

namespace capstan::engine {
namespace {

void add_wake(std::optional<Time>& to, std::optional<Time> time) {
    if (time) to = std::min(to.value_or(*time), *time);
}

template <class T>
void append(std::vector<T>& to, std::vector<T> more) {
    to.insert(to.end(), std::make_move_iterator(more.begin()), std::make_move_iterator(more.end()));
}

/// In a pass that does not see the cluster a machine without a node may have one, unseen: it may
/// take any time to join. The first pass that sees judges it by the group's own limit again.
Snapshot with_any_time_to_join(Snapshot snapshot) {
    std::vector<Group> groups = *snapshot.groups;
    for (Group& group : groups) group.options.max_node_provision_time = Duration::max();
    snapshot.groups = std::make_shared<const std::vector<Group>>(std::move(groups));
    return snapshot;
}

/// A machine that was overdue before the cluster went out of sight, and has no node that is seen,
/// is overdue still: when the cluster is seen again, that is no new failure.
void keep_overdue(Memory& memory, const std::map<NodeGroupId, std::set<MachineId>>& failed_before) {
    for (const auto& [group, machines] : failed_before) {
        const auto unjoined = memory.unjoined.find(group);
        if (unjoined == memory.unjoined.end()) continue;
        for (const MachineId& machine : machines)
            if (unjoined->second.contains(machine)) memory.failed_machines[group].insert(machine);
    }
}

Memory brought_up(Memory memory, const Snapshot& snapshot, const Membership& membership,
                  const Settings& settings, const PassTime& time) {
    forget_cloud_rests(memory, time.now);
    const auto failed_before = memory.failed_machines;
    memory = remember(std::move(memory), snapshot, membership, settings, time);
    if (memory.blind_since) keep_overdue(memory, failed_before);
    memory = remember_templates(std::move(memory), snapshot, membership, settings, time);
    end_idle_backoffs(memory, snapshot.cluster);
    return remember_removals(std::move(memory), snapshot, membership, settings, time.now);
}

/// With the constraints that the scheduler adds, which hold wherever pods' own do.
Snapshot as_scheduled(Snapshot snapshot, const Settings& settings) {
    snapshot.cluster = with_default_spread(snapshot.cluster, settings.default_spread);
    return snapshot;
}

/// Time in which the cluster was not seen makes no node unneeded for longer.
void count_as_seen(Memory& memory, bool is_seen, Time now) {
    if (!is_seen) {
        if (!memory.blind_since) memory.blind_since = now;
        return;
    }
    const std::optional<Time> since = std::exchange(memory.blind_since, std::nullopt);
    if (!since || *since >= now) return;
    for (auto& [node, unneeded] : memory.unneeded)
        unneeded.since = std::min(later(unneeded.since, now - *since), now);
}

/// Groups as they are and as they could be, and whose nodes are whose; `memory` is brought up to
/// the moment.
GroupsToMake begin(const Snapshot& told, Memory& memory, const Policies& policies,
                   const Settings& settings, const Circumstances& circumstances,
                   Membership& membership) {
    const Time now = circumstances.now;
    count_as_seen(memory, circumstances.blind_because.empty(), now);
    const Snapshot listed = as_scheduled(told, settings);
    memory = remember_groups_to_come(std::move(memory), listed, settings, now);
    memory = follow_answers(std::move(memory), listed, settings, now);
    Snapshot known =
        with_answered_targets(with_groups_to_come(listed, memory, policies, circumstances), memory);
    if (memory.blind_since) known = with_any_time_to_join(std::move(known));
    membership = make_membership(known);
    memory = brought_up(std::move(memory), known, membership, settings, circumstances.time());
    memory = remember_known_groups(std::move(memory), known, membership);
    GroupsToMake out = find_groups_to_make(known, memory, policies, settings, circumstances);
    if (out.snapshot.groups != known.groups) membership = make_membership(out.snapshot);
    append(out.notes, tell_answers(listed, memory));
    return out;
}

Scene make_scene_of(const GroupsToMake& groups, Membership membership, const Memory& memory,
                    const Policies& policies, const Settings& settings, const PassTime& time,
                    std::span<const ClassId> asked) {
    Scene out = make_scene(groups.snapshot, std::move(membership), memory, settings, time, asked,
                           policies.parts);
    out.most_groups = groups.most_groups;
    out.new_groups = groups.candidates;
    out.none_made = groups.none_made;
    return out;
}

template <class F>
decltype(auto) during(const Policies& policies, Part part, F work) {
    const PartScope scope(policies.parts, part);
    return work();
}

}  // namespace

PassRun::PassRun(const Snapshot& snapshot, Memory memory, const Policies& policies,
                 const Settings& settings, const Circumstances& circumstances,
                 std::span<const ClassId> asked)
    : blind_because_(circumstances.blind_because),
      to_make_(during(
          policies, Part::remember,
          [&] { return begin(snapshot, memory, policies, settings, circumstances, membership_); })),
      memory_(std::move(memory)),
      scene_(make_scene_of(to_make_, std::move(membership_), memory_, policies, settings,
                           circumstances.time(), asked)),
      scale_up_(during(policies, Part::seat_pending,
                       [&] { return ScaleUp(scene_, policies, circumstances); })) {
    const IdleGroups idle = back_off_idle(scale_up_, memory_);
    add_wake(outcome_.wake_at, idle.wake_at);
    during(policies, Part::scale_up, [&] { scale_up_.run(); });
    keep_planned();
    follow_planned(memory_, idle.suspected, scene_.now);
    outcome_.decision = make_decision(scale_up_);
    outcome_.figures = figures_of(scale_up_, outcome_.decision);
    during(policies, Part::scale_up, [&] { resize_kept_requests(); });
    Decision& decision = outcome_.decision;
    decision.decreases = scene_.repairs.decreases;
    // A machine that seems not to have joined may have, unseen.
    if (blind_because_.empty()) decision.removals = scene_.repairs.removals;
    decision.increases.insert(decision.increases.begin(), scene_.repairs.increases.begin(),
                              scene_.repairs.increases.end());
    append(decision.notes, scene_.repairs.notes);
    append(decision.notes, tell_departed_groups(memory_, scene_.groups()));
    remove_nodes();
    make_groups(policies, circumstances);
    note_wake();
    memory_.started = true;
}

/// From here on what is given back is one of the sizes that are put right.
void PassRun::resize_kept_requests() {
    KeptRequests kept = plan_kept_requests(scale_up_, memory_);
    std::vector<Decrease>& decreases = scene_.repairs.decreases;
    append(decreases, std::move(kept.given_back));
    std::ranges::stable_sort(decreases, {}, &Decrease::group);
    append(outcome_.decision.increases, std::move(kept.asked_again));
    add_wake(outcome_.wake_at, kept.wake_at);
}

/// What is planned for nodes to come of groups that cannot be read now is planned still.
void PassRun::keep_planned() {
    auto before = std::exchange(memory_.planned, planned_nodes(scene_, scale_up_.placement()));
    for (const Group& group : scene_.groups()) {
        if (!is_unread(group)) continue;
        if (auto at = before.find(group.group.id); at != before.end())
            memory_.planned.insert_or_assign(at->first, std::move(at->second));
    }
}

Outcome PassRun::take_outcome() {
    outcome_.memory = std::move(memory_);
    return std::move(outcome_);
}

void PassRun::remove_nodes() {
    Decision& decision = outcome_.decision;
    // Where pods would go is asked of the nodes there are, not of those that were just ordered.
    Placement what_if(scale_up_.placement());
    what_if.undo(scale_up_.start());
    ScaleDown plan = plan_scale_down(scene_, what_if, scene_.candidates, scene_.budgets,
                                     decision.increases, memory_);
    if (!blind_because_.empty()) {
        plan.chosen.clear();
        plan.no_removals_because =
            "the cluster is not seen as it is at the moment: " + blind_because_;
    }
    RemovalSteps steps = take_steps(plan);
    // To pods that wait it is news when a machine goes that a maximum counts.
    if (!steps.removals.empty() && !decision.unhelped.empty())
        add_wake(outcome_.wake_at, scene_.now);
    decision.nodes = std::move(plan.nodes);
    decision.no_removals_because = std::move(plan.no_removals_because);
    outcome_.figures.at_minimum = std::move(plan.at_minimum);
    outcome_.figures.looked_at_nodes = plan.looked_at_nodes;
    append(decision.removals, std::move(steps.removals));
    decision.node_changes = std::move(steps.node_changes);
    decision.evictions = std::move(steps.evictions);
    append(decision.notes, std::move(steps.notes));
    add_wake(outcome_.wake_at, plan.wake_at);
    add_wake(outcome_.wake_at, steps.wake_at);
}

RemovalSteps PassRun::take_steps(const ScaleDown& plan) {
    const PartScope part(scene_.parts, Part::scale_down);
    if (!blind_because_.empty()) return step_back(*scene_.snapshot, memory_);
    return step_removals(*scene_.snapshot, scene_.membership, scene_.candidates, plan,
                         scene_.repairs, scene_.budgets, memory_, *scene_.settings, scene_.time);
}

void PassRun::make_groups(const Policies& policies, const Circumstances& circumstances) {
    Decision& decision = outcome_.decision;
    decision.creations = find_creations(scene_, decision.increases, to_make_.candidates);
    // The scene looks at them still: moved as a whole they stay where they are.
    decision.new_groups = std::move(to_make_.candidates);
    decision.none_made = to_make_.none_made;
    expect_groups(memory_, decision, scene_.now);
    EmptyGroups empty =
        find_empty_groups(scene_, policies, circumstances, decision.increases, memory_);
    decision.deletions = std::move(empty.deletions);
    append(decision.notes, std::move(empty.notes));
    append(decision.notes, to_make_.notes);
    add_wake(outcome_.wake_at, empty.wake_at);
}

void PassRun::note_wake() {
    add_wake(outcome_.wake_at, scene_.pending.wake_at);
    add_wake(outcome_.wake_at, next_removal_backoff_end(memory_, scene_.now));
    add_wake(outcome_.wake_at, next_cloud_rest_end(memory_, scene_.now));
    add_wake(outcome_.wake_at, scene_.health.wake_at);
    // An answer that is over waits for its request to time out, which takes a pass that sees.
    const std::optional<Time> answer_end = next_answer_end(memory_, scene_.now);
    if (blind_because_.empty() || answer_end > scene_.now) add_wake(outcome_.wake_at, answer_end);
    const bool pods_wait = !outcome_.decision.unhelped.empty();
    add_wake(outcome_.wake_at, next_observation(memory_, pods_wait, scene_.now));
    // A back-off that ends is news only to pods that wait.
    if (pods_wait) {
        add_wake(outcome_.wake_at, next_backoff_end(memory_, scene_.now));
    }
}

}  // namespace capstan::engine
