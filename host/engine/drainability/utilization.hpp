/// How much of a node its pods ask for.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include <capstan/result.hpp>

#include "engine/settings.hpp"
#include "engine/snapshot.hpp"

namespace capstan::engine::drainability {

struct Utilization {
    double share = 0;             ///< of the scarcest resource; 1: all that is allocatable
    std::string_view resource{};  ///< that one: lives as long as the cluster
    bool is_gpu = false;          ///< the node has GPUs, of which alone it counts
    /// What the share is of: requested and allocatable, without pods that are left out of both.
    std::int64_t used = 0, room = 0;
};

/// Requests of pods over what is allocatable, of cpu and memory whichever is higher; of a node with
/// GPUs these alone, zero while it reports none. Pods that should have ended long ago and
/// expendable ones ask for nothing. Those of DaemonSets and mirror pods, if settings say so, are
/// taken off both sides; where they leave nothing, the share of nothing is 0 (and 1 if pods that
/// count are there all the same).
class UtilizationMeter {
public:
    /// Borrows cluster and settings.
    /// `wall`: see PassTime.
    UtilizationMeter(const snapshot::Cluster& cluster, const Settings& settings, Time wall);

    /// The error: the node reports no allocatable cpu or memory. `group`: its options count; may be
    /// NULL.
    Result<Utilization> of(snapshot::NodeIndex node, const Group* group);

private:
    /// On what sides of the share the pods of a class count.
    enum class Part : std::uint8_t { counts, nothing, daemon, mirror };
    struct Sides {
        std::int64_t used, room;
    };
    Part part_of(snapshot::PodGroupId equivalence_group) const;
    bool may_leave_out(snapshot::NodeIndex node, bool no_daemons, bool no_mirrors) const;
    bool has_gpu(snapshot::NodeIndex node, snapshot::ResourceIndex gpu) const;
    void find_sides(snapshot::NodeIndex node, const Group* group);

    const snapshot::Cluster& cluster_;
    const Settings& settings_;
    Time wall_;
    std::vector<snapshot::ResourceIndex> gpus_;
    std::vector<Part> parts_;    // by class
    bool has_part_[4] = {};      // by Part: whether any class is of it
    std::vector<bool> ends_on_;  // by node: whether a pod of it is deleted
    // Of the node that is looked at: what counts of it, and its sides in the same order.
    std::vector<snapshot::ResourceIndex> resources_{};
    std::vector<Sides> sides_{};
};

/// Of one node.
Result<Utilization> utilization(const snapshot::Cluster& cluster, snapshot::NodeIndex node,
                                const Group* group, const Settings& settings, Time wall);

/// "cpu is used to 73% (2920m of 4)"
std::string describe(const Utilization& utilization);

/// The share above which the node stays.
double threshold_of(const Utilization& utilization, const Group& group, const Settings& settings);

}  // namespace capstan::engine::drainability
