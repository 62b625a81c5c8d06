#include "random_plan.hpp"

#include <algorithm>

namespace capstan::engine::scale_down {
namespace {

constexpr const char* safe_to_evict_annotation = "cluster-autoscaler.kubernetes.io/safe-to-evict";

PodKind random_kind(scheduling::naive::Dice& dice) {
    if (dice.chance(90)) return PodKind::replicated;
    return dice.one_of(std::vector{PodKind::safe_to_evict, PodKind::terminating, PodKind::daemon,
                                   PodKind::mirror, PodKind::unmanaged, PodKind::not_safe_to_evict,
                                   PodKind::local, PodKind::system});
}

void set_kind(snapshot::PodObject& pod, PodKind kind) {
    pod.owner = {.kind = "ReplicaSet", .api_group = "apps", .name = "r", .uid = "r"};
    pod.created = noon - 1min;
    switch (kind) {
        case PodKind::replicated: return;
        case PodKind::safe_to_evict:
            pod.annotations[safe_to_evict_annotation] = "true";
            [[fallthrough]];
        case PodKind::unmanaged: pod.owner = {}; return;
        case PodKind::terminating: pod.deleted = noon - 5s; return;
        case PodKind::daemon: pod.owner.kind = "DaemonSet"; return;
        case PodKind::mirror: pod.owner.kind = "Node"; return;
        case PodKind::not_safe_to_evict:
            pod.annotations[safe_to_evict_annotation] = "false";
            return;
        case PodKind::local: pod.spec.local_volumes = {"scratch"}; return;
        case PodKind::system: pod.ns = "kube-system"; return;
    }
}

void add_nodes(Parts& parts, scheduling::naive::Dice& dice,
               const scheduling::naive::Frequencies& frequencies) {
    for (int i = dice.between(3, 9); i > 0; --i) {
        parts.nodes.push_back(
            scheduling::naive::make_random_node(dice, frequencies, "n" + std::to_string(i)));
        parts.group_of.push_back("g" + std::to_string(dice.between(1, 3)));
    }
}

/// Adds random pods, each several times. The copies differ only in name, node and PodKind.
void add_pods(Parts& parts, scheduling::naive::Dice& dice,
              const scheduling::naive::Frequencies& frequencies) {
    for (int kind = dice.between(1, 6); kind > 0; --kind) {
        const snapshot::PodObject like = scheduling::naive::make_random_pod(dice, frequencies);
        for (int i = dice.between(1, 4); i > 0; --i) {
            snapshot::PodObject pod = like;
            pod.name = "p" + std::to_string(kind) + "-" + std::to_string(i);
            const bool waits = dice.chance(10);
            pod.node_name = waits ? "" : dice.one_of(parts.nodes).name;
            pod.unscheduled_reason = waits ? "Unschedulable" : "";
            pod.phase = waits ? snapshot::PodPhase::pending : snapshot::PodPhase::running;
            parts.kinds.push_back(waits ? PodKind::replicated : random_kind(dice));
            set_kind(pod, parts.kinds.back());
            parts.pods.push_back(std::move(pod));
        }
    }
}

void add_budgets(Parts& parts, scheduling::naive::Dice& dice) {
    const std::vector<Labels> selectors{{},
                                        {{"app", "a"}},
                                        {{"app", "b"}},
                                        {{"app", "c"}},
                                        {{"tier", "front"}},
                                        {{"app", "a"}, {"tier", "front"}}};
    for (int i = dice.chance(30) ? 0 : dice.between(1, 3); i > 0; --i) {
        parts.budgets.push_back({.name = "pdb-" + std::to_string(i),
                                 .selected = dice.one_of(selectors),
                                 .is_minimum = dice.chance(50),
                                 .number = dice.between(0, 5),
                                 .away = dice.chance(30) ? dice.between(1, 2) : 0,
                                 .is_observed = !dice.chance(5)});
    }
}

void add_removals(Parts& parts, scheduling::naive::Dice& dice) {
    for (std::size_t i = 0; i < parts.nodes.size(); ++i) {
        if (!dice.chance(8)) continue;
        parts.removals[parts.nodes[i].name] = {.group = NodeGroupId(parts.group_of[i]),
                                               .machine = MachineId(parts.nodes[i].name),
                                               .phase = static_cast<RemovalPhase>(dice.below(7)),
                                               .empty = dice.chance(50),
                                               .since = noon,
                                               .phase_since = noon};
    }
}

Settings random_settings(scheduling::naive::Dice& dice) {
    Settings out;
    if (dice.chance(30)) out.nodes.min = dice.between(1, 4);
    if (dice.chance(20)) out.cpu.min = dice.between(1, 16) * 500;
    if (dice.chance(20)) out.memory.min = dice.between(1, 12) * 1000;
    if (dice.chance(20)) out.gpu.min = dice.between(1, 4);
    if (dice.chance(10)) out.gpu_types["example.com/gpu"].min = dice.between(1, 3);
    out.scale_down.max_parallelism = dice.between(1, 6);
    out.scale_down.max_drain_parallelism = dice.between(1, 4);
    out.scale_down.utilization_threshold = 1;
    return out;
}

}  // namespace

bool moves(PodKind kind) noexcept {
    return kind == PodKind::replicated || kind == PodKind::safe_to_evict ||
           kind == PodKind::terminating;
}

bool stays(PodKind kind) noexcept {
    return kind == PodKind::unmanaged || kind == PodKind::not_safe_to_evict ||
           kind == PodKind::local || kind == PodKind::system;
}

bool selects(const BudgetPart& budget, const snapshot::PodObject& pod) {
    return pod.ns == "default" && std::ranges::all_of(budget.selected, [&](const auto& label) {
               const auto at = pod.labels.find(label.first);
               return at != pod.labels.end() && at->second == label.second;
           });
}

int allowed(const Parts& parts, const BudgetPart& budget) {
    int wanted = 0, there = -budget.away;
    for (const snapshot::PodObject& pod : parts.pods) {
        if (!selects(budget, pod)) continue;
        ++wanted;
        if (!pod.node_name.empty() && !pod.deleted) ++there;
    }
    const int least = budget.is_minimum ? budget.number : wanted - budget.number;
    return std::max(there - std::max(least, 0), 0);
}

Parts make_parts(scheduling::naive::Dice& dice, const scheduling::naive::Frequencies& frequencies) {
    Parts out;
    add_nodes(out, dice, frequencies);
    add_pods(out, dice, frequencies);
    add_budgets(out, dice);
    add_removals(out, dice);
    out.settings = random_settings(dice);
    if (dice.chance(30)) out.min = dice.between(0, 2);
    return out;
}

}  // namespace capstan::engine::scale_down
