/// Dumps of clusters.
#pragma once

#include <filesystem>
#include <optional>
#include <string_view>

#include <capstan/result.hpp>

#include "engine/snapshot/objects.hpp"
#include "kubernetes/json_cursor.hpp"
#include "kubernetes/list_decoder.hpp"

namespace capstan::kubernetes {

/// A whole file, packed by gzip or not; "-": standard input. Fails only where it cannot be read or
/// unpacked, or is YAML.
Result<DecodeReport> decode_file(const std::filesystem::path& file,
                                 engine::snapshot::ClusterSink& sink, ObjectListener listener = {});

// The controllers that look after pods.

/// A ReplicaSet, ReplicationController, StatefulSet or Job, by `kind`. Nothing when it cannot be
/// told which it is, or how many pods it wants. A selector that cannot be read is complained about,
/// and left out.
std::optional<engine::snapshot::ControllerObject> decode_controller(const JsonCursor& controller,
                                                                    std::string_view kind);

// A DaemonSet of the Kubernetes API.

/// Limits stand in for requests that a container does not make, as the API server will write it
/// into the pods; Kubernetes does so for init containers, too, and so does this. Nothing: what its
/// pods need, or its name, could not be read.
std::optional<engine::snapshot::DaemonSetObject> decode_daemon_set(const JsonCursor& daemon_set);

// A PodDisruptionBudget of the Kubernetes API.

/// Nothing when it cannot be told which pods it is for. A budget that has no status yet, or none
/// that can be read, allows no disruption.
std::optional<engine::snapshot::DisruptionBudgetObject> decode_disruption_budget(
    const JsonCursor& budget);

// A Node of the Kubernetes API.

/// Nothing: its name, its labels or its taints could not be read, so it is unknown which pods it
/// takes. A resource that cannot be read is one the node has none of. A node whose `allocatable` is
/// absent gives all its capacity, and one that says nothing at all of its condition counts as
/// ready: whatever runs in a cluster carries the not-ready taint until its kubelet has spoken.
std::optional<engine::snapshot::NodeObject> decode_node(const JsonCursor& node);

// A Service of the Kubernetes API.

/// Of whatever type. Nothing when it cannot be told which it is, or which pods it selects.
std::optional<engine::snapshot::ServiceObject> decode_service(const JsonCursor& service);

// Storage of the Kubernetes API, as far as it decides where pods may run. Nothing: the object has
// no name, or something that ties it to nodes or other objects could not be read.

std::optional<engine::snapshot::ClaimObject> decode_claim(const JsonCursor& claim);
std::optional<engine::snapshot::VolumeObject> decode_volume(const JsonCursor& volume);
std::optional<engine::snapshot::StorageClassObject> decode_storage_class(
    const JsonCursor& storage_class);
std::optional<engine::snapshot::CsiNodeObject> decode_csi_node(const JsonCursor& csi_node);
std::optional<engine::snapshot::CsiDriverObject> decode_csi_driver(const JsonCursor& driver);
std::optional<engine::snapshot::CsiCapacityObject> decode_csi_capacity(const JsonCursor& capacity);

}  // namespace capstan::kubernetes
