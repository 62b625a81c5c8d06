#include "engine/pass_context/pass_context.hpp"

#include <algorithm>
#include <limits>
#include <utility>

#include <capstan/assert.hpp>

#include "engine/drainability/leaving_pods.hpp"
#include "engine/health/backoff.hpp"
#include "engine/health/cloud_backoff.hpp"
#include "engine/health/known_groups.hpp"
#include "engine/next_change.hpp"
#include "engine/pods/pod_group_key.hpp"
#include "engine/scheduling/placement.hpp"
#include "engine/templates/node_taints.hpp"
#include "engine/templates/settling_nodes.hpp"

namespace capstan::engine::pass_context {
namespace {

std::string why_full(const NodeGroup& group, int target) {
    const int most = group.max.value_or(std::numeric_limits<int>::max());
    std::string out = "max node group size reached (" + std::to_string(most) + ")";
    if (target > most) out += ": its target is " + std::to_string(target);
    return out;
}

/// Why no group at all may grow; none: groups may grow.
Reason find_common_obstacle(const PassContext& context) {
    const health::Health& health = context.health;
    if (!health.unhealthy_because.empty())
        return {ReasonCode::cluster_unhealthy,
                {},
                "cannot grow while the cluster is unhealthy: " + health.unhealthy_because};
    if (!context.settings->from_zero && health.all.ready == 0)
        return {ReasonCode::scale_from_zero_disabled,
                {},
                "scale_up.from_zero is off, and no node is ready"};
    return {};
}

/// Why the group's size forbids it to grow; none: it has room.
Reason find_size_obstacle(const Group& group, const GroupHeadroom& room, bool is_being_made) {
    if (!group.group.target)
        return {
            ReasonCode::target_unknown, {}, "target size unknown: the cloud does not report it"};
    if (group.plan != nullptr && *group.group.target > 0)
        return {ReasonCode::group_upcoming, {}, "the cloud is still creating it"};
    if (room.atomic && !group.group.max)
        return {
            ReasonCode::zero_or_max, {}, "atomic node group (0 or max nodes) without a max size"};
    if (room.nodes == 0)
        return {ReasonCode::max_size_reached, {}, why_full(group.group, *group.group.target)};
    // A group that was made in part is completed, all of the rest at once.
    if (room.atomic && is_being_made)
        return {ReasonCode::zero_or_max,
                {},
                "atomic node group (0 or max nodes) still being completed: " +
                    std::to_string(*group.group.target) + " of " +
                    std::to_string(*group.group.max) + " nodes"};
    return {};
}

/// Whether the repairs of the group only remove failed machines with errors that say nothing about
/// the group, for example because its cloud makes the next ones in another zone. Then the group may
/// grow in the same pass.
bool makes_machines_elsewhere(const PassContext& context, const Group& group) {
    const auto is_its = [&](const auto& action) { return action.group == group.group.id; };
    if (std::ranges::any_of(context.repairs.decreases, is_its) ||
        std::ranges::any_of(context.repairs.increases, is_its))
        return false;
    return std::ranges::all_of(context.repairs.removals, [&](const MachineRemoval& removal) {
        return !is_its(removal) || std::ranges::all_of(removal.machines, [&](const MachineId& id) {
            const auto at = std::ranges::find(group.machines, id, &Machine::id);
            return at != group.machines.end() && at->error &&
                   !health::concerns_group(at->error->code);
        });
    });
}

Reason find_group_obstacle(const PassContext& context, GroupIndex index, const GroupHeadroom& room,
                           const Memory& memory) {
    const Group& group = context.groups()[index];
    if (std::string requests = health::find_request_backoff(memory, group.cloud, context.time);
        !requests.empty())
        return {ReasonCode::backed_off, {}, std::move(requests)};
    if (!group.unreadable_because.empty())
        return {ReasonCode::group_unreadable, {}, "cannot be read: " + group.unreadable_because};
    const bool is_being_made = context.health.groups[index].upcoming.nodes() > 0;
    if (Reason size = find_size_obstacle(group, room, is_being_made); !size.is_none()) return size;
    if (const Backoff* backoff = health::find_backoff(memory, group, context.now))
        return {ReasonCode::backed_off, {}, health::reason_of(*backoff, context.time)};
    const auto unhealthy = [](const std::string& because) -> Reason {
        return {ReasonCode::group_unhealthy, {}, "not ready for scale-up: " + because};
    };
    if (group.group.healthy == false) return unhealthy(group.group.health_reason);
    if (const std::string& found = context.health.groups[index].unhealthy_because; !found.empty())
        return unhealthy(found);
    if (is_repaired(context.repairs, group.group.id) && !makes_machines_elsewhere(context, group))
        return {ReasonCode::being_repaired, {}, "its target size is being corrected"};
    const templates::GroupTemplate& node = context.templates[index];
    if (node.node == nullptr)
        return {ReasonCode::no_template, {}, "no node template: " + node.because};
    return find_common_obstacle(context);
}

GroupHeadroom headroom_of(const PassContext& context, GroupIndex index, const Memory& memory) {
    const Group& group = context.groups()[index];
    GroupHeadroom room;
    const int target = std::max(group.group.target.value_or(0), 0);
    const int most = group.group.max.value_or(std::numeric_limits<int>::max());
    room.nodes = most > target ? most - target : 0;
    room.atomic = group.options.zero_or_max.value_or(false);
    room.failed_last = health::failed_last(memory, group.group.id);
    room.obstacle = find_group_obstacle(context, index, room, memory);
    return room;
}

/// Whether the pass knows upcoming nodes of the group and their template.
bool has_upcoming(const PassContext& context, GroupIndex group) {
    return context.templates[group].node != nullptr &&
           context.health.groups[group].upcoming.nodes() > 0;
}

/// See PassContext::unread_groups_with_requests. Sets the wake-up time for the first deadline.
void find_unread_orders(PassContext& context, const Memory& memory) {
    NextChange next_change(context.time);
    for (GroupIndex g = 0; g < context.groups().size(); ++g) {
        if (!health::is_unread(context.groups()[g]) || has_upcoming(context, g)) continue;
        const auto request = memory.requests.find(context.id(g));
        if (request == memory.requests.end() || !context.planned.contains(context.id(g))) continue;
        // Without a current view of the cluster no request times out.
        if (memory.unobserved_since || next_change.is_before_end(request->second.deadline))
            context.unread_groups_with_requests.push_back(g);
    }
    if (const auto at = next_change.at()) wake_by(context.pending.wake_at, *at);
}

void find_promises(PassContext& context) {
    std::vector<bool> usable;
    for (const health::NodeUsability usability : context.health.nodes)
        usable.push_back(usability == health::NodeUsability::takes_pods);
    for (const NodeIndex node : context.being_removed) usable[node] = false;
    NextChange next_change(context.time);
    context.promises =
        templates::find_promises(*context.snapshot, context.membership, context.templates, usable,
                                 *context.settings, next_change);
    if (const auto at = next_change.at()) wake_by(context.health.wake_at, *at);
}

/// The pending pod groups keep their order and come first.
std::vector<PodGroupId> pod_groups_of(const PassContext& context,
                                      std::span<const PodGroupId> asked) {
    std::vector<PodGroupId> out;
    out.reserve(context.pending_count());
    for (const PodCount& pods : context.pending.pod_groups) out.push_back(pods.equivalence_group);

    std::vector<PodGroupId> known = out;
    std::ranges::sort(known);
    const auto add = [&](PodGroupId id) {
        const auto at = std::ranges::lower_bound(known, id);
        if (at != known.end() && *at == id) return;
        known.insert(at, id);
        out.push_back(id);
    };
    for (const pods::Nomination& nomination : context.nominated) add(nomination.equivalence_group);
    for (const PodGroupId id : asked) add(id);
    for (const PodGroupId id : context.candidates.moving_pod_groups()) add(id);
    return out;
}

/// By PodGroupId: whether its pods are expendable. Expendable pods give way to any other that
/// preempts, so the room that they take counts as free.
std::vector<bool> find_expendable(const PassContext& context) {
    const snapshot::Cluster& cluster = context.snapshot->cluster;
    std::vector<bool> out;
    out.reserve(cluster.pod_group_count());
    for (PodGroupId id = 0; id < cluster.pod_group_count(); ++id)
        out.push_back(pods::is_expendable(*cluster.equivalence_group(id).spec, *context.settings));
    return out;
}

/// The refusal of new nodes like the one that did not take the pods.
scheduling::Refusal worded(const RefusedPods& refused, const Settings& settings) {
    scheduling::Refusal out = refused.refusal;
    out.sentence += "; node " + refused.node + " of the same template ";
    if (!refused.differs.empty()) out.sentence += refused.differs.text() + " and ";
    out.sentence += "did not take the pod";
    if (out.predicate == scheduling::Predicate::taint_toleration &&
        !templates::is_starting_taint(out.subject, settings))
        out.sentence += "; list the taint in scale_up.startup_taint if it is removed after startup";
    return out;
}

/// The pods that new nodes of their groups do not take by TemplateRecord::refused. Refusals because
/// of other pods are left out if a new node would take one of the pods as the cluster is now.
/// `placement`: of bound pods, without refusals.
std::vector<scheduling::RefusedShape> find_refused(const PassContext& context, const Memory& memory,
                                                   const scheduling::Placement& placement) {
    std::map<std::string, std::vector<PodGroupIndex>> by_spec;
    for (PodGroupIndex s = 0; s < context.predicates->pod_groups().size(); ++s)
        by_spec[pods::spec_of(pods::pod_group_key(context.snapshot->cluster,
                                                  context.predicates->pod_groups()[s]))]
            .push_back(s);
    std::vector<scheduling::RefusedShape> out;
    for (GroupIndex g = 0; g < context.groups().size(); ++g) {
        const auto record = memory.templates.find(context.id(g));
        if (record == memory.templates.end()) continue;
        for (const auto& [spec, refused] : record->second.refused) {
            const scheduling::Refusal refusal = worded(refused, *context.settings);
            for (const PodGroupIndex s : by_spec[spec]) {
                const bool may_be_over =
                    scheduling::is_of_pods(refusal.predicate) &&
                    placement.why_not_new(s, g).predicate == scheduling::Predicate::none;
                if (!may_be_over) out.push_back({s, g, refusal});
            }
        }
    }
    return out;
}

/// Compiles PassContext::predicates.
void compile_predicates(PassContext& context, const Memory& memory,
                        std::span<const PodGroupId> asked) {
    std::vector<scheduling::TemplateNode> template_nodes;
    for (const templates::GroupTemplate& node : context.templates)
        template_nodes.push_back(node.template_node);
    const auto compile = [&] {
        context.predicates = std::make_unique<scheduling::CompiledPredicates>(
            context.snapshot->cluster, pod_groups_of(context, asked), template_nodes,
            find_expendable(context), context.promises, context.refused);
    };
    compile();
    const bool has_refused = std::ranges::any_of(
        memory.templates, [](const auto& entry) { return !entry.second.refused.empty(); });
    if (!has_refused) return;
    context.refused = find_refused(context, memory, scheduling::Placement(*context.predicates));
    if (!context.refused.empty()) compile();
}

}  // namespace

int PassContext::target(GroupIndex group) const noexcept {
    CAPSTAN_ASSERT(group < groups().size(), "there is no such group");
    const std::optional<int>& reported = groups()[group].group.target;
    CAPSTAN_ASSERT(reported, "a group without a target is resized");
    return *reported;
}

bool is_repaired(const health::Repairs& repairs, const NodeGroupId& group) {
    const auto is_its = [&](const auto& action) { return action.group == group; };
    return std::ranges::any_of(repairs.decreases, is_its) ||
           std::ranges::any_of(repairs.removals, is_its) ||
           std::ranges::any_of(repairs.increases, is_its);
}

PassContext make_pass_context(const PassView& view, std::span<const PodGroupId> asked,
                              PassPhaseObserver* phase_observer) {
    const auto& [snapshot, membership, memory, settings, time] = view;
    PassContext context{.snapshot = &snapshot,
                        .settings = &settings,
                        .time = time,
                        .now = time.now,
                        .membership = membership,
                        .budgets = pods::DisruptionBudgets(snapshot.cluster),
                        .planned = memory.planned,
                        .phase_observer = phase_observer};
    context.templates =
        templates::make_templates(snapshot, context.membership, memory.templates, settings, time);
    context.health = health::assess(snapshot, context.membership, memory, settings, time);
    context.repairs = health::plan_repairs(view, context.health);
    context.candidates = drainability::find_candidates(view, context.health, context.budgets);
    for (const auto& [node, removal] : memory.removals) {
        const auto index = snapshot.cluster.find_node(node);
        if (!index || removal.phase == RemovalPhase::undoing) continue;
        CAPSTAN_ASSERT(context.being_removed.empty() || context.being_removed.back() < *index,
                       "nodes that are being removed are not in order");
        context.being_removed.push_back(*index);
        for (const auto& [to, pods] : removal.places)
            for (const auto& [key, count] : pods) context.reserved[to][key] += count;
    }
    {
        const ScopedPassPhase phase(phase_observer, PassPhase::find_pending);
        context.evicted =
            drainability::evicted_pods(snapshot, memory, context.health.leaving, settings);
        context.pending = pods::find_pending(snapshot.cluster, settings, time, context.evicted);
    }
    find_promises(context);
    find_unread_orders(context, memory);
    context.nominated = pods::find_nominated(snapshot.cluster, settings);
    for (GroupIndex g = 0; g < context.groups().size(); ++g)
        context.headrooms.push_back(headroom_of(context, g, memory));
    compile_predicates(context, memory, asked);
    CAPSTAN_ASSERT(context.membership.machine_of.size() == snapshot.cluster.node_count() &&
                       context.templates.size() == context.groups().size(),
                   "membership and templates are of another snapshot");
    CAPSTAN_ASSERT(context.health.nodes.size() == snapshot.cluster.node_count() &&
                       context.health.groups.size() == context.groups().size(),
                   "the health is of another snapshot");
    return context;
}

PassContext make_pass_context(const Snapshot& snapshot, const Memory& memory,
                              const Settings& settings, const PassTime& time) {
    const templates::Membership membership = templates::make_membership(snapshot);
    return make_pass_context({snapshot, membership, memory, settings, time}, {}, nullptr);
}

std::optional<PodGroupIndex> find_pod_group(const PassContext& context,
                                            PodGroupId equivalence_group) noexcept {
    const auto pod_groups = context.predicates->pod_groups();
    const auto at = std::ranges::find(pod_groups, equivalence_group);
    if (at == pod_groups.end()) return std::nullopt;
    return static_cast<PodGroupIndex>(at - pod_groups.begin());
}

bool is_tried_before(const PassContext& context, PodGroupIndex first, PodGroupIndex then) noexcept {
    const auto priority = [&](PodGroupIndex pod_group) {
        const PodGroupId id = context.pending.pod_groups[pod_group].equivalence_group;
        return context.snapshot->cluster.equivalence_group(id).spec->priority.value_or(0);
    };
    if (priority(first) != priority(then)) return priority(first) > priority(then);
    return context.pending.ages[first].newest < context.pending.ages[then].oldest;
}

}  // namespace capstan::engine::pass_context
