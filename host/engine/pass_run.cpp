#include "engine/pass_run.hpp"

#include <algorithm>
#include <iterator>
#include <utility>

#include "engine/health/backoff.hpp"
#include "engine/provisioning/empty_groups.hpp"
#include "engine/provisioning/groups_to_come.hpp"
#include "engine/scale_up/planned_seats.hpp"
#include "engine/scale_up/report.hpp"
#include "engine/snapshot/default_spread.hpp"

namespace capstan::engine {
namespace {

void add_wake(std::optional<Time>& to, std::optional<Time> time) {
    if (time) to = std::min(to.value_or(*time), *time);
}

template <class T>
void append(std::vector<T>& to, std::vector<T> more) {
    to.insert(to.end(), std::make_move_iterator(more.begin()), std::make_move_iterator(more.end()));
}

Memory brought_up(Memory memory, const Snapshot& snapshot, const Membership& membership,
                  const Settings& settings, Time now) {
    memory = remember(std::move(memory), snapshot, membership, settings, now);
    return remember_removals(std::move(memory), snapshot, membership, settings, now);
}

/// With the constraints that the scheduler adds, which hold wherever pods' own do.
Snapshot as_scheduled(Snapshot snapshot, const Settings& settings) {
    snapshot.cluster = with_default_spread(snapshot.cluster, settings.default_spread);
    return snapshot;
}

/// Groups as they are and as they could be, and whose nodes are whose; `memory` is brought up to
/// the moment.
GroupsToMake begin(const Snapshot& told, Memory& memory, const Policies& policies,
                   const Settings& settings, const Circumstances& circumstances,
                   Membership& membership) {
    const Time now = circumstances.now;
    const Snapshot listed = as_scheduled(told, settings);
    memory = remember_groups_to_come(std::move(memory), listed, settings, now);
    const Snapshot known = with_groups_to_come(listed, memory, policies, circumstances);
    membership = make_membership(known);
    memory = brought_up(std::move(memory), known, membership, settings, now);
    GroupsToMake out = find_groups_to_make(known, memory, policies, settings, circumstances);
    if (out.snapshot.groups != known.groups) membership = make_membership(out.snapshot);
    return out;
}

Scene make_scene_of(const GroupsToMake& groups, Membership membership, const Memory& memory,
                    const Policies& policies, const Settings& settings, Time now,
                    std::span<const ClassId> asked) {
    Scene out = make_scene(groups.snapshot, std::move(membership), memory, settings, now, asked,
                           policies.parts);
    out.most_groups = groups.most_groups;
    out.new_groups = groups.candidates;
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
    : to_make_(during(
          policies, Part::remember,
          [&] { return begin(snapshot, memory, policies, settings, circumstances, membership_); })),
      memory_(std::move(memory)),
      scene_(make_scene_of(to_make_, std::move(membership_), memory_, policies, settings,
                           circumstances.now, asked)),
      scale_up_(during(policies, Part::seat_pending,
                       [&] { return ScaleUp(scene_, policies, circumstances); })) {
    during(policies, Part::scale_up, [&] { scale_up_.run(); });
    memory_.planned = planned_nodes(scene_, scale_up_.placement());
    outcome_.decision = make_decision(scale_up_);
    outcome_.figures = figures_of(scale_up_, outcome_.decision);
    Decision& decision = outcome_.decision;
    decision.decreases = scene_.repairs.decreases;
    decision.removals = scene_.repairs.removals;
    decision.increases.insert(decision.increases.begin(), scene_.repairs.increases.begin(),
                              scene_.repairs.increases.end());
    append(decision.notes, scene_.repairs.notes);
    remove_nodes();
    make_groups(policies, circumstances);
    note_wake();
    memory_.started = true;
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
    return step_removals(*scene_.snapshot, scene_.membership, scene_.candidates, plan,
                         scene_.budgets, memory_, *scene_.settings, scene_.now);
}

void PassRun::make_groups(const Policies& policies, const Circumstances& circumstances) {
    Decision& decision = outcome_.decision;
    decision.creations = find_creations(scene_, decision.increases, to_make_.candidates);
    // The scene looks at them still: moved as a whole they stay where they are.
    decision.new_groups = std::move(to_make_.candidates);
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
    add_wake(outcome_.wake_at, scene_.health.wake_at);
    // A back-off that ends is news only to pods that wait.
    if (!outcome_.decision.unhelped.empty()) {
        add_wake(outcome_.wake_at, next_backoff_end(memory_, scene_.now));
    }
}

}  // namespace capstan::engine
