#include "engine/removal/node_rechecks.hpp"

#include <algorithm>
#include <set>
#include <utility>

#include "engine/drainability/leaving_pods.hpp"
#include "engine/node_marks.hpp"

namespace capstan::engine::removal {
namespace {

/// The priority below which pods are expendable. Absent: drains count expendable pods like others.
std::optional<int> find_cutoff(const Settings& settings) {
    const auto& off = settings.scale_down.drain_rules_off;
    const bool is_off = std::ranges::find(off, "expendable") != off.end();
    return is_off ? std::nullopt : std::optional(settings.expendable_pods_priority_cutoff);
}

}  // namespace

std::vector<NodeRecheck> find_node_rechecks(const Decision& decision,
                                            const snapshot::Cluster& cluster,
                                            const Settings& settings) {
    std::set<std::string> nodes;
    for (const NodeChange& change : decision.node_changes)
        if (std::ranges::find(change.set_taints, to_be_deleted_taint, &Taint::key) !=
            change.set_taints.end())
            nodes.insert(change.node);
    for (const MachineRemoval& removal : decision.removals)
        nodes.insert(removal.nodes.begin(), removal.nodes.end());
    nodes.erase("");  // a machine without a node
    std::vector<NodeRecheck> out;
    for (const std::string& node : nodes) {
        NodeRecheck recheck{.node = node, .expendable_below = find_cutoff(settings)};
        if (const auto index = cluster.find_node(node))
            for (const PodIndex pod : cluster.pods_on(*index))
                recheck.known_pods.push_back(drainability::pod_key(cluster, pod));
        std::ranges::sort(recheck.known_pods);
        out.push_back(std::move(recheck));
    }
    return out;
}

}  // namespace capstan::engine::removal
