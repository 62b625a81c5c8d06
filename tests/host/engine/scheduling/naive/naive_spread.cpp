// PodTopologySpread with DoNotSchedule.
#include <algorithm>

#include "naive/naive_predicates.hpp"

namespace capstan::engine::naive {
namespace {

/// With what matchLabelKeys adds: the pod's own values.
LabelSelector selector_of(const SpreadConstraint& constraint, const Pod& pod) {
    LabelSelector out = *constraint.selector;
    for (const std::string& key : constraint.match_label_keys) {
        const auto at = pod.labels.find(key);
        if (at != pod.labels.end()) {
            out.match_expressions.push_back({key, Operator::in, {at->second}});
        }
    }
    return out;
}

int count(const Node& node, const SpreadConstraint& constraint, const Pod& pod) {
    if (!constraint.selector) return 0;
    const LabelSelector selector = selector_of(constraint, pod);
    if (selector == LabelSelector{}) return 0;
    return static_cast<int>(
        std::count_if(node.pods.begin(), node.pods.end(), [&](const Pod& other) {
            return other.ns == pod.ns && !other.terminating && matches(selector, other.labels);
        }));
}

bool is_eligible(const Node& node, const SpreadConstraint& constraint, const Pod& pod) {
    const bool has_all_keys = std::all_of(
        pod.spec.spread.begin(), pod.spec.spread.end(),
        [&](const auto& other) { return find_value(node, other.topology_key).has_value(); });
    return !node.gone && has_all_keys && !(constraint.honor_affinity && node_affinity(pod, node)) &&
           !(constraint.honor_taints && taint_toleration(pod, node));
}

Verdict keeps(const World& world, const SpreadConstraint& constraint, const Pod& pod,
              const Node& node) {
    const auto domain = find_value(node, constraint.topology_key);
    if (!domain) return "the node has no " + constraint.topology_key;
    const std::map<std::string, int> counts = count_domains(world, constraint, pod);
    int least = 0;
    if (!counts.empty() && static_cast<int>(counts.size()) >= constraint.min_domains.value_or(1)) {
        least = std::min_element(counts.begin(), counts.end(), [](const auto& a, const auto& b) {
                    return a.second < b.second;
                })->second;
    }
    const bool itself = constraint.selector && matches(selector_of(constraint, pod), pod.labels);
    const auto at = counts.find(*domain);
    const int there = at != counts.end() ? at->second : 0;
    const int skew = there + (itself ? 1 : 0) - least;
    if (skew <= constraint.max_skew) return std::nullopt;
    return constraint.topology_key + "=" + *domain + " would have a skew of " +
           std::to_string(skew);
}

}  // namespace

std::map<std::string, int> count_domains(const World& world, const SpreadConstraint& constraint,
                                         const Pod& pod) {
    std::map<std::string, int> out;
    for (const Node& node : world.nodes) {
        if (!is_eligible(node, constraint, pod)) continue;
        out[*find_value(node, constraint.topology_key)] += count(node, constraint, pod);
    }
    return out;
}

Verdict pod_topology_spread(const World& world, const Pod& pod, const Node& node) {
    for (const SpreadConstraint& constraint : pod.spec.spread) {
        if (Verdict no = keeps(world, constraint, pod, node)) return no;
    }
    return std::nullopt;
}

}  // namespace capstan::engine::naive
