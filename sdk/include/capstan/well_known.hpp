/// Names of labels, taints, annotations and resources of Kubernetes and its autoscalers.
///
///     node.labels.emplace(well_known::zone_label, zone);
#pragma once

#include <string_view>

#include <capstan/namespace.hpp>

CAPSTAN_NAMESPACE_BEGIN
namespace well_known {

// Labels of nodes and templates.
inline constexpr std::string_view hostname_label = "kubernetes.io/hostname";
inline constexpr std::string_view os_label = "kubernetes.io/os";      ///< "linux", "windows"
inline constexpr std::string_view arch_label = "kubernetes.io/arch";  ///< "amd64", "arm64"
inline constexpr std::string_view instance_type_label = "node.kubernetes.io/instance-type";
inline constexpr std::string_view zone_label = "topology.kubernetes.io/zone";
inline constexpr std::string_view region_label = "topology.kubernetes.io/region";
inline constexpr std::string_view windows_build_label = "node.kubernetes.io/windows-build";

// Older names of some of them, which old manifests still use.
inline constexpr std::string_view beta_os_label = "beta.kubernetes.io/os";
inline constexpr std::string_view beta_arch_label = "beta.kubernetes.io/arch";
inline constexpr std::string_view beta_instance_type_label = "beta.kubernetes.io/instance-type";
inline constexpr std::string_view beta_zone_label = "failure-domain.beta.kubernetes.io/zone";
inline constexpr std::string_view beta_region_label = "failure-domain.beta.kubernetes.io/region";

inline constexpr std::string_view control_plane_label = "node-role.kubernetes.io/control-plane";
inline constexpr std::string_view exclude_from_load_balancers_label =
    "node.kubernetes.io/exclude-from-external-load-balancers";
/// Karpenter's: "spot", "on-demand" or "reserved".
inline constexpr std::string_view capacity_type_label = "karpenter.sh/capacity-type";
/// "spot" on spot machines, if their cloud has no label of its own for that.
inline constexpr std::string_view lifecycle_label = "node.kubernetes.io/lifecycle";
inline constexpr std::string_view kops_instance_group_label = "kops.k8s.io/instancegroup";
inline constexpr std::string_view nvidia_gpu_product_label = "nvidia.com/gpu.product";
/// The name of a namespace, on the namespace itself.
inline constexpr std::string_view namespace_name_label = "kubernetes.io/metadata.name";

// Prefixes of keys.
inline constexpr std::string_view node_prefix = "node.kubernetes.io/";
inline constexpr std::string_view node_cloud_provider_prefix = "node.cloudprovider.kubernetes.io/";
inline constexpr std::string_view node_role_prefix = "node-role.kubernetes.io/";

// Taints that a node has temporarily, or because of its state or role.
inline constexpr std::string_view not_ready_taint = "node.kubernetes.io/not-ready";
inline constexpr std::string_view unreachable_taint = "node.kubernetes.io/unreachable";
inline constexpr std::string_view unschedulable_taint = "node.kubernetes.io/unschedulable";
inline constexpr std::string_view memory_pressure_taint = "node.kubernetes.io/memory-pressure";
inline constexpr std::string_view disk_pressure_taint = "node.kubernetes.io/disk-pressure";
inline constexpr std::string_view pid_pressure_taint = "node.kubernetes.io/pid-pressure";
inline constexpr std::string_view network_unavailable_taint =
    "node.kubernetes.io/network-unavailable";
inline constexpr std::string_view out_of_service_taint = "node.kubernetes.io/out-of-service";
/// Removed by the cloud controller once it has initialized the node.
inline constexpr std::string_view uninitialized_taint =
    "node.cloudprovider.kubernetes.io/uninitialized";
inline constexpr std::string_view shutdown_taint = "node.cloudprovider.kubernetes.io/shutdown";
inline constexpr std::string_view control_plane_taint = "node-role.kubernetes.io/control-plane";
/// Cluster Autoscaler's: a node with such a taint is not ready, and templates do not have it.
inline constexpr std::string_view startup_taint_prefix =
    "startup-taint.cluster-autoscaler.kubernetes.io/";
/// The older name of startup_taint_prefix.
inline constexpr std::string_view ignore_taint_prefix =
    "ignore-taint.cluster-autoscaler.kubernetes.io/";
/// Cluster Autoscaler's: templates do not have it, and a node with such a taint counts as ready.
inline constexpr std::string_view status_taint_prefix =
    "status-taint.cluster-autoscaler.kubernetes.io/";

// Annotations of pods and nodes.
inline constexpr std::string_view safe_to_evict_annotation =
    "cluster-autoscaler.kubernetes.io/safe-to-evict";
inline constexpr std::string_view do_not_disrupt_annotation = "karpenter.sh/do-not-disrupt";
inline constexpr std::string_view safe_to_evict_volumes_annotation =
    "cluster-autoscaler.kubernetes.io/safe-to-evict-local-volumes";
inline constexpr std::string_view scale_down_disabled_annotation =
    "cluster-autoscaler.kubernetes.io/scale-down-disabled";
inline constexpr std::string_view daemon_set_pod_annotation =
    "cluster-autoscaler.kubernetes.io/daemonset-pod";
inline constexpr std::string_view enable_ds_eviction_annotation =
    "cluster-autoscaler.kubernetes.io/enable-ds-eviction";
inline constexpr std::string_view pod_scale_up_delay_annotation =
    "cluster-autoscaler.kubernetes.io/pod-scale-up-delay";
/// The removal of a node with such an annotation waits until it is taken off, up to a time limit.
inline constexpr std::string_view delay_deletion_annotation_prefix =
    "delay-deletion.cluster-autoscaler.kubernetes.io/";
inline constexpr std::string_view mirror_pod_annotation = "kubernetes.io/config.mirror";

// Others.
/// On the status ConfigMap: the time of the last write.
inline constexpr std::string_view last_updated_annotation =
    "cluster-autoscaler.kubernetes.io/last-updated";
/// On the bookmark that ends the initial events of a watch.
inline constexpr std::string_view initial_events_end_annotation = "k8s.io/initial-events-end";
/// The provisioner of storage classes with manually created volumes.
inline constexpr std::string_view no_provisioner = "kubernetes.io/no-provisioner";

// Names of resources, as in class Resources. Those of huge pages, such as "hugepages-2Mi", begin
// with hugepages_prefix.
inline constexpr std::string_view cpu = "cpu";
inline constexpr std::string_view memory = "memory";
inline constexpr std::string_view ephemeral_storage = "ephemeral-storage";
inline constexpr std::string_view pods = "pods";
inline constexpr std::string_view hugepages_prefix = "hugepages-";
inline constexpr std::string_view nvidia_gpu = "nvidia.com/gpu";
inline constexpr std::string_view amd_gpu = "amd.com/gpu";

}  // namespace well_known
CAPSTAN_NAMESPACE_END
