/// A node that does not exist yet, as the predicates see it.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include <capstan/labels.hpp>
#include <capstan/resources.hpp>
#include <capstan/taints.hpp>

#include "engine/snapshot/cluster.hpp"

namespace capstan::engine {

/// What every new node of a group looks like. Its kubernetes.io/hostname is its own, whatever the
/// labels say: no two new nodes share it, and no pod asks for it.
struct NodeShape {
    Labels labels{};
    std::vector<Taint> taints{};
    Resources allocatable{};
    /// Pods that run there from the start: DaemonSets, static pods. Their requests are not yet
    /// taken off `allocatable`.
    std::vector<ClassId> daemons{};
    /// Attach limits by CSI driver; nothing: no limit.
    std::map<std::string, std::optional<int>> csi_limits{};
    bool operator==(const NodeShape&) const = default;
};

}  // namespace capstan::engine
