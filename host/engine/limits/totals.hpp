/// What is added up over the nodes of a cluster, and what an operator bounds.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include <capstan/resources.hpp>

#include "engine/settings.hpp"
#include "engine/snapshot/cluster.hpp"

namespace capstan::engine::limits {

struct ResourceTotal {
    std::string name;  ///< "cpu", "memory", "nodes", "gpu", or a GPU's resource
    Bound bound{};
    std::function<std::int64_t(const Resources&)> of;  ///< what of it a node takes
    std::int64_t used = 0;

    /// A node comes, or with `times` below zero goes. Stops at the ends of int64, as Resources do.
    void count(const Resources& capacity, std::int64_t times);
    /// As people count: cores, bytes with a suffix, nodes and GPUs one by one.
    std::string shown(std::int64_t amount) const;
};

/// All that can be bounded, none of it used, in the order in which it is told: cpu, memory, nodes,
/// gpu, makes of GPUs by name.
std::vector<ResourceTotal> make_totals(const Settings& settings);

/// Whether a node counts: virtual ones (label type=virtual-kubelet) do not.
bool counts(const snapshot::Cluster& cluster, const snapshot::NodeRow& node);

/// Whether the resource is a GPU of some make: "nvidia.com/gpu", "gpu.intel.com/i915".
bool is_gpu(std::string_view resource) noexcept;

}  // namespace capstan::engine::limits
