/// The Kubernetes side of carrying decisions out, whoever holds the cluster: an API server, or a
/// simulation.
#pragma once

#include <functional>

#include <capstan/result.hpp>

#include "engine/actions.hpp"

namespace capstan::runtime {

/// Calls may be under way at the same time. `done` is called once for each, by the thread that runs
/// the host's loop or inside the call; each call has its deadline.
class ClusterClient {
public:
    using Done = std::function<void(Result<void>)>;

    virtual ~ClusterClient() = default;
    /// All of the change or nothing. `not_found`: there is no such node.
    virtual void change(const engine::NodeChange& change, Done done) = 0;
    /// `not_found`: there is no such pod any more, or one of another uid. `throttled`: a budget
    /// does not allow it now.
    virtual void evict(const engine::Eviction& eviction, Done done) = 0;
};

}  // namespace capstan::runtime
