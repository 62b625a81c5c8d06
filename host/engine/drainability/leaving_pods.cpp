#include "engine/drainability/leaving_pods.hpp"

#include <algorithm>
#include <tuple>
#include <utility>

#include <capstan/sentence.hpp>

#include "engine/drainability/drain_rules/drain_rules.hpp"
#include "engine/drainability/pods_on_node.hpp"

namespace capstan::engine::drainability {
namespace {

std::string_view ns_of(const snapshot::Cluster& cluster, const snapshot::PodRow& pod) {
    return cluster.text(cluster.equivalence_group(pod.equivalence_group).ns);
}

}  // namespace

std::string pod_key(const snapshot::Cluster& cluster, snapshot::PodIndex pod) {
    return full_name(cluster, pod).append("/").append(cluster.text(cluster.pod(pod).uid));
}

void sort_by_name(const snapshot::Cluster& cluster, std::vector<snapshot::PodIndex>& pods) {
    std::ranges::sort(pods, {}, [&](snapshot::PodIndex pod) {
        const snapshot::PodRow row = cluster.pod(pod);
        return std::tuple(ns_of(cluster, row), cluster.text(row.name));
    });
}

LeavingPods find_leaving_pods(const snapshot::Cluster& cluster, snapshot::NodeIndex node,
                              const pods::DisruptionBudgets& budgets, const Settings& settings,
                              const PassTime& time) {
    const DrainContext context{cluster, settings, budgets, time};
    std::vector<snapshot::PodIndex> pods(cluster.pods_on(node).begin(),
                                         cluster.pods_on(node).end());
    sort_by_name(cluster, pods);
    LeavingPods out;
    for (const snapshot::PodIndex pod : pods) {
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
           listed(pods.moving, [&](snapshot::PodIndex pod) { return full_name(cluster, pod); });
}

}  // namespace capstan::engine::drainability
