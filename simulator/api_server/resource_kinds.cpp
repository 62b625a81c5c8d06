#include "simulator/api_server/resource_kinds.hpp"

#include <algorithm>
#include <utility>

#include <capstan/ascii.hpp>

#include "io/http_syntax.hpp"

namespace capstan::simulator::api_server {
namespace {

enum Trait : unsigned {
    cluster_wide = 1,
    status = 2,
    first_status = 4,
    generation = 8,
    scale = 16,
    in_all = 32,
};

struct Row {
    std::string_view group, version, plural, kind;
    std::vector<std::string> short_names;
    unsigned traits;
};

constexpr unsigned workload = status | generation | in_all;

const std::vector<Row>& rows() {
    static const std::vector<Row> out = {
        {"", "v1", "nodes", "Node", {"no"}, cluster_wide | status | first_status},
        {"", "v1", "pods", "Pod", {"po"}, status | in_all},
        {"", "v1", "namespaces", "Namespace", {"ns"}, cluster_wide | status},
        {"", "v1", "configmaps", "ConfigMap", {"cm"}, 0},
        {"", "v1", "secrets", "Secret", {}, 0},
        {"", "v1", "services", "Service", {"svc"}, status | in_all},
        {"", "v1", "serviceaccounts", "ServiceAccount", {"sa"}, 0},
        {"", "v1", "events", "Event", {"ev"}, 0},
        {"", "v1", "endpoints", "Endpoints", {"ep"}, 0},
        {"",
         "v1",
         "persistentvolumes",
         "PersistentVolume",
         {"pv"},
         cluster_wide | status | first_status},
        {"",
         "v1",
         "persistentvolumeclaims",
         "PersistentVolumeClaim",
         {"pvc"},
         status | first_status},
        {"", "v1", "replicationcontrollers", "ReplicationController", {"rc"}, workload | scale},
        {"", "v1", "podtemplates", "PodTemplate", {}, generation},
        {"", "v1", "limitranges", "LimitRange", {"limits"}, 0},
        {"", "v1", "resourcequotas", "ResourceQuota", {"quota"}, status},
        {"apps", "v1", "deployments", "Deployment", {"deploy"}, workload | scale},
        {"apps", "v1", "replicasets", "ReplicaSet", {"rs"}, workload | scale},
        {"apps", "v1", "statefulsets", "StatefulSet", {"sts"}, workload | scale},
        {"apps", "v1", "daemonsets", "DaemonSet", {"ds"}, workload},
        {"apps", "v1", "controllerrevisions", "ControllerRevision", {}, 0},
        {"batch", "v1", "jobs", "Job", {}, workload},
        {"batch", "v1", "cronjobs", "CronJob", {"cj"}, workload},
        {"autoscaling",
         "v2",
         "horizontalpodautoscalers",
         "HorizontalPodAutoscaler",
         {"hpa"},
         status | in_all},
        {"autoscaling",
         "v1",
         "horizontalpodautoscalers",
         "HorizontalPodAutoscaler",
         {"hpa"},
         status | in_all},
        {"policy",
         "v1",
         "poddisruptionbudgets",
         "PodDisruptionBudget",
         {"pdb"},
         status | generation},
        {"coordination.k8s.io", "v1", "leases", "Lease", {}, 0},
        {"discovery.k8s.io", "v1", "endpointslices", "EndpointSlice", {}, 0},
        {"networking.k8s.io", "v1", "ingresses", "Ingress", {"ing"}, status | generation},
        {"networking.k8s.io", "v1", "networkpolicies", "NetworkPolicy", {"netpol"}, generation},
        {"rbac.authorization.k8s.io", "v1", "clusterroles", "ClusterRole", {}, cluster_wide},
        {"rbac.authorization.k8s.io",
         "v1",
         "clusterrolebindings",
         "ClusterRoleBinding",
         {},
         cluster_wide},
        {"rbac.authorization.k8s.io", "v1", "roles", "Role", {}, 0},
        {"rbac.authorization.k8s.io", "v1", "rolebindings", "RoleBinding", {}, 0},
        {"scheduling.k8s.io", "v1", "priorityclasses", "PriorityClass", {"pc"}, cluster_wide},
        {"storage.k8s.io", "v1", "storageclasses", "StorageClass", {"sc"}, cluster_wide},
        {"storage.k8s.io", "v1", "csinodes", "CSINode", {}, cluster_wide},
        {"storage.k8s.io", "v1", "csidrivers", "CSIDriver", {}, cluster_wide},
        {"storage.k8s.io", "v1", "csistoragecapacities", "CSIStorageCapacity", {}, 0},
        {"storage.k8s.io",
         "v1",
         "volumeattachments",
         "VolumeAttachment",
         {},
         cluster_wide | status},
        {"apiextensions.k8s.io",
         "v1",
         "customresourcedefinitions",
         "CustomResourceDefinition",
         {"crd", "crds"},
         cluster_wide | status | generation},
    };
    return out;
}

ResourceKind builtin_kind(const Row& row) {
    ResourceKind out{.group = std::string(row.group),
                     .version = std::string(row.version),
                     .plural = std::string(row.plural),
                     .singular = lower_case(row.kind),
                     .kind = std::string(row.kind),
                     .short_names = row.short_names};
    const auto has = [&](Trait trait) { return (row.traits & trait) != 0; };
    out.namespaced = !has(cluster_wide);
    out.has_status = has(status);
    out.keeps_initial_status = has(first_status);
    out.has_generation = has(generation);
    if (has(scale)) out.scale = ScalePaths{};
    if (has(in_all)) out.categories = {"all"};
    return out;
}

}  // namespace

ResourceKinds::ResourceKinds() {
    for (const Row& row : rows())
        kinds_.push_back(std::make_shared<ResourceKind>(builtin_kind(row)));
}

KindPtr ResourceKinds::find(std::string_view group, std::string_view version,
                            std::string_view plural) const {
    const auto found = std::ranges::find_if(kinds_, [&](const KindPtr& kind) {
        return kind->plural == plural && kind->group == group && kind->version == version;
    });
    return found == kinds_.end() ? nullptr : *found;
}

KindPtr ResourceKinds::find(std::string_view resource) const {
    const auto found = std::ranges::find_if(
        kinds_, [&](const KindPtr& kind) { return kind->resource() == resource; });
    return found == kinds_.end() ? nullptr : *found;
}

void ResourceKinds::replace(std::string_view resource, std::vector<ResourceKind> versions) {
    ++changes_;
    std::erase_if(kinds_, [&](const KindPtr& kind) { return kind->resource() == resource; });
    for (ResourceKind& kind : versions) {
        // After the last kind of its group, since discovery expects the kinds of a group together.
        auto behind = std::find_if(kinds_.rbegin(), kinds_.rend(), [&](const KindPtr& other) {
                          return other->group == kind.group;
                      }).base();
        if (behind == kinds_.begin()) behind = kinds_.end();
        kinds_.insert(behind, std::make_shared<ResourceKind>(std::move(kind)));
    }
}

}  // namespace capstan::simulator::api_server
