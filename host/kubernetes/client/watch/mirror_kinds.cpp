#include "kubernetes/client/watch/mirror_kinds.hpp"

namespace capstan::kubernetes {
namespace {

constexpr std::string_view apps = "apps", batch = "batch", policy = "policy",
                           storage = "storage.k8s.io";
/// Pods that have ended need nothing. One that ends leaves the selection, which a watch tells as
/// its deletion.
constexpr std::string_view live = "status.phase!=Succeeded,status.phase!=Failed";

constexpr std::string_view of_daemons = "know which daemon pods a new node would run",
                           of_owners = "tell pods that are made again from those that are lost",
                           of_volumes = "know which nodes the volumes of a pod are within reach of";

constexpr MirrorKind kinds[] = {
    {resources::nodes, "see which machines have joined and what room they have"},
    {resources::pods, "see which pods wait for room and what runs on each node", live},
    {{apps, "v1", "daemonsets", "DaemonSet"}, of_daemons},
    {{policy, "v1", "poddisruptionbudgets", "PodDisruptionBudget"},
     "drain no more pods at a time than their budgets allow"},
    {{apps, "v1", "replicasets", "ReplicaSet"}, of_owners},
    {{"", "v1", "replicationcontrollers", "ReplicationController"}, of_owners},
    {{apps, "v1", "statefulsets", "StatefulSet"}, of_owners},
    {{batch, "v1", "jobs", "Job"}, of_owners},
    {{"", "v1", "persistentvolumeclaims", "PersistentVolumeClaim"}, of_volumes},
    {{"", "v1", "persistentvolumes", "PersistentVolume", false}, of_volumes},
    {{storage, "v1", "storageclasses", "StorageClass", false}, of_volumes, {}, true},
    {{storage, "v1", "csinodes", "CSINode", false}, of_volumes, {}, true},
    {{storage, "v1", "csidrivers", "CSIDriver", false}, of_volumes, {}, true},
    {{storage, "v1", "csistoragecapacities", "CSIStorageCapacity"}, of_volumes, {}, true},
    {{"", "v1", "services", "Service"},
     "know over which pods the scheduler spreads by itself",
     {},
     true},
    {{"", "v1", "namespaces", "Namespace", false},
     "match namespaces that affinity between pods selects by label"},
};

}  // namespace

std::span<const MirrorKind> mirror_kinds() noexcept { return kinds; }

}  // namespace capstan::kubernetes
