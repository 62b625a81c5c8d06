#include "engine/scale_down/scale_down.hpp"

#include <algorithm>
#include <iterator>
#include <map>
#include <utility>

#include <capstan/assert.hpp>
#include <capstan/sentence.hpp>

#include "engine/next_change.hpp"
#include "engine/node_marks.hpp"
#include "engine/scale_down/chosen_nodes_check.hpp"
#include "engine/scale_down/node_selection.hpp"
#include "engine/scale_down/unneeded.hpp"
#include "engine/snapshot.hpp"

namespace capstan::engine::scale_down {
namespace {

/// Why no scale-down is planned at all; empty: it is planned.
std::string find_scale_down_obstacle(const pass_context::PassContext& context) {
    if (!context.settings->scale_down.enabled) return "scale-down is disabled (scale_down.enabled)";
    if (!context.health.unhealthy_because.empty())
        return "cluster is unhealthy: " + context.health.unhealthy_because;
    return {};
}

NodeVerdict verdict_of(const pass_context::PassContext& context,
                       const drainability::Candidate& node, UnremovableReason why,
                       const Memory& memory) {
    const snapshot::Cluster& cluster = context.snapshot->cluster;
    NodeVerdict out{.node = std::string(cluster.text(cluster.node(node.node).name)),
                    .group = context.id(node.group),
                    .reason = why.reason,
                    .utilization = node.utilization,
                    .pod = std::move(why.pod),
                    .because = std::move(why.because)};
    const auto since = memory.unneeded.find(out.node);
    if (since != memory.unneeded.end()) out.unneeded_since = since->second.since;
    return out;
}

/// Merges two lists that are sorted by name.
std::vector<NodeVerdict> merge(std::vector<NodeVerdict> a, std::vector<NodeVerdict> b) {
    std::vector<NodeVerdict> out;
    out.reserve(a.size() + b.size());
    std::merge(std::make_move_iterator(a.begin()), std::make_move_iterator(a.end()),
               std::make_move_iterator(b.begin()), std::make_move_iterator(b.end()),
               std::back_inserter(out),
               [](const NodeVerdict& x, const NodeVerdict& y) { return x.node < y.node; });
    return out;
}

std::int64_t count_assigned(const pass_context::PassContext& context,
                            const scheduling::Placement& placement) {
    std::int64_t out = 0;
    for (scheduling::Slot slot = 0; slot < placement.slot_count(); ++slot) {
        for (const scheduling::Assignment& assignment : placement.assignments(slot)) {
            if (assignment.pod_group < context.pending_count())
                out += std::int64_t{assignment.per_node} * placement.nodes(slot);
        }
    }
    return out;
}

/// Updates since when each unneeded node has been unneeded, and forgets it for all other nodes. A
/// node that is starting counts from when it joined, even if a pending pod is to run there. A node
/// that becomes ready counts anew, because no pod could have used it before. While a group cannot
/// be changed, its nodes are not examined, and their time goes on: a cloud that refuses a request
/// twice a minute would otherwise keep all nodes for ever.
void remember_unneeded(const pass_context::PassContext& context,
                       const drainability::Candidates& candidates, const UnneededNodes& unneeded,
                       Memory& memory) {
    const snapshot::Cluster& cluster = context.snapshot->cluster;
    decltype(Memory::unneeded) now;
    const auto remember = [&](const drainability::Candidate& node) {
        const std::string name(cluster.text(cluster.node(node.node).name));
        const auto before = memory.unneeded.find(name);
        const bool goes_on =
            before != memory.unneeded.end() && (before->second.ready || !node.ready);
        const Time since = goes_on ? before->second.since : context.now;
        now.emplace(name, Unneeded{.since = since, .ready = node.ready});
    };
    for (const RemovalUnit& unit : unneeded.units)
        for (const std::size_t i : unit.candidates) remember(candidates.nodes[i]);
    for (const drainability::Candidate& node : candidates.nodes) {
        if (context.health.nodes[node.node] == health::NodeUsability::starting) remember(node);
        const std::string name(cluster.text(cluster.node(node.node).name));
        if (memory.unneeded.contains(name) && is_unreadable(&context.groups()[node.group]))
            remember(node);
    }
    memory.unneeded = std::move(now);
}

/// Adds the nodes that get soft taints although they are not unneeded. Without the taint
/// kube-scheduler would put pods of other removals there, and they would be moved again a few
/// minutes later:
///  - nodes whose pods have places, while other removals use up a disruption budget. While a drain
///    uses up a budget, places are not looked for, so a node only keeps the taint that it has.
///  - nodes whose removal has failed keep the taint until it is tried again.
void add_waiting_nodes(const pass_context::PassContext& context,
                       const drainability::Candidates& candidates, const UnneededNodes& unneeded,
                       const Memory& memory, std::vector<std::string>& to) {
    const snapshot::Cluster& cluster = context.snapshot->cluster;
    for (const std::size_t i : unneeded.short_of_budget)
        to.emplace_back(cluster.text(cluster.node(candidates.nodes[i].node).name));
    if (!memory.removal_backoffs.empty())
        for (NodeIndex n = 0; n < cluster.node_count(); ++n)
            if (waits_for_retry(context, memory, n))
                to.emplace_back(cluster.text(cluster.node(n).name));
    const bool is_draining = std::ranges::any_of(memory.removals, [](const auto& entry) {
        return !entry.second.empty && entry.second.phase != RemovalPhase::undoing;
    });
    if (!is_draining) return;
    for (const NodeIndex node : candidates.short_of_budget)
        if (has_taint(cluster.node(node), deletion_candidate_taint))
            to.emplace_back(cluster.text(cluster.node(node).name));
}

ChosenNode make_chosen(std::size_t i, const drainability::Candidate& node,
                       const UnremovableReason& verdict, PodPlaces places) {
    ChosenNode out{.candidate = i, .because = verdict.because, .places = std::move(places)};
    if (!node.ready) {
        out.cause = RemovalCause::unready;
    } else if (node.is_empty()) {
        out.cause = RemovalCause::empty;
    }
    return out;
}

UnneededNodes look_for_unneeded(const pass_context::PassContext& context,
                                scheduling::Placement& placement,
                                const drainability::Candidates& candidates,
                                pods::DisruptionBudgets budgets, Memory& memory) {
    const ScopedPassPhase phase(context.phase_observer, PassPhase::find_unneeded);
    UnneededNodes out = find_unneeded(context, placement, candidates, std::move(budgets), memory);
    remember_unneeded(context, candidates, out, memory);
    remember_hints(out, context, candidates, memory);
    return out;
}

ScaleDown plan(const pass_context::PassContext& context, scheduling::Placement& placement,
               const drainability::Candidates& candidates, pods::DisruptionBudgets budgets,
               std::span<const Increase> increases, Memory& memory) {
    UnneededNodes unneeded =
        look_for_unneeded(context, placement, candidates, std::move(budgets), memory);
    const ScopedPassPhase phase(context.phase_observer, PassPhase::scale_down);
    ChosenNodesCheck check(context, placement, candidates, unneeded);
    Selection choice = choose_nodes(context, candidates, unneeded, increases,
                                    count_assigned(context, placement), memory, check);

    ScaleDown out{.no_removals_because = std::move(choice.no_removals_because),
                  .has_waiting = choice.has_waiting,
                  .wake_at = choice.wake_at,
                  .held_back = std::move(choice.held_back),
                  .looked_at_nodes = true};
    for (const RemovalUnit& unit : choice.units) {
        for (const std::size_t i : unit.candidates) {
            CAPSTAN_ASSERT(!unneeded.kept[i] && choice.verdicts[i].reason == Unremovable::none,
                           "a node is removed that something keeps");
            CAPSTAN_ASSERT(
                !std::ranges::binary_search(context.being_removed, candidates.nodes[i].node),
                "a node is removed twice");
            out.chosen.push_back(make_chosen(i, candidates.nodes[i], choice.verdicts[i],
                                             check.places_of(candidates.nodes[i])));
        }
    }
    for (std::size_t i = 0; i < candidates.nodes.size(); ++i) {
        std::optional<UnremovableReason>& kept = unneeded.kept[i];
        UnremovableReason& why = kept ? *kept : choice.verdicts[i];
        if (!why.total.empty()) ++out.at_minimum[why.total];
        const bool waits = !kept && why.reason != Unremovable::none;
        out.nodes.push_back(verdict_of(context, candidates.nodes[i], std::move(why), memory));
        if (waits) out.soft_taint_nodes.push_back(out.nodes.back().node);
    }
    add_waiting_nodes(context, candidates, unneeded, memory, out.soft_taint_nodes);
    return out;
}

}  // namespace

ScaleDown plan_scale_down(const pass_context::PassContext& context,
                          scheduling::Placement& placement, drainability::Candidates& candidates,
                          pods::DisruptionBudgets budgets, std::span<const Increase> increases,
                          Memory& memory) {
    ScaleDown out;
    const std::string obstacle = find_scale_down_obstacle(context);
    if (obstacle.empty()) {
        out = plan(context, placement, candidates, std::move(budgets), increases, memory);
        if (candidates.wake_at) wake_by(out.wake_at, *candidates.wake_at);
    } else {
        memory.unneeded.clear();
        memory.hints.clear();
        out.no_removals_because = obstacle;
        for (const drainability::Candidate& node : candidates.nodes) {
            const UnremovableReason why{Unremovable::not_unneeded_other_reason, obstacle};
            out.nodes.push_back(verdict_of(context, node, why, memory));
        }
    }
    out.nodes = merge(std::exchange(candidates.others, {}), std::move(out.nodes));
    for (const Decrease& decrease : context.repairs.decreases)
        out.groups_under_repair.insert(decrease.group);
    for (const MachineRemoval& removal : context.repairs.removals)
        out.groups_under_repair.insert(removal.group);
    return out;
}

}  // namespace capstan::engine::scale_down
