/// Decodes API objects other than pods, and files with dumps of clusters.
#pragma once

#include <filesystem>
#include <optional>
#include <string_view>

#include <capstan/result.hpp>

#include "engine/snapshot/objects.hpp"
#include "kubernetes/json_cursor.hpp"
#include "kubernetes/objects/list_decoder.hpp"

namespace capstan::kubernetes::objects {

/// Decodes a whole file, compressed by gzip or not. "-" is standard input. The listener also gets
/// the members with moments (file_mask). Fails only if the file cannot be read or decompressed, or
/// is YAML.
Result<DecodeReport> decode_file(const std::filesystem::path& file,
                                 engine::snapshot::ClusterSink& sink, ObjectListener listener = {});

// The controllers that replace their pods.

/// A ReplicaSet, ReplicationController, StatefulSet or Job, by `kind`. Absent: its name, namespace,
/// uid, labels or number of replicas could not be read. Anything else that is malformed is a
/// problem, and is left out.
std::optional<engine::snapshot::ControllerObject> decode_controller(const JsonCursor& controller,
                                                                    std::string_view kind);

// A DaemonSet of the Kubernetes API.

/// A container's limit counts as its request if the request is missing, also in init containers,
/// because the API server writes that into the pods. Absent: the needs of its pods, or its name,
/// could not be read.
std::optional<engine::snapshot::DaemonSetObject> decode_daemon_set(const JsonCursor& daemon_set);

// A PodDisruptionBudget of the Kubernetes API.

/// Absent: its selector or its name could not be read. A budget without a readable status allows
/// no disruption.
std::optional<engine::snapshot::DisruptionBudgetObject> decode_disruption_budget(
    const JsonCursor& budget);

// A Node of the Kubernetes API.

/// Absent: its name, its labels, its taints or `unschedulable` could not be read, so it is unknown
/// which pods fit.
/// A resource with a malformed amount counts as zero. Without `allocatable` the whole capacity
/// counts as allocatable. A node without any condition counts as ready: in a live cluster the
/// not-ready taint is on each node until its kubelet has reported.
std::optional<engine::snapshot::NodeObject> decode_node(const JsonCursor& node);

// A Service of the Kubernetes API.

/// A Service of any type. Absent: its name or its selector could not be read.
std::optional<engine::snapshot::ServiceObject> decode_service(const JsonCursor& service);

// Storage objects, as far as they decide where pods may run. The result is absent if the object has
// no name, or if a member that the decoder reads is malformed.

std::optional<engine::snapshot::ClaimObject> decode_claim(const JsonCursor& claim);
std::optional<engine::snapshot::VolumeObject> decode_volume(const JsonCursor& volume);
std::optional<engine::snapshot::StorageClassObject> decode_storage_class(
    const JsonCursor& storage_class);
std::optional<engine::snapshot::CsiNodeObject> decode_csi_node(const JsonCursor& csi_node);
std::optional<engine::snapshot::CsiDriverObject> decode_csi_driver(const JsonCursor& driver);
std::optional<engine::snapshot::CsiCapacityObject> decode_csi_capacity(const JsonCursor& capacity);

}  // namespace capstan::kubernetes::objects
