/// By which GPUs upstream's metrics tell scaled nodes apart.
#pragma once

#include <string>
#include <string_view>

#include <prometheus/labels.h>

#include "engine/snapshot.hpp"

namespace capstan::runtime::pass_metrics {

/// The kind of GPU that a node has; both are empty where it has none and no label claims one.
struct Gpu {
    std::string resource{};  ///< "nvidia.com/gpu"
    /// What the cloud's label for it says ("nvidia-tesla-t4"), or upstream's words: "generic" where
    /// no label says anything, "missing-gpu" where the label is there and the GPU is not yet,
    /// "unexpected-label" where the group's machines have none either.
    std::string name{};
    bool operator==(const Gpu&) const = default;
};

/// Of the group's new machines: as its cloud describes them, else as its first node by name is.
Gpu gpu_of_group(const engine::Snapshot& snapshot, const NodeGroupId& group);
/// Of a node; where it is gone, of its group's machines.
Gpu gpu_of_node(const engine::Snapshot& snapshot, std::string_view node, const NodeGroupId& group);

/// gpu_resource_name and gpu_name.
prometheus::Labels labels_of(const Gpu& gpu);
/// The same and dra_drivers, which is empty: upstream has it empty where no node offers devices by
/// Dynamic Resource Allocation, and devices are not looked at here.
prometheus::Labels labels_with_drivers(const Gpu& gpu);

}  // namespace capstan::runtime::pass_metrics
