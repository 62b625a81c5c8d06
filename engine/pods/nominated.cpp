#include "engine/pods/nominated.hpp"

#include <algorithm>
#include <string_view>
#include <tuple>

namespace capstan::engine::pods {

bool is_expendable(const snapshot::PodSpec& spec, const Settings& settings) noexcept {
    return spec.priority && *spec.priority < settings.expendable_pods_priority_cutoff &&
           !spec.never_preempts;
}

std::optional<NodeIndex> find_nominated_node(const snapshot::Cluster& cluster,
                                             const snapshot::PodRow& pod) noexcept {
    if (pod.nominated_node == snapshot::Symbol::empty) return std::nullopt;
    return cluster.find_node(cluster.text(pod.nominated_node));
}

std::vector<Nomination> find_nominated(const snapshot::Cluster& cluster, const Settings& settings) {
    struct Found {
        NodeIndex node;
        std::string_view ns, name;
        PodGroupId equivalence_group;
    };
    std::vector<Found> found;
    for (const PodIndex p : cluster.unbound()) {
        const snapshot::PodRow pod = cluster.pod(p);
        const snapshot::PodGroupRow& row = cluster.equivalence_group(pod.equivalence_group);
        if (pod.deleted || pod.gated || is_expendable(*row.spec, settings)) continue;
        if (const auto node = find_nominated_node(cluster, pod)) {
            found.push_back(
                {*node, cluster.text(row.ns), cluster.text(pod.name), pod.equivalence_group});
        }
    }
    std::ranges::sort(found, {}, [](const Found& f) { return std::tuple(f.node, f.ns, f.name); });
    std::vector<Nomination> out;
    out.reserve(found.size());
    for (const Found& f : found)
        out.push_back({.equivalence_group = f.equivalence_group, .node = f.node});
    return out;
}

}  // namespace capstan::engine::pods
