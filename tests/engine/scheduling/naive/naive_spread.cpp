// PodTopologySpread with DoNotSchedule.
#include <algorithm>

#include "naive/naive_predicates.hpp"

namespace capstan::engine::scheduling::naive {
namespace {

/// The selector including the pod's own values of matchLabelKeys.
LabelSelector selector_of(const snapshot::SpreadConstraint& constraint, const Pod& pod) {
    LabelSelector out = *constraint.selector;
    for (const std::string& key : constraint.match_label_keys) {
        const auto at = pod.labels.find(key);
        if (at != pod.labels.end()) {
            out.match_expressions.push_back({key, Operator::in, {at->second}});
        }
    }
    return out;
}

int count(const Node& node, const snapshot::SpreadConstraint& constraint, const Pod& pod) {
    if (!constraint.selector || node.gone) return 0;
    const LabelSelector selector = selector_of(constraint, pod);
    if (selector == LabelSelector{}) return 0;
    return static_cast<int>(
        std::count_if(node.pods.begin(), node.pods.end(), [&](const Pod& other) {
            return other.ns == pod.ns && !other.terminating && matches(selector, other.labels);
        }));
}

bool is_eligible(const Node& node, const snapshot::SpreadConstraint& constraint, const Pod& pod) {
    const bool has_all_keys = std::all_of(
        pod.spec.spread.begin(), pod.spec.spread.end(),
        [&](const auto& other) { return find_value(node, other.topology_key).has_value(); });
    const bool is_seen = !node.gone || (node.draining && !constraint.honor_taints);
    return is_seen && has_all_keys && !(constraint.honor_affinity && node_affinity(pod, node)) &&
           !(constraint.honor_taints && taint_toleration(pod, node));
}

Verdict keeps(const NaiveCluster& naive_cluster, const snapshot::SpreadConstraint& constraint,
              const Pod& pod, const Node& node) {
    const auto domain = find_value(node, constraint.topology_key);
    if (!domain) return "the node has no " + constraint.topology_key;
    const std::map<std::string, int> counts = count_domains(naive_cluster, constraint, pod, &node);
    int least = 0;
    if (!counts.empty() && static_cast<int>(counts.size()) >= constraint.min_domains.value_or(1)) {
        least = std::min_element(counts.begin(), counts.end(), [](const auto& a, const auto& b) {
                    return a.second < b.second;
                })->second;
    }
    const bool itself = constraint.selector && matches(selector_of(constraint, pod), pod.labels);
    const auto at = counts.find(*domain);
    const int existing = at != counts.end() ? at->second : 0;
    const int skew = existing + (itself ? 1 : 0) - least;
    if (skew <= constraint.max_skew) return std::nullopt;
    return constraint.topology_key + "=" + *domain + " would have a skew of " +
           std::to_string(skew);
}

/// The selector of a ReplicationController is a map, so its labels replace those of Services.
LabelSelector default_selector(const NaiveCluster& naive_cluster, const Pod& pod) {
    LabelSelector out;
    for (const auto& [name, service] : naive_cluster.objects.services) {
        const LabelSelector own{.match_labels = service.selector};
        if (service.ns == pod.ns && !service.selector.empty() && matches(own, pod.labels))
            out.match_labels.insert(service.selector.begin(), service.selector.end());
    }
    const std::string full = pod.owner.api_group + "/" + pod.owner.kind;
    for (const auto& [name, controller] : naive_cluster.objects.controllers) {
        if (controller.ns != pod.ns || controller.name != pod.owner.name ||
            controller.kind != pod.owner.kind || !controller.selector)
            continue;
        if (full == "/ReplicationController") {
            for (const auto& [key, value] : controller.selector->match_labels)
                out.match_labels[key] = value;
        } else if (full == "apps/ReplicaSet" || full == "apps/StatefulSet") {
            // Requirements are appended one by one, as in a label query.
            for (const auto& [key, value] : controller.selector->match_labels)
                out.match_expressions.push_back({key, Operator::in, {value}});
            for (const Requirement& requirement : controller.selector->match_expressions)
                out.match_expressions.push_back(requirement);
        }
    }
    return out;
}

}  // namespace

Pod with_spread(const NaiveCluster& naive_cluster, Pod pod) {
    if (!pod.spec.spread.empty() || pod.spec.has_soft_spread) return pod;
    const LabelSelector selector = default_selector(naive_cluster, pod);
    if (selector == LabelSelector{}) return pod;
    for (const snapshot::DefaultSpread& each : naive_cluster.default_spread) {
        pod.spec.spread.push_back(
            {.max_skew = each.max_skew, .topology_key = each.topology_key, .selector = selector});
    }
    return pod;
}

std::map<std::string, int> count_domains(const NaiveCluster& naive_cluster,
                                         const snapshot::SpreadConstraint& constraint,
                                         const Pod& pod, const Node* evaluated) {
    std::map<std::string, int> out;
    for (const Node& node : naive_cluster.nodes) {
        const bool is_host = constraint.topology_key == "kubernetes.io/hostname";
        if (is_host && node.unopened && &node != evaluated) continue;
        if (!is_eligible(node, constraint, pod)) continue;
        out[*find_value(node, constraint.topology_key)] += count(node, constraint, pod);
    }
    return out;
}

Verdict pod_topology_spread(const NaiveCluster& naive_cluster, const Pod& pod, const Node& node) {
    for (const snapshot::SpreadConstraint& constraint : pod.spec.spread) {
        if (Verdict no = keeps(naive_cluster, constraint, pod, node)) return no;
    }
    return std::nullopt;
}

}  // namespace capstan::engine::scheduling::naive
