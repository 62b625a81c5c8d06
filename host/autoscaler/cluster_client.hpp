/// The Kubernetes side of carrying decisions out: one interface for an API server and a simulation.
#pragma once

#include <chrono>
#include <cstddef>
#include <functional>
#include <vector>

#include <capstan/result.hpp>
#include <capstan/time.hpp>

#include "engine/actions.hpp"
#include "engine/removal/node_rechecks.hpp"

namespace capstan::autoscaler {

/// The longest time that what a pass sees of the cluster may be out of date. Then the pass fails.
inline constexpr Duration cluster_age_max = std::chrono::minutes(1);

/// Several calls may be under way at once. `done` is called once for each, by the thread that runs
/// the host's loop or inside the call. Each call has its own deadline.
class ClusterClient {
public:
    using Done = std::function<void(Result<void>)>;

    using RecheckDone = std::function<void(std::size_t, Result<void>)>;

    virtual ~ClusterClient() = default;
    /// Reads the nodes from the cluster as they are now. `done` is called once for each node, with
    /// its index in `nodes`. The error: the node could not be read, or, with the provider code
    /// engine::removal::unknown_pods, it has pods that the decision did not know of.
    virtual void recheck(const std::vector<engine::removal::NodeRecheck>& nodes,
                         RecheckDone done) = 0;
    /// Makes the whole change or none of it. `not_found`: there is no such node.
    virtual void change(const engine::NodeChange& change, Done done) = 0;
    /// `not_found`: there is no such pod any more, or one of another uid. `throttled`: a budget
    /// does not allow it now.
    virtual void evict(const engine::Eviction& eviction, Done done) = 0;
};

}  // namespace capstan::autoscaler
