/// The utilization of a node: the share of its allocatable resources that its pods request.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include <capstan/result.hpp>

#include "engine/settings.hpp"
#include "engine/snapshot.hpp"

namespace capstan::engine::drainability {

struct Utilization {
    double share = 0;             ///< of the most utilized resource; 1: all that is allocatable
    std::string_view resource{};  ///< that resource; lives as long as the cluster
    bool is_gpu = false;          ///< the node has GPUs, so only these count
    /// `share` is used / room: requested by pods, and allocatable. Pods that are left out are taken
    /// off both.
    std::int64_t used = 0, room = 0;
};

/// Computes the utilization of nodes: the higher of the shares of cpu and memory. On a node with
/// GPUs only the GPUs count.
///
/// Expendable pods, and pods that are given up (is_long_terminating), count as not there. DaemonSet
/// pods and mirror pods are left out if the settings say so: their requests are taken off both what
/// is requested and what is allocatable. If nothing is allocatable then, or not yet, as with GPUs
/// whose driver is not up, the share is 0, or 1 if other pods request something.
class UtilizationMeter {
public:
    /// Borrows cluster and settings. `wall`: see PassTime.
    UtilizationMeter(const snapshot::Cluster& cluster, const Settings& settings, Time wall);

    /// Fails if the node has no GPUs and reports no allocatable cpu or no allocatable memory.
    /// `group`: its options override the settings; NULL: the node is in no group.
    Result<Utilization> of(NodeIndex node, const Group* group);

private:
    /// How the pods of an equivalence group count. `nothing`: they are expendable. `daemon` and
    /// `mirror`: the settings decide whether they count.
    enum class Part : std::uint8_t { counts, nothing, daemon, mirror };
    struct Sides {
        std::int64_t used, room;  ///< as in Utilization
    };
    Part part_of(PodGroupId equivalence_group) const;
    bool may_leave_out(NodeIndex node, bool no_daemons, bool no_mirrors) const;
    bool has_gpu(NodeIndex node, ResourceIndex gpu) const;
    void find_sides(NodeIndex node, const Group* group);

    const snapshot::Cluster& cluster_;
    const Settings& settings_;
    Time wall_;
    std::vector<ResourceIndex> gpus_;
    std::vector<Part> parts_;        // by PodGroupId
    bool has_part_[4] = {};          // by Part: whether some equivalence group has it
    std::vector<bool> has_deleted_;  // by node: whether a pod on it is being deleted
    // For the node that is being measured: the resources that count, and in the same order their
    // sides.
    std::vector<ResourceIndex> resources_{};
    std::vector<Sides> sides_{};
};

/// The utilization of one node.
Result<Utilization> utilization(const snapshot::Cluster& cluster, NodeIndex node,
                                const Group* group, const Settings& settings, Time wall);

/// "cpu utilization is 73% (2920m of 4)"
std::string describe(const Utilization& utilization);

/// The threshold for the node; above it the node is not a candidate for scale-down.
double threshold_of(const Utilization& utilization, const Group& group, const Settings& settings);

}  // namespace capstan::engine::drainability
