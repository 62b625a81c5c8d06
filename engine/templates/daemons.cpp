#include "engine/templates/daemons.hpp"

#include <algorithm>
#include <map>
#include <string_view>
#include <utility>

#include <capstan/well_known.hpp>

namespace capstan::engine::templates {
namespace {

/// A DaemonSet by namespace and name.
using Identity = std::pair<std::string_view, std::string_view>;

Identity identity(const snapshot::DaemonSetRow& row) { return {row.object->ns, row.object->name}; }

/// The DaemonSet that owns the pods; absent: no DaemonSet does.
std::optional<Identity> find_daemon_set(const snapshot::Cluster& cluster, PodGroupId id) {
    const snapshot::PodGroupRow& row = cluster.equivalence_group(id);
    if (row.owner->kind != "DaemonSet") return std::nullopt;
    return Identity{cluster.text(row.ns), row.owner->name};
}

/// The equivalence group of the pod that the DaemonSet would create on a new node. `existing` is
/// the equivalence group of its pod on some node.
PodGroupId pod_group_on_new_node(const snapshot::Cluster& cluster, const Identity& of,
                                 PodGroupId existing) {
    const auto rows = cluster.daemon_sets();
    const auto at = std::ranges::lower_bound(rows, of, {}, identity);
    if (at == rows.end() || identity(*at) != of) return existing;
    // Different requests were set on admission or by a vertical pod autoscaler, and the next pod
    // will have them, too. Other differences only come from the node's name.
    return std::ranges::equal(cluster.equivalence_group(at->equivalence_group).requests,
                              cluster.equivalence_group(existing).requests)
               ? at->equivalence_group
               : existing;
}

bool may_run_on(const snapshot::PodSpec& spec, const NodeTemplate& node) {
    return has_all(node.labels, spec.node_selector) &&
           (spec.affinity_required.empty() ||
            matches_any(spec.affinity_required, node.labels, std::string_view())) &&
           find_untolerated(node.taints, spec.tolerations) == nullptr;
}

/// The DaemonSets in the order in which a scheduler would place their pods.
std::vector<const snapshot::DaemonSetRow*> by_priority(
    std::span<const snapshot::DaemonSetRow> rows) {
    std::vector<const snapshot::DaemonSetRow*> out;
    for (const snapshot::DaemonSetRow& row : rows) out.push_back(&row);
    std::ranges::sort(out, {}, [](const snapshot::DaemonSetRow* row) {
        return std::pair(-std::int64_t{row->object->spec.priority.value_or(0)}, identity(*row));
    });
    return out;
}

bool is_there(const snapshot::Cluster& cluster, const snapshot::DaemonSetRow& row,
              std::span<const PodGroupId> daemons) {
    return std::ranges::any_of(daemons, [&](PodGroupId id) {
        return id == row.equivalence_group || find_daemon_set(cluster, id) == identity(row);
    });
}

}  // namespace

Resources taken_by(const snapshot::Cluster& cluster, PodGroupId equivalence_group) {
    Resources out = cluster.equivalence_group(equivalence_group).spec->requests;
    out.set("pods", 1);
    return out;
}

Resources taken_by(const snapshot::Cluster& cluster, std::span<const PodGroupId> pods) {
    Resources out;
    for (const PodGroupId id : pods) out += taken_by(cluster, id);
    return out;
}

bool is_mirror(const snapshot::Cluster& cluster, const snapshot::PodGroupRow& row) noexcept {
    return row.owner->kind == "Node" ||
           snapshot::find_label(cluster, row.annotations, well_known::mirror_pod_annotation);
}

bool is_of_daemon_set(const snapshot::Cluster& cluster, const snapshot::PodGroupRow& row) noexcept {
    if (row.owner->kind == "DaemonSet") return true;
    const auto written =
        snapshot::find_label(cluster, row.annotations, well_known::daemon_set_pod_annotation);
    return written && cluster.text(*written) == "true";
}

bool is_daemon(const snapshot::Cluster& cluster, PodGroupId equivalence_group) noexcept {
    const snapshot::PodGroupRow& row = cluster.equivalence_group(equivalence_group);
    return row.owner->kind == "DaemonSet" || is_mirror(cluster, row);
}

bool is_kube_proxy(const snapshot::DaemonSetObject& daemon_set) noexcept {
    return daemon_set.ns == "kube-system" &&
           daemon_set.name.find("kube-proxy") != std::string::npos;
}

std::vector<PodGroupId> daemons_on(const snapshot::Cluster& cluster, NodeIndex node) {
    std::vector<PodGroupId> out;
    std::map<Identity, std::pair<std::string_view, PodGroupId>> daemon_sets;
    for (const PodIndex p : cluster.pods_on(node)) {
        const snapshot::PodRow pod = cluster.pod(p);
        if (pod.deleted) continue;
        if (const auto of = find_daemon_set(cluster, pod.equivalence_group)) {
            const std::pair found{cluster.text(pod.name), pod.equivalence_group};
            const auto [at, is_new] = daemon_sets.try_emplace(*of, found);
            // A DaemonSet may have two pods while it replaces one; the first by name stands for
            // both.
            if (!is_new) at->second = std::min(at->second, found);
        } else if (is_mirror(cluster, cluster.equivalence_group(pod.equivalence_group))) {
            out.push_back(pod.equivalence_group);
        }
    }
    for (const auto& [of, pod] : daemon_sets) {
        out.push_back(pod_group_on_new_node(cluster, of, pod.second));
    }
    std::ranges::sort(out);
    return out;
}

std::vector<const snapshot::DaemonSetRow*> add_missing_daemons(const snapshot::Cluster& cluster,
                                                               const NodeTemplate& node,
                                                               Resources room,
                                                               std::vector<PodGroupId>& daemons) {
    room -= taken_by(cluster, daemons);
    std::vector<const snapshot::DaemonSetRow*> added;
    for (const snapshot::DaemonSetRow* row : by_priority(cluster.daemon_sets())) {
        const Resources needed = taken_by(cluster, row->equivalence_group);
        if (is_there(cluster, *row, daemons) || !may_run_on(row->object->spec, node) ||
            !fits_in(needed, room)) {
            continue;
        }
        room -= needed;
        daemons.push_back(row->equivalence_group);
        added.push_back(row);
    }
    std::ranges::sort(daemons);
    return added;
}

}  // namespace capstan::engine::templates
