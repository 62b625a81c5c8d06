/// A question about the decision of a pass, and its answer.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include <capstan/ids.hpp>
#include <capstan/time.hpp>

#include "autoscaler/pass_cycle.hpp"
#include "engine/snapshot/default_spread.hpp"

namespace capstan::autoscaler::questions {

/// A question about one pod, the pods of one workload, one group or one node; if none of these is
/// set, about all pending pod equivalence groups and all node groups. A name may be shortened to a
/// beginning that only one object's name has.
struct Question {
    std::string pod_ns{}, pod_name{};
    std::string workload_kind{}, workload_name{};  ///< "Deployment" in `pod_ns`, or a pod's owner
    NodeGroupId group{};
    std::string node{};
    /// The moment that is asked about; absent: the end.
    std::optional<Time> at{};
    /// The default spread constraints of a scheduler that has not yet tried all pending pods, as in
    /// a dump. Absent: the scheduler has tried all pending pods.
    std::optional<std::vector<engine::snapshot::DefaultSpread>> untried_default_spread{};
};

struct Explained {
    Time at{};  ///< of the pass that was asked
    PassAnswer answer{};
    /// What the cluster says of the pod, workload or node: "bound to node n3", "removed at 10m40s".
    /// An answer may follow.
    std::string state{};
    std::string remedy{};   ///< for a workload whose pods are not created; empty: none
    std::string subject{};  ///< "shop/web-1", in full; empty: not about a pod or workload
    bool is_workload = false;
    /// of a workload: one pending pod of each pod equivalence group
    std::vector<Explained> pods{};
    /// of a matrix, as its groups: "3 of 10 nodes"
    std::vector<std::string> sizes{};
    /// of a matrix, as its pod groups: "cpu 3, memory 2Gi"
    std::vector<std::string> requests{};
};

}  // namespace capstan::autoscaler::questions
