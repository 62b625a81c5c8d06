#include <algorithm>
#include <array>

#include "engine/drainability/drain_rules/drain_rules.hpp"

namespace capstan::engine::drainability {
namespace {

/// Whether the owner is a controller of Kubernetes itself. Controllers of other API groups are
/// never in the snapshot.
bool is_builtin_controller(const snapshot::PodOwner& owner) {
    constexpr std::array<std::string_view, 4> kinds{"Job", "ReplicaSet", "ReplicationController",
                                                    "StatefulSet"};
    constexpr std::array<std::string_view, 3> groups{"", "apps", "batch"};
    return std::ranges::find(kinds, owner.kind) != kinds.end() &&
           std::ranges::find(groups, owner.api_group) != groups.end();
}

/// "ReplicaSet web/frontend-5d8"
std::string describe_owner(const snapshot::PodOwner& owner, std::string_view ns) {
    return owner.kind + " " + std::string(ns) + "/" + owner.name;
}

DrainVerdict not_found(const snapshot::PodRow& pod, const snapshot::PodGroupRow& row,
                       const DrainContext& context) {
    return block(pod, row, context, "ControllerNotFound",
                 " has lost its controller: " + row.owner->kind + " " +
                     std::string(context.cluster.text(row.ns)) + "/" + row.owner->name +
                     " not found");
}

bool is_missing_daemon_set(const snapshot::Cluster& cluster, const snapshot::PodGroupRow& row) {
    const auto rows = cluster.daemon_sets();
    return !rows.empty() && std::ranges::none_of(rows, [&](const snapshot::DaemonSetRow& daemons) {
        return daemons.object->ns == cluster.text(row.ns) &&
               daemons.object->name == row.owner->name;
    });
}

}  // namespace

// If the snapshot has no controller of a kind at all, the kind was not read, and so the controller
// is not taken to be missing.
Opinion judge_replica_count(const snapshot::PodRow& pod, const snapshot::PodGroupRow& row,
                            const DrainContext& context) {
    const ScaleDownSettings& settings = context.settings.scale_down;
    if (!settings.skip_nodes_with_custom_controller_pods) return std::nullopt;
    const snapshot::PodOwner& owner = *row.owner;
    if (owner.kind == "DaemonSet" && is_missing_daemon_set(context.cluster, row)) {
        return not_found(pod, row, context);
    }
    if (!is_builtin_controller(owner)) return std::nullopt;

    const auto& controllers = context.cluster.objects().controllers;
    const std::string kind = owner.kind + "/";
    const std::string ns(context.cluster.text(row.ns));
    const auto found = controllers.find(kind + ns + "/" + owner.name);
    if (found == controllers.end()) {
        const auto first = controllers.lower_bound(kind);
        const bool has_kind = first != controllers.end() && first->first.starts_with(kind);
        return has_kind ? Opinion(not_found(pod, row, context)) : std::nullopt;
    }
    const std::optional<int> replicas = found->second.replicas;
    const bool counts = owner.kind == "ReplicaSet" || owner.kind == "ReplicationController";
    if (!counts || !replicas || *replicas >= settings.min_replica_count) return std::nullopt;
    return block(pod, row, context, "MinReplicasReached",
                 " is one of " + std::to_string(*replicas) + " of " + describe_owner(owner, ns) +
                     ", fewer than scale_down.min_replica_count (" +
                     std::to_string(settings.min_replica_count) + ")");
}

}  // namespace capstan::engine::drainability
