#include "engine/scale_down/scale_down.hpp"

#include <algorithm>
#include <iterator>
#include <map>
#include <utility>

#include <capstan/sentence.hpp>

#include "engine/drainability/pods_on_node.hpp"
#include "engine/next_change.hpp"
#include "engine/scale_down/choice.hpp"
#include "engine/scale_down/unneeded.hpp"

namespace capstan::engine::scale_down {
namespace {

/// Why nothing is even planned; empty: it is.
std::string find_scale_down_obstacle(const pass_context::PassContext& context) {
    if (!context.settings->scale_down.enabled) return "removing nodes is switched off (enabled)";
    if (!context.health.unhealthy_because.empty())
        return "the cluster is not healthy: " + context.health.unhealthy_because;
    return {};
}

NodeVerdict verdict_of(const pass_context::PassContext& context,
                       const drainability::Candidate& node, Keep keep, const Memory& memory) {
    const snapshot::Cluster& cluster = context.snapshot->cluster;
    NodeVerdict out{.node = std::string(cluster.text(cluster.node(node.node).name)),
                    .group = context.id(node.group),
                    .reason = keep.reason,
                    .utilization = node.utilization,
                    .pod = std::move(keep.pod),
                    .because = std::move(keep.because)};
    const auto since = memory.unneeded.find(out.node);
    if (since != memory.unneeded.end()) out.unneeded_since = since->second.since;
    return out;
}

/// Both by name.
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

/// Since when each of them has been unneeded; of all others that is forgotten. A node that is yet
/// to pass its checks counts from when it joined, even if a pod waits for it; one that becomes
/// ready counts anew: no pod could need it before.
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
    }
    memory.unneeded = std::move(now);
}

std::vector<snapshot::NodeIndex> find_staying(const pass_context::PassContext& context,
                                              const drainability::Candidates& candidates,
                                              const UnneededNodes& unneeded) {
    std::vector<bool> goes(context.snapshot->cluster.node_count());
    for (const RemovalUnit& unit : unneeded.units)
        for (const std::size_t i : unit.candidates) goes[candidates.nodes[i].node] = true;
    std::vector<snapshot::NodeIndex> out;
    for (snapshot::NodeIndex n = 0; n < goes.size(); ++n) {
        if (!goes[n]) out.push_back(n);
    }
    return out;
}

/// The plan holds for all nodes that are not needed; of the few that go it has to hold on its own,
/// while the others are still there. Puts the placement back as it was.
class Departure {
public:
    Departure(const pass_context::PassContext& context, scheduling::Placement& placement,
              const drainability::Candidates& candidates, const UnneededNodes& unneeded)
        : context_(context),
          placement_(placement),
          candidates_(candidates),
          unneeded_(unneeded),
          start_(placement.mark()) {}
    Departure(const Departure&) = delete;
    Departure& operator=(const Departure&) = delete;
    ~Departure() { placement_.undo(start_); }

    /// A pod of the unit that finds no place once those asked about before have gone; nothing: it
    /// goes as well.
    std::optional<snapshot::PodIndex> find_unplaceable(const RemovalUnit& unit) {
        if (!relocation_) {
            relocation_.emplace(context_, placement_, unneeded_.place_of,
                                find_staying(context_, candidates_, unneeded_),
                                std::span<const snapshot::NodeIndex>{});
        }
        const Relocation::Mark before = relocation_->mark();
        for (const std::size_t i : unit.candidates) {
            const drainability::Candidate& node = candidates_.nodes[i];
            if (const auto unplaceable = relocation_->remove(node.node, node.moving)) {
                relocation_->undo(before);
                return unplaceable;
            }
        }
        return std::nullopt;
    }

private:
    const pass_context::PassContext& context_;
    scheduling::Placement& placement_;
    const drainability::Candidates& candidates_;
    const UnneededNodes& unneeded_;
    const scheduling::Placement::Mark start_;
    std::optional<Relocation> relocation_{};
};

ChosenNode make_chosen(std::size_t i, const drainability::Candidate& node, const Keep& verdict) {
    ChosenNode out{.candidate = i, .because = verdict.because};
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
    const ScopedPassPhase part(context.parts, PassPhase::find_unneeded);
    UnneededNodes out = find_unneeded(context, placement, candidates, std::move(budgets), memory);
    remember_unneeded(context, candidates, out, memory);
    remember_hints(out, context, candidates, memory);
    return out;
}

ScaleDown plan(const pass_context::PassContext& context, scheduling::Placement& placement,
               const drainability::Candidates& candidates, pods::DisruptionBudgets budgets,
               std::span<const Increase> grows, Memory& memory) {
    UnneededNodes unneeded =
        look_for_unneeded(context, placement, candidates, std::move(budgets), memory);
    const ScopedPassPhase part(context.parts, PassPhase::scale_down);
    Departure departure(context, placement, candidates, unneeded);
    Selection choice = choose_nodes(
        context, candidates, unneeded, grows, count_assigned(context, placement), memory,
        [&](const RemovalUnit& unit) { return departure.find_unplaceable(unit); });

    ScaleDown out{.no_removals_because = std::move(choice.no_removals_because),
                  .has_waiting = choice.has_waiting,
                  .wake_at = choice.wake_at,
                  .looked_at_nodes = true};
    for (const RemovalUnit& unit : choice.units) {
        for (const std::size_t i : unit.candidates)
            out.chosen.push_back(make_chosen(i, candidates.nodes[i], choice.verdicts[i]));
    }
    for (std::size_t i = 0; i < candidates.nodes.size(); ++i) {
        const bool is_needed = unneeded.kept[i].has_value();
        Keep& keep = is_needed ? *unneeded.kept[i] : choice.verdicts[i];
        if (!keep.total.empty()) ++out.at_minimum[keep.total];
        const bool waits = !is_needed && keep.reason != Unremovable::none;
        out.nodes.push_back(verdict_of(context, candidates.nodes[i], std::move(keep), memory));
        if (waits) out.soft.push_back(out.nodes.back().node);
    }
    return out;
}

}  // namespace

ScaleDown plan_scale_down(const pass_context::PassContext& context,
                          scheduling::Placement& placement, drainability::Candidates& candidates,
                          pods::DisruptionBudgets budgets, std::span<const Increase> grows,
                          Memory& memory) {
    ScaleDown out;
    const std::string obstacle = find_scale_down_obstacle(context);
    if (obstacle.empty()) {
        out = plan(context, placement, candidates, std::move(budgets), grows, memory);
        if (candidates.wake_at) wake_by(out.wake_at, *candidates.wake_at);
    } else {
        memory.unneeded.clear();
        memory.hints.clear();
        out.no_removals_because = obstacle;
        for (const drainability::Candidate& node : candidates.nodes) {
            const Keep keep{Unremovable::not_unneeded_other_reason, obstacle};
            out.nodes.push_back(verdict_of(context, node, keep, memory));
        }
    }
    out.nodes = merge(std::exchange(candidates.others, {}), std::move(out.nodes));
    for (const Decrease& decrease : context.repairs.decreases) out.settling.insert(decrease.group);
    for (const MachineRemoval& removal : context.repairs.removals)
        out.settling.insert(removal.group);
    return out;
}

}  // namespace capstan::engine::scale_down
