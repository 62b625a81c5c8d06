/// GPUs of nodes, as labels of metrics, with upstream's values.
#pragma once

#include <string>
#include <string_view>

#include <prometheus/labels.h>

#include "engine/snapshot.hpp"

namespace capstan::autoscaler::pass_metrics {

/// The GPU of a node. Both members are empty if the node has neither a GPU nor a label of one.
struct Gpu {
    std::string resource{};  ///< "nvidia.com/gpu"
    /// The value of the cloud's GPU label ("nvidia-tesla-t4"), or one of upstream's values:
    /// "generic" for a GPU without a label, "missing-gpu" for a label on a node whose GPU is not
    /// there yet, "unexpected-label" for a label in a group whose machines have no GPU.
    std::string name{};
    bool operator==(const Gpu&) const = default;
};

/// The GPU of the group's new machines, from the cloud's description of the group, or else from the
/// group's first node by name.
Gpu gpu_of_group(const engine::Snapshot& snapshot, const NodeGroupId& group);
/// The GPU of a node; if the node no longer exists, that of its group.
Gpu gpu_of_node(const engine::Snapshot& snapshot, std::string_view node, const NodeGroupId& group);

/// The labels gpu_resource_name and gpu_name.
prometheus::Labels labels_of(const Gpu& gpu);
/// The labels gpu_resource_name, gpu_name and dra_drivers. The last one is always empty, because
/// this host does not support Dynamic Resource Allocation; upstream leaves it empty if no node has
/// such devices.
prometheus::Labels labels_with_drivers(const Gpu& gpu);

}  // namespace capstan::autoscaler::pass_metrics
