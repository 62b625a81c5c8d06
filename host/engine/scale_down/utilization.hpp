/// How much of a node its pods ask for.
#pragma once

#include <string>
#include <string_view>

#include <capstan/result.hpp>

#include "engine/settings.hpp"
#include "engine/snapshot.hpp"

namespace capstan::engine {

struct Utilization {
    double share = 0;           ///< of the scarcest resource; 1: all that is allocatable
    std::string_view resource;  ///< that one: lives as long as the cluster
    bool is_gpu = false;        ///< the node has GPUs, of which alone it counts
};

/// The error: the node reports nothing allocatable. `group`: whose wishes count; may be NULL.
Result<Utilization> utilization(const Cluster& cluster, NodeIndex node, const Group* group,
                                const ScaleDownSettings& settings, Time now);

}  // namespace capstan::engine
