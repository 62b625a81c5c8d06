// Predicates about a node and the pods on it.
#include <algorithm>

#include "naive/naive_predicates.hpp"

namespace capstan::engine::scheduling::naive {
namespace {

bool tolerated(const Pod& pod, const Taint& taint) {
    return std::any_of(pod.spec.tolerations.begin(), pod.spec.tolerations.end(),
                       [&](const Toleration& t) { return tolerates(t, taint); });
}

bool any_address(const snapshot::HostPort& port) { return port.ip.empty() || port.ip == "0.0.0.0"; }

bool same_port(const snapshot::HostPort& a, const snapshot::HostPort& b) {
    return a.port == b.port && a.protocol == b.protocol &&
           (any_address(a) || any_address(b) || a.ip == b.ip);
}

}  // namespace

std::optional<std::string> find_value(const Node& node, const std::string& key) {
    const auto at = node.labels.find(key);
    return at != node.labels.end() ? std::optional(at->second) : std::nullopt;
}

Verdict node_unschedulable(const Pod& pod, const Node& node) {
    const Taint cordon{"node.kubernetes.io/unschedulable", "", Effect::no_schedule};
    if (!node.unschedulable || tolerated(pod, cordon)) return std::nullopt;
    return "cordoned";
}

Verdict taint_toleration(const Pod& pod, const Node& node) {
    for (const Taint& taint : node.taints) {
        if (taint.effect != Effect::prefer_no_schedule && !tolerated(pod, taint)) {
            return "does not tolerate " + to_string(taint);
        }
    }
    return std::nullopt;
}

Verdict node_affinity(const Pod& pod, const Node& node) {
    if (!has_all(node.labels, pod.spec.node_selector)) return "the selector does not match";
    const std::vector<NodeSelectorTerm>& terms = pod.spec.affinity_required;
    if (!terms.empty() && !matches_any(terms, node.labels, node.name)) return "no term matches";
    return std::nullopt;
}

Verdict node_ports(const Pod& pod, const Node& node) {
    for (const snapshot::HostPort& want : pod.spec.ports) {
        for (const Pod& existing : node.pods) {
            for (const snapshot::HostPort& taken : existing.spec.ports) {
                if (same_port(want, taken)) return "port " + std::to_string(want.port);
            }
        }
    }
    return std::nullopt;
}

Verdict node_resources_fit(const Pod& pod, const Node& node) {
    const auto existing = static_cast<std::int64_t>(node.pods.size());
    if (existing + 1 > node.allocatable.amount("pods")) return "too many pods";
    for (const auto& [resource, wanted] : pod.spec.requests) {
        std::int64_t requested = 0;
        for (const Pod& other : node.pods) requested += other.spec.requests.amount(resource);
        if (wanted > 0 && wanted > node.allocatable.amount(resource) - requested) return resource;
    }
    return std::nullopt;
}

}  // namespace capstan::engine::scheduling::naive
