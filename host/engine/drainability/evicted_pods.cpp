#include "engine/drainability/leaving_pods.hpp"
#include "engine/pods/nominated.hpp"
#include "engine/templates/daemons.hpp"

namespace capstan::engine::drainability {
namespace {

/// Whether a controller makes another pod in its place once it is gone.
bool comes_back(const snapshot::Cluster& cluster, snapshot::PodIndex pod,
                const Settings& settings) {
    const snapshot::PodRow row = cluster.pod(pod);
    const snapshot::PodGroupRow& of_class = cluster.equivalence_group(row.equivalence_group);
    return !row.deleted && !of_class.owner->kind.empty() &&
           !templates::is_daemon(cluster, row.equivalence_group) &&
           !pods::is_expendable(*of_class.spec, settings);
}

/// Whether its eviction is refused for a reason that waiting does not change: it stays where it is.
bool is_barred(const snapshot::Cluster& cluster, snapshot::PodIndex pod,
               const NodeRemoval& removal) {
    const auto at = removal.evictions.find(pod_key(cluster, pod));
    return at != removal.evictions.end() && at->second.barred_since.has_value();
}

/// From the moment it is chosen, so that nothing else is promised the room its pods will need.
bool is_still_to_be_emptied(const NodeRemoval& removal) {
    return !removal.empty && removal.phase <= RemovalPhase::draining;
}

}  // namespace

std::vector<snapshot::PodIndex> evicted_pods(const Snapshot& snapshot, const Memory& memory,
                                             const Settings& settings, Time) {
    const snapshot::Cluster& cluster = snapshot.cluster;
    std::vector<snapshot::PodIndex> out;
    for (const auto& [name, removal] : memory.removals) {
        const auto node = cluster.find_node(name);
        if (!node || !is_still_to_be_emptied(removal)) continue;
        for (const snapshot::PodIndex pod : cluster.pods_on(*node))
            if (comes_back(cluster, pod, settings) && !is_barred(cluster, pod, removal))
                out.push_back(pod);
    }
    sort_by_name(cluster, out);
    return out;
}

}  // namespace capstan::engine::drainability
