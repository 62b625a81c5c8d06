/// A cluster as lists of plain values, for a file. Values that pods share are stored once. A
/// cluster that is built from the record leads to the same decisions.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include <capstan/result.hpp>

#include "autoscaler/record/described_types.hpp"
#include "engine/snapshot/cluster.hpp"
#include "engine/snapshot/cluster_builder.hpp"

namespace capstan::autoscaler::record {

/// Pods that no predicate can tell apart.
struct PodGroupRecord {
    std::uint32_t spec = 0;  ///< index into ClusterRecord::specs
    std::string ns = "default";
    Labels labels{}, annotations{};
    engine::snapshot::PodOwner owner{};
    std::vector<std::string> claims{};
};
BOOST_DESCRIBE_STRUCT(PodGroupRecord, (), (spec, ns, labels, annotations, owner, claims))

/// One pod. The members are those of PodObject.
struct PodRecord {
    std::string name{}, uid{};
    std::uint32_t pod_group = 0;  ///< index into ClusterRecord::pod_groups
    std::string node{};           ///< bound to
    std::string nominated_node{}, unscheduled_reason{};
    engine::snapshot::PodPhase phase = engine::snapshot::PodPhase::pending;
    bool gated = false;
    std::optional<Time> deleted{};
    Time created{};
};
BOOST_DESCRIBE_STRUCT(PodRecord, (),
                      (name, uid, pod_group, node, nominated_node, unscheduled_reason, phase, gated,
                       deleted, created))

/// Nodes are sorted by name, pods by namespace and name, and other objects likewise. Specs and pod
/// groups are in the order of their first use by the pods.
struct ClusterRecord {
    std::vector<engine::snapshot::NodeObject> nodes{};
    std::vector<engine::snapshot::PodSpec> specs{};
    std::vector<PodGroupRecord> pod_groups{};
    std::vector<PodRecord> pods{};
    std::vector<engine::snapshot::DaemonSetObject> daemon_sets{};
    std::vector<engine::snapshot::DisruptionBudgetObject> disruption_budgets{};
    std::vector<engine::snapshot::ControllerObject> controllers{};
    std::vector<engine::snapshot::ClaimObject> claims{};
    std::vector<engine::snapshot::VolumeObject> volumes{};
    std::vector<engine::snapshot::StorageClassObject> storage_classes{};
    std::vector<engine::snapshot::CsiNodeObject> csi_nodes{};
    std::vector<engine::snapshot::CsiDriverObject> csi_drivers{};
    std::vector<engine::snapshot::CsiCapacityObject> csi_capacities{};
    std::vector<engine::snapshot::NamespaceObject> namespaces{};
    std::vector<engine::snapshot::ServiceObject> services{};
};
BOOST_DESCRIBE_STRUCT(ClusterRecord, (),
                      (nodes, specs, pod_groups, pods, daemon_sets, disruption_budgets, controllers,
                       claims, volumes, storage_classes, csi_nodes, csi_drivers, csi_capacities,
                       namespaces, services))

/// Equal clusters give equal records, independent of the indexes of their pod groups and pods.
ClusterRecord make_cluster_record(const engine::snapshot::Cluster& cluster);

/// `invalid_argument`: the index of a pod's group, or of a group's spec, is out of range; the
/// message says which.
Result<engine::snapshot::Cluster> make_cluster(
    const ClusterRecord& record, engine::snapshot::ClusterBuilderOptions options = {});

}  // namespace capstan::autoscaler::record
