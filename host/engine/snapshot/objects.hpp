/// Objects of the Kubernetes API as a decoder or a simulation hands them to the snapshot, one at a
/// time. They are taken apart there and not kept.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include <capstan/labels.hpp>
#include <capstan/resources.hpp>
#include <capstan/taints.hpp>
#include <capstan/time.hpp>

#include "engine/snapshot/pod_spec.hpp"

namespace capstan::engine::snapshot {

/// What a snapshot is made of, one for each kind of the API.
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
    std::string provider_id{};  ///< empty: its cloud has not named it (yet)
    Labels labels{}, annotations{};
    std::vector<Taint> taints{};
    Resources capacity{}, allocatable{};
    bool unschedulable = false;  ///< spec.unschedulable: cordoned
    bool ready = true;           ///< the Ready condition is True
    Time ready_since{};          ///< last transition of that condition
    bool suspended = false;      ///< the Suspended condition is True
    Time created{};
};

/// The controller that owns a pod; nothing of it but its identity.
struct PodOwner {
    std::string kind{};       ///< empty: none
    std::string api_group{};  ///< "apps", "batch"; empty: the core group
    std::string name{};
    std::string uid{};
    /// Some owner, not only the controller, is a Job of group batch.
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
    /// PersistentVolumeClaims by name, generic ephemeral ones under the name they will get.
    std::vector<std::string> claims{};
    std::string node_name{};       ///< empty: not bound
    std::string nominated_node{};  ///< status.nominatedNodeName
    PodPhase phase = PodPhase::pending;
    /// The reason of the condition PodScheduled=False: "Unschedulable", "SchedulingGated"; empty:
    /// no such condition.
    std::string unscheduled_reason{};
    bool gated = false;  ///< has schedulingGates
    std::optional<Time> deleted{};
    Time created{};
};

struct DaemonSetObject {
    std::string ns = "default";
    std::string name{};
    std::string uid{};
    PodSpec spec{};                  ///< of its template; limits are requests where there are none
    Labels labels{}, annotations{};  ///< of its template
    bool operator==(const DaemonSetObject&) const = default;
};

/// A PodDisruptionBudget.
struct DisruptionBudgetObject {
    std::string ns = "default";
    std::string name{};
    /// Nothing: matches no pod. The empty one matches every pod of the namespace.
    std::optional<LabelSelector> selector{};
    int disruptions_allowed = 0;  ///< status.disruptionsAllowed
    /// status.observedGeneration is metadata.generation: the status is about this selector.
    bool is_observed = true;
    bool operator==(const DisruptionBudgetObject&) const = default;
};

/// A controller that pods may have: ReplicaSet, ReplicationController, StatefulSet, Job.
struct ControllerObject {
    std::string kind{};
    std::string ns = "default";
    std::string name{};
    std::string uid{};
    std::optional<int> replicas{};  ///< spec.replicas; nothing: has none, or does not say
    /// Of its pods; nothing: it does not say, or is a Job, whose pods are not found by selector.
    std::optional<LabelSelector> selector{};
    bool operator==(const ControllerObject&) const = default;
};

struct ClaimObject {
    std::string ns = "default";
    std::string name{};
    std::string volume{};         ///< the bound PersistentVolume; empty: unbound
    std::string storage_class{};  ///< empty: none
    std::string selected_node{};  ///< volume.kubernetes.io/selected-node
    std::int64_t requested_bytes = 0;
    std::vector<std::string> access_modes{};
    bool block = false;        ///< volumeMode Block, not Filesystem
    LabelSelector selector{};  ///< of volumes that are free; empty: any
    bool operator==(const ClaimObject&) const = default;
};

struct VolumeObject {
    std::string name{};
    std::vector<NodeSelectorTerm> node_affinity{};  ///< required; empty: any node
    Labels labels{};
    std::string storage_class{};
    std::string driver{}, handle{};  ///< CSI; empty: none
    std::int64_t capacity_bytes = 0;
    std::vector<std::string> access_modes{};
    std::string claim_ns{}, claim_name{};  ///< claimRef; empty: free
    bool block = false;                    ///< volumeMode Block, not Filesystem
    bool operator==(const VolumeObject&) const = default;
};

struct StorageClassObject {
    std::string name{};
    std::string provisioner{};
    bool waits_for_consumer = false;                     ///< volumeBindingMode WaitForFirstConsumer
    std::vector<NodeSelectorTerm> allowed_topologies{};  ///< one must hold; empty: everywhere
    bool operator==(const StorageClassObject&) const = default;
};

/// How many volumes of each driver a node takes.
struct CsiNodeObject {
    std::string name{};                                  ///< the node's
    std::map<std::string, std::optional<int>> limits{};  ///< by driver; nothing: no limit
    bool operator==(const CsiNodeObject&) const = default;
};

struct CsiDriverObject {
    std::string name{};
    bool storage_capacity = false;  ///< its CSIStorageCapacity objects count
    bool operator==(const CsiDriverObject&) const = default;
};

struct CsiCapacityObject {
    std::string ns{}, name{};
    std::string storage_class{};
    std::optional<LabelSelector> topology{};  ///< nodes it is for; nothing: none
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
    Labels selector{};  ///< what its pods have; empty: it selects none
    bool operator==(const ServiceObject&) const = default;
};

}  // namespace capstan::engine::snapshot
