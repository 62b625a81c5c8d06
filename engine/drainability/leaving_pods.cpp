#include "engine/drainability/leaving_pods.hpp"

#include <algorithm>
#include <tuple>
#include <utility>

#include <capstan/sentence.hpp>

#include "engine/drainability/drain_rules/drain_rules.hpp"
#include "engine/drainability/pods_on_node.hpp"
#include "engine/pods/nominated.hpp"
#include "engine/templates/daemons.hpp"

namespace capstan::engine::drainability {
namespace {

std::string_view ns_of(const snapshot::Cluster& cluster, const snapshot::PodRow& pod) {
    return cluster.text(cluster.equivalence_group(pod.equivalence_group).ns);
}

}  // namespace

std::string pod_key(const snapshot::Cluster& cluster, PodIndex pod) {
    return full_name(cluster, pod).append("/").append(cluster.text(cluster.pod(pod).uid));
}

void sort_by_name(const snapshot::Cluster& cluster, std::vector<PodIndex>& pods) {
    std::ranges::sort(pods, {}, [&](PodIndex pod) {
        const snapshot::PodRow row = cluster.pod(pod);
        return std::tuple(ns_of(cluster, row), cluster.text(row.name));
    });
}

LeavingPods find_leaving_pods(const snapshot::Cluster& cluster, NodeIndex node,
                              const pods::DisruptionBudgets& budgets, const Settings& settings,
                              const PassTime& time) {
    const DrainContext context{cluster, settings, budgets, time};
    std::vector<PodIndex> pods(cluster.pods_on(node).begin(), cluster.pods_on(node).end());
    sort_by_name(cluster, pods);
    LeavingPods out;
    for (const PodIndex pod : pods) {
        DrainVerdict verdict = judge(pod, context);
        if (verdict.drain == Drain::skip) continue;
        const bool is_going = cluster.pod(pod).deleted;
        if (verdict.drain == Drain::daemon) {
            if (!is_going) out.daemons.push_back(pod);
        } else if (is_going || verdict.drain == Drain::wait) {
            out.ending.push_back(pod);
        } else if (verdict.drain == Drain::block && verdict.rule != "pdb") {
            if (out.blocked_because.empty()) out.blocked_because = std::move(verdict.sentence);
        } else {
            out.moving.push_back(pod);
        }
    }
    return out;
}

std::string why_not_empty(const snapshot::Cluster& cluster, const LeavingPods& pods) {
    if (!pods.blocked_because.empty()) return pods.blocked_because;
    if (pods.moving.empty()) return {};
    return "new pods were scheduled on it: " +
           listed(pods.moving, [&](PodIndex pod) { return full_name(cluster, pod); });
}

bool is_recreated(const snapshot::Cluster& cluster, PodIndex pod, const Settings& settings) {
    const snapshot::PodRow row = cluster.pod(pod);
    const snapshot::PodGroupRow& pod_group = cluster.equivalence_group(row.equivalence_group);
    return !row.deleted && !pod_group.owner->kind.empty() &&
           !templates::is_daemon(cluster, row.equivalence_group) &&
           !pods::is_expendable(*pod_group.spec, settings);
}

namespace {

/// Whether the pod's eviction is refused for a reason that waiting does not change, so that the pod
/// stays on its node.
bool is_barred(const snapshot::Cluster& cluster, PodIndex pod, const NodeRemoval& removal) {
    const auto at = removal.evictions.find(pod_key(cluster, pod));
    return at != removal.evictions.end() && at->second.barred_since.has_value();
}

/// Whether the node's pods are still to be evicted. They count as soon as the node is chosen, so
/// that the room that they will need is not given to other pods.
bool is_to_be_drained(const NodeRemoval& removal) {
    return !removal.empty && removal.phase <= RemovalPhase::draining;
}

}  // namespace

std::vector<PodIndex> evicted_pods(const Snapshot& snapshot, const Memory& memory,
                                   const std::vector<health::LeavingNode>& leaving,
                                   const Settings& settings) {
    const snapshot::Cluster& cluster = snapshot.cluster;
    std::vector<PodIndex> out;
    for (const health::LeavingNode& node : leaving) {
        if (!node.departure.is_vacated) continue;
        // Also a pod that cannot be evicted ends with the machine.
        for (const PodIndex pod : cluster.pods_on(node.node))
            if (is_recreated(cluster, pod, settings)) out.push_back(pod);
    }
    for (const auto& [name, removal] : memory.removals) {
        const auto node = cluster.find_node(name);
        if (!node || !is_to_be_drained(removal) || health::is_vacated(leaving, *node)) continue;
        for (const PodIndex pod : cluster.pods_on(*node))
            if (is_recreated(cluster, pod, settings) && !is_barred(cluster, pod, removal))
                out.push_back(pod);
    }
    sort_by_name(cluster, out);
    return out;
}

}  // namespace capstan::engine::drainability
