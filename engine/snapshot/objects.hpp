/// Objects of the Kubernetes API as a decoder or a simulation hands them to the snapshot, one at a
/// time. A ClusterBuilder takes nodes and pods apart and does not keep them.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include <capstan/labels.hpp>
#include <capstan/resources.hpp>
#include <capstan/taints.hpp>
#include <capstan/time.hpp>

#include "engine/snapshot/pod_spec.hpp"

namespace capstan::engine::snapshot {

/// The kinds of objects that a snapshot is made of.
enum class ObjectKind : std::uint8_t {
    pod,
    node,
    daemon_set,
    disruption_budget,
    replica_set,
    replication_controller,
    stateful_set,
    job,
    claim,
    volume,
    storage_class,
    csi_node,
    csi_driver,
    csi_capacity,
    ns,
    service,
};

struct NodeObject {
    std::string name{};
    std::string provider_id{};  ///< spec.providerID; empty: not set (yet)
    Labels labels{}, annotations{};
    std::vector<Taint> taints{};
    Resources capacity{}, allocatable{};
    bool unschedulable = false;  ///< spec.unschedulable: cordoned
    bool ready = true;           ///< the Ready condition is True
    Time ready_since{};          ///< last transition of that condition
    bool suspended = false;      ///< the Suspended condition is True
    Time created{};
    std::vector<std::string> addresses{};  ///< status.addresses: IP addresses and DNS names
};

/// The identity of the controller that owns a pod.
struct PodOwner {
    std::string kind{};       ///< empty: none
    std::string api_group{};  ///< "apps", "batch"; empty: the core group
    std::string name{};
    std::string uid{};
    /// An owner, be it the controller or another one, is a Job of API group batch.
    bool job_among_owners = false;
    bool operator==(const PodOwner&) const = default;
};

enum class PodPhase : std::uint8_t { pending, running, succeeded, failed, unknown };

struct PodObject {
    std::string ns = "default";
    std::string name{};
    std::string uid{};
    PodSpec spec{};
    Labels labels{}, annotations{};
    PodOwner owner{};
    /// Names of PersistentVolumeClaims. A generic ephemeral volume has the name that its claim will
    /// get.
    std::vector<std::string> claims{};
    std::string node_name{};       ///< empty: not bound
    std::string nominated_node{};  ///< status.nominatedNodeName
    PodPhase phase = PodPhase::pending;
    /// The reason of the condition PodScheduled=False: "Unschedulable", "SchedulingGated". Empty:
    /// there is no such condition.
    std::string unscheduled_reason{};
    bool gated = false;  ///< has schedulingGates
    std::optional<Time> deleted{};
    Time created{};
};

struct DaemonSetObject {
    std::string ns = "default";
    std::string name{};
    std::string uid{};
    PodSpec spec{};                  ///< of its template; where requests are missing, limits count
    Labels labels{}, annotations{};  ///< of its template
    bool operator==(const DaemonSetObject&) const = default;
};

/// A PodDisruptionBudget.
struct DisruptionBudgetObject {
    std::string ns = "default";
    std::string name{};
    /// Absent: it matches no pod. The empty selector matches every pod of the namespace.
    std::optional<LabelSelector> selector{};
    int disruptions_allowed = 0;  ///< status.disruptionsAllowed
    /// status.observedGeneration equals metadata.generation, so the status is about this selector.
    bool is_observed = true;
    /// "maxUnavailable 0", or "minAvailable 100%": why it never allows a disruption. Empty: it may.
    std::string never_allows{};
    bool operator==(const DisruptionBudgetObject&) const = default;
};

/// A controller of pods: ReplicaSet, ReplicationController, StatefulSet or Job.
struct ControllerObject {
    std::string kind{};
    std::string ns = "default";
    std::string name{};
    std::string uid{};
    std::optional<int> replicas{};  ///< spec.replicas; absent: not set, or the kind has none
    /// The selector of its pods; absent: not set, or a Job (its pods are not found by a
    /// selector).
    std::optional<LabelSelector> selector{};
    /// Pods that a Job runs at once: its parallelism, or the completions that are missing if these
    /// are fewer; 0 once it has ended or is suspended. Absent: not a Job, or not known.
    std::optional<int> parallelism{};
    /// Why its controller does not create its pods: the message of its condition ReplicaFailure, or
    /// of a Job's Failed or Suspended. Empty: it has no such condition.
    std::string failure{};
    bool operator==(const ControllerObject&) const = default;
};

/// A PersistentVolumeClaim.
struct ClaimObject {
    std::string ns = "default";
    std::string name{};
    std::string volume{};         ///< the bound PersistentVolume; empty: unbound
    std::string storage_class{};  ///< empty: none
    std::string selected_node{};  ///< volume.kubernetes.io/selected-node
    std::int64_t requested_bytes = 0;
    std::vector<std::string> access_modes{};
    bool block = false;        ///< volumeMode Block, not Filesystem
    LabelSelector selector{};  ///< spec.selector of volumes; empty: any volume
    bool operator==(const ClaimObject&) const = default;
};

/// A PersistentVolume.
struct VolumeObject {
    std::string name{};
    std::vector<NodeSelectorTerm> node_affinity{};  ///< required; empty: any node
    Labels labels{};
    std::string storage_class{};
    std::string driver{}, handle{};  ///< CSI; empty: none
    /// Driver and handle are those that replace an in-tree volume.
    bool in_tree = false;
    std::int64_t capacity_bytes = 0;
    std::vector<std::string> access_modes{};
    std::string claim_ns{}, claim_name{};  ///< claimRef; empty: free
    bool block = false;                    ///< volumeMode Block, not Filesystem
    bool operator==(const VolumeObject&) const = default;
};

struct StorageClassObject {
    std::string name{};
    std::string provisioner{};
    std::string
        migrated_to{};  ///< the CSI driver that replaces an in-tree provisioner; empty: none
    bool waits_for_consumer = false;                     ///< volumeBindingMode WaitForFirstConsumer
    std::vector<NodeSelectorTerm> allowed_topologies{};  ///< one must hold; empty: everywhere
    bool operator==(const StorageClassObject&) const = default;
};

/// A CSINode: how many volumes of each driver can be attached to a node.
struct CsiNodeObject {
    std::string name{};                                  ///< that of the node
    std::map<std::string, std::optional<int>> limits{};  ///< by driver; absent: no limit
    /// Drivers that replace an in-tree plugin on the node. Volumes of the plugin count, too.
    std::set<std::string> migrated{};
    bool operator==(const CsiNodeObject&) const = default;
};

struct CsiDriverObject {
    std::string name{};
    bool storage_capacity = false;  ///< spec.storageCapacity: its CSIStorageCapacity objects count
    bool operator==(const CsiDriverObject&) const = default;
};

/// A CSIStorageCapacity.
struct CsiCapacityObject {
    std::string ns{}, name{};
    std::string storage_class{};
    std::optional<LabelSelector> topology{};  ///< nodeTopology; absent: no node
    std::int64_t capacity_bytes = 0;
    bool operator==(const CsiCapacityObject&) const = default;
};

struct NamespaceObject {
    std::string name{};
    Labels labels{};
};

struct ServiceObject {
    std::string ns = "default";
    std::string name{};
    Labels selector{};  ///< labels of its pods; empty: it selects no pod
    bool operator==(const ServiceObject&) const = default;
};

}  // namespace capstan::engine::snapshot
