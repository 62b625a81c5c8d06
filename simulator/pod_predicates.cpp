#include "simulator/pod_predicates.hpp"

#include <algorithm>
#include <cstddef>
#include <string_view>

#include <capstan/labels.hpp>
#include <capstan/taints.hpp>
#include <capstan/well_known.hpp>

#include "engine/each_action.hpp"

namespace capstan::simulator {
namespace {

using engine::PodIndex;
using engine::snapshot::Cluster;
using engine::snapshot::PodGroupRow;

constexpr std::string_view safe_volumes = well_known::safe_to_evict_volumes_annotation;

std::string_view class_annotation(const Cluster& cluster, const PodGroupRow& row,
                                  std::string_view key) {
    const auto value = engine::snapshot::find_label(cluster, row.annotations, key);
    return value ? cluster.text(*value) : std::string_view{};
}

bool is_named(std::string_view list, std::string_view name) {
    while (!list.empty()) {
        const std::size_t comma = std::min(list.find(','), list.size());
        std::string_view one = list.substr(0, comma);
        list.remove_prefix(std::min(comma + 1, list.size()));
        while (!one.empty() && one.front() == ' ') one.remove_prefix(1);
        while (!one.empty() && one.back() == ' ') one.remove_suffix(1);
        if (one == name) return true;
    }
    return false;
}

std::ptrdiff_t count_budgets(const Cluster& cluster, const PodGroupRow& row) {
    const Labels labels = engine::snapshot::to_labels(cluster, row.labels);
    return std::ranges::count_if(cluster.objects().budgets, [&](const auto& entry) {
        const engine::snapshot::DisruptionBudgetObject& budget = entry.second;
        return budget.ns == cluster.text(row.ns) && budget.selector &&
               matches(*budget.selector, labels);
    });
}

Resources daemons_of(const Cluster& cluster) {
    Resources out;
    for (const engine::snapshot::DaemonSetRow& set : cluster.daemon_sets()) {
        out += set.object->spec.requests;
        out += Resources{{"pods", 1}};
    }
    return out;
}

/// Whether the pod has spread constraints, or might get the scheduler's default ones. Whether those
/// apply to this pod is not checked.
bool may_be_spread(const engine::snapshot::PodSpec& spec, const engine::Settings& settings) {
    return !spec.spread.empty() || (!spec.has_soft_spread && !settings.default_spread.empty());
}

bool row_has_other_constraints(const PodGroupRow& row, const engine::Settings& settings) {
    const engine::snapshot::PodSpec& spec = *row.spec;
    return !spec.affinity_required.empty() || !spec.pod_affinity.empty() ||
           !spec.pod_anti_affinity.empty() || may_be_spread(spec, settings) ||
           !spec.ports.empty() || spec.uses_resource_claims || !row.claims.empty() ||
           !spec.in_tree_volumes.empty() || spec.priority.value_or(0) < 0;
}

}  // namespace

std::string name_of_pod(const Cluster& cluster, PodIndex pod) {
    const engine::snapshot::PodRow row = cluster.pod(pod);
    return std::string(cluster.text(cluster.equivalence_group(row.equivalence_group).ns)) + "/" +
           std::string(cluster.text(row.name));
}

std::optional<PodIndex> find_pod(const Cluster& cluster, const engine::Eviction& eviction) {
    const auto node = cluster.find_node(eviction.node);
    if (!node) return std::nullopt;
    const auto pods = cluster.pods_on(*node);
    const auto found = std::ranges::find_if(pods, [&](PodIndex pod) {
        return name_of_pod(cluster, pod) == eviction.ns + "/" + eviction.pod;
    });
    return found == pods.end() ? std::nullopt : std::optional(*found);
}

std::vector<RemovedMachine> find_removed(const engine::Decision& decision,
                                         const engine::Results& results) {
    std::vector<RemovedMachine> out;
    const auto record = [&](const engine::MachineRemoval& removal,
                            const engine::ActionResult& result) {
        for (std::size_t m = 0; result.is_known && m < removal.machines.size(); ++m) {
            if (engine::find_error(result.errors, removal.machines[m]) != nullptr) continue;
            out.push_back({removal.group, removal.machines[m],
                           m < removal.nodes.size() ? removal.nodes[m] : std::string()});
        }
    };
    for_each_action_of<engine::MachineRemoval>(decision, results, record);
    return out;
}

bool removes_working_nodes(const engine::MachineRemoval& removal) {
    return removal.cause != engine::RemovalCause::never_joined &&
           removal.cause != engine::RemovalCause::failed;
}

bool is_cluster_healthy(const Cluster& cluster, const engine::Settings& settings) {
    int unready = 0;
    for (engine::NodeIndex i = 0; i < cluster.node_count(); ++i)
        unready += cluster.node(i).ready ? 0 : 1;
    return unready <= settings.ok_total_unready_count;
}

bool belongs_to_node(const Cluster& cluster, PodIndex pod) {
    const PodGroupRow& row = cluster.equivalence_group(cluster.equivalence_group_of(pod));
    return row.owner->kind == "DaemonSet" ||
           engine::snapshot::find_label(cluster, row.annotations,
                                        well_known::mirror_pod_annotation);
}

bool is_expendable(const Cluster& cluster, PodIndex pod, const engine::Settings& settings) {
    const engine::snapshot::PodSpec& spec =
        *cluster.equivalence_group(cluster.equivalence_group_of(pod)).spec;
    return spec.priority && *spec.priority < settings.expendable_pods_priority_cutoff &&
           !spec.never_preempts;
}

bool counts(const Cluster& cluster, PodIndex pod, const engine::Settings& settings) {
    return !cluster.pod(pod).deleted && !belongs_to_node(cluster, pod) &&
           !is_expendable(cluster, pod, settings);
}

std::string why_unmovable(const Cluster& cluster, PodIndex pod, const engine::Settings& settings,
                          Time wall) {
    if (belongs_to_node(cluster, pod) || is_expendable(cluster, pod, settings)) return {};
    const engine::ScaleDownSettings& down = settings.scale_down;
    const PodGroupRow& row = cluster.equivalence_group(cluster.equivalence_group_of(pod));
    const std::string_view safe =
        class_annotation(cluster, row, well_known::safe_to_evict_annotation);
    if (safe == "false") return "is annotated as not safe to evict";
    if (row.owner->kind == "Job" && down.job_pods_unmovable && !down.safe_to_evict_frees_jobs)
        return "belongs to a Job";
    if (safe == "on-completion") return "is safe to evict only on completion";
    const std::ptrdiff_t budgets = count_budgets(cluster, row);
    if (budgets > 1) return "has more than one PodDisruptionBudget";
    if (safe == "true") return {};
    if (row.owner->kind.empty()) return "has no controller";
    if (down.skip_nodes_with_system_pods && cluster.text(row.ns) == "kube-system" && budgets == 0) {
        const Duration age = wall - cluster.pod(pod).created;
        return age > down.blocking_system_pod_disruption_timeout
                   ? ""
                   : "is a recent kube-system pod without a PodDisruptionBudget";
    }
    if (!down.skip_nodes_with_local_storage) return {};
    const std::string_view volumes = class_annotation(cluster, row, safe_volumes);
    const bool has_local = std::ranges::any_of(
        row.spec->local_volumes, [&](const std::string& v) { return !is_named(volumes, v); });
    return has_local ? "has local storage" : "";
}

bool has_budget(const Cluster& cluster, PodIndex pod) {
    return count_budgets(cluster, cluster.equivalence_group(cluster.equivalence_group_of(pod))) > 0;
}

bool has_other_constraints(const Cluster& cluster, PodIndex pod, const engine::Settings& settings) {
    return row_has_other_constraints(cluster.equivalence_group(cluster.equivalence_group_of(pod)),
                                     settings);
}

Resources room_on_new_node(const Cluster& cluster, const engine::Group& group) {
    return group.described->allocatable - daemons_of(cluster);
}

bool might_fit(const Cluster& cluster, PodIndex pod, const NodeTemplate& node) {
    const engine::snapshot::PodSpec& spec =
        *cluster.equivalence_group(cluster.equivalence_group_of(pod)).spec;
    if (!has_all(node.labels, spec.node_selector)) return false;
    if (find_untolerated(node.taints, spec.tolerations) != nullptr) return false;
    return std::ranges::all_of(spec.requests, [&](const Resources::Entry& e) {
        return e.amount <= node.allocatable.amount(e.resource);
    });
}

NodeTemplate template_from_node(const Cluster& cluster, engine::NodeIndex index) {
    const engine::snapshot::NodeRow& node = cluster.node(index);
    NodeTemplate out{.labels = engine::snapshot::to_labels(cluster, node.labels),
                     .capacity = *node.capacity,
                     .allocatable = *node.allocatable};
    out.labels.erase(std::string(well_known::hostname_label));
    for (const Taint& taint : node.taints) {
        const bool is_passing = taint.key.starts_with(well_known::node_prefix) ||
                                taint.key.ends_with("OfClusterAutoscaler") ||
                                taint.key.ends_with("ByClusterAutoscaler");
        if (!is_passing) out.taints.push_back(taint);
    }
    return out;
}

bool may_preempt(const Cluster& cluster, PodIndex pod, const engine::Settings& settings) {
    if (cluster.equivalence_group(cluster.equivalence_group_of(pod)).spec->never_preempts)
        return false;
    for (engine::NodeIndex i = 0; i < cluster.node_count(); ++i) {
        const engine::snapshot::NodeRow& node = cluster.node(i);
        if (!node.ready || node.unschedulable) continue;
        NodeTemplate node_template = template_from_node(cluster, i);
        bool has_any = false;
        for (const PodIndex other : cluster.pods_on(i)) {
            if (is_expendable(cluster, other, settings)) {
                has_any = true;
            } else {
                node_template.allocatable -=
                    cluster.equivalence_group(cluster.equivalence_group_of(other)).spec->requests;
            }
        }
        if (has_any && might_fit(cluster, pod, node_template)) return true;
    }
    return false;
}

bool surely_fits(const Cluster& cluster, PodIndex pod, const engine::Group& group,
                 const engine::Settings& settings) {
    const PodGroupRow& row = cluster.equivalence_group(cluster.equivalence_group_of(pod));
    if (!group.described || row_has_other_constraints(row, settings)) return false;
    const NodeTemplate& node = *group.described;
    if (!has_all(node.labels, row.spec->node_selector)) return false;
    if (find_untolerated(node.taints, row.spec->tolerations) != nullptr) return false;
    Resources room = room_on_new_node(cluster, group);
    room -= Resources{{"pods", 1}};
    room -= row.spec->requests;
    // A resource that the template does not name counts as zero, so a request for it is negative
    // room.
    return std::ranges::all_of(room, [&](const Resources::Entry& e) {
        return e.amount >= 0 || (e.resource == "pods" && !node.allocatable.find("pods"));
    });
}

}  // namespace capstan::simulator
