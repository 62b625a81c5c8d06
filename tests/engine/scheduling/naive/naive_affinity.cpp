// InterPodAffinity: required affinity, and required anti-affinity in both directions.
#include <algorithm>
#include <functional>

#include "naive/naive_predicates.hpp"

namespace capstan::engine::scheduling::naive {
namespace {

bool covers(const NaiveCluster& naive_cluster, const snapshot::PodTerm& term, const Pod& owner,
            const std::string& ns) {
    if (term.namespaces.empty() && !term.namespace_selector) return ns == owner.ns;
    if (std::find(term.namespaces.begin(), term.namespaces.end(), ns) != term.namespaces.end()) {
        return true;
    }
    if (!term.namespace_selector) return false;
    const auto at = naive_cluster.objects.namespaces.find(ns);
    const Labels labels = at != naive_cluster.objects.namespaces.end() ? at->second : Labels{};
    return matches(*term.namespace_selector, labels);
}

/// Match label keys: the other pod has the same value for each key that the owner has.
bool same_labels(const std::vector<std::string>& keys, const Pod& owner, const Pod& pod) {
    return std::all_of(keys.begin(), keys.end(), [&](const std::string& key) {
        const auto has = owner.labels.find(key), other = pod.labels.find(key);
        return has == owner.labels.end() ||
               (other != pod.labels.end() && other->second == has->second);
    });
}

/// Mismatch label keys: the other pod has the same value for none of the keys.
bool no_same_label(const std::vector<std::string>& keys, const Pod& owner, const Pod& pod) {
    return std::none_of(keys.begin(), keys.end(), [&](const std::string& key) {
        const auto has = owner.labels.find(key), other = pod.labels.find(key);
        return has != owner.labels.end() && other != pod.labels.end() &&
               other->second == has->second;
    });
}

/// Whether a term of `owner` matches `pod`.
bool term_matches(const NaiveCluster& naive_cluster, const snapshot::PodTerm& term,
                  const Pod& owner, const Pod& pod) {
    return term.selector && covers(naive_cluster, term, owner, pod.ns) &&
           matches(*term.selector, pod.labels) && same_labels(term.match_label_keys, owner, pod) &&
           no_same_label(term.mismatch_label_keys, owner, pod);
}

bool all_terms_match(const NaiveCluster& naive_cluster, const Pod& owner, const Pod& pod) {
    return std::all_of(
        owner.spec.pod_affinity.begin(), owner.spec.pod_affinity.end(),
        [&](const snapshot::PodTerm& t) { return term_matches(naive_cluster, t, owner, pod); });
}

/// Whether a pod for which `pod_matches` is true is on a node for which `node_matches` is true.
bool exists(const NaiveCluster& naive_cluster, const std::function<bool(const Node&)>& node_matches,
            const std::function<bool(const Pod&)>& pod_matches) {
    return std::any_of(naive_cluster.nodes.begin(), naive_cluster.nodes.end(),
                       [&](const Node& node) {
                           return !node.gone && node_matches(node) &&
                                  std::any_of(node.pods.begin(), node.pods.end(), pod_matches);
                       });
}

bool same_domain(const Node& a, const Node& b, const std::string& key) {
    const auto value = find_value(a, key);
    return value && value == find_value(b, key);
}

/// For a term, a pod counts if it matches all terms and its node has the topology key of the term.
Verdict own_affinity(const NaiveCluster& naive_cluster, const Pod& pod, const Node& node) {
    const std::vector<snapshot::PodTerm>& terms = pod.spec.pod_affinity;
    const auto wanted = [&](const Pod& other) {
        return all_terms_match(naive_cluster, pod, other);
    };
    bool all_found = true;
    for (const snapshot::PodTerm& term : terms) {
        if (!find_value(node, term.topology_key)) return "the node has no " + term.topology_key;
        all_found &= exists(
            naive_cluster,
            [&](const Node& other) { return same_domain(node, other, term.topology_key); }, wanted);
    }
    if (all_found) return std::nullopt;
    const bool counted = exists(
        naive_cluster,
        [&](const Node& other) {
            return std::any_of(terms.begin(), terms.end(), [&](const snapshot::PodTerm& term) {
                return find_value(other, term.topology_key).has_value();
            });
        },
        wanted);
    if (!counted && all_terms_match(naive_cluster, pod, pod))
        return std::nullopt;  // the first of the pods that have affinity to each other
    return "no matching pod in the domain";
}

Verdict own_anti_affinity(const NaiveCluster& naive_cluster, const Pod& pod, const Node& node) {
    for (const snapshot::PodTerm& term : pod.spec.pod_anti_affinity) {
        const bool found = exists(
            naive_cluster,
            [&](const Node& other) { return same_domain(node, other, term.topology_key); },
            [&](const Pod& other) { return term_matches(naive_cluster, term, pod, other); });
        if (found) return "a matching pod in the same " + term.topology_key;
    }
    return std::nullopt;
}

Verdict anti_affinity_of_others(const NaiveCluster& naive_cluster, const Pod& pod,
                                const Node& node) {
    for (const Node& other : naive_cluster.nodes) {
        if (other.gone) continue;
        for (const Pod& existing : other.pods) {
            for (const snapshot::PodTerm& term : existing.spec.pod_anti_affinity) {
                if (same_domain(node, other, term.topology_key) &&
                    term_matches(naive_cluster, term, existing, pod)) {
                    return existing.name + " has anti-affinity by " + term.topology_key;
                }
            }
        }
    }
    return std::nullopt;
}

}  // namespace

Verdict inter_pod_affinity(const NaiveCluster& naive_cluster, const Pod& pod, const Node& node) {
    if (Verdict no = own_affinity(naive_cluster, pod, node)) return no;
    if (Verdict no = own_anti_affinity(naive_cluster, pod, node)) return no;
    return anti_affinity_of_others(naive_cluster, pod, node);
}

}  // namespace capstan::engine::scheduling::naive
