#include "kubernetes/client/watch/mirror_kinds.hpp"

namespace capstan::kubernetes {
namespace {

constexpr std::string_view apps = "apps", batch = "batch", policy = "policy",
                           storage = "storage.k8s.io";
/// Pods that have ended need nothing. One that ends leaves the selection, which a watch tells as
/// its deletion.
constexpr std::string_view live = "status.phase!=Succeeded,status.phase!=Failed";

constexpr MirrorKind kinds[] = {
    {resources::nodes},
    {resources::pods, live},
    {{apps, "v1", "daemonsets", "DaemonSet"}},
    {{policy, "v1", "poddisruptionbudgets", "PodDisruptionBudget"}},
    {{apps, "v1", "replicasets", "ReplicaSet"}},
    {{"", "v1", "replicationcontrollers", "ReplicationController"}},
    {{apps, "v1", "statefulsets", "StatefulSet"}},
    {{batch, "v1", "jobs", "Job"}},
    {{"", "v1", "persistentvolumeclaims", "PersistentVolumeClaim"}},
    {{"", "v1", "persistentvolumes", "PersistentVolume", false}},
    {{storage, "v1", "storageclasses", "StorageClass", false}, {}, true},
    {{storage, "v1", "csinodes", "CSINode", false}, {}, true},
    {{storage, "v1", "csidrivers", "CSIDriver", false}, {}, true},
    {{storage, "v1", "csistoragecapacities", "CSIStorageCapacity"}, {}, true},
    {{"", "v1", "services", "Service"}, {}, true},
    {{"", "v1", "namespaces", "Namespace", false}},
};

}  // namespace

std::span<const MirrorKind> mirror_kinds() noexcept { return kinds; }

}  // namespace capstan::kubernetes
