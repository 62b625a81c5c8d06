/// The Kubernetes side of carrying decisions out, the same for an API server and a simulation.
#pragma once

#include <cstddef>
#include <functional>
#include <vector>

#include <capstan/result.hpp>

#include "engine/actions.hpp"
#include "engine/removal/node_looks.hpp"

namespace capstan::runtime {

/// Calls may be under way at the same time. `done` is called once for each, by the thread that runs
/// the host's loop or inside the call; each call has its deadline.
class ClusterClient {
public:
    using Done = std::function<void(Result<void>)>;

    using LookDone = std::function<void(std::size_t, Result<void>)>;

    virtual ~ClusterClient() = default;
    /// Looks at nodes as they are now, not as they were seen. `done` is called once for each, with
    /// its place in `nodes`. An error: it could not be found out, or, with the provider code
    /// engine::unknown_pods, the node holds pods that the decision did not know.
    virtual void look(const std::vector<engine::removal::NodeLook>& nodes, LookDone done) = 0;
    /// All of the change or nothing. `not_found`: there is no such node.
    virtual void change(const engine::NodeChange& change, Done done) = 0;
    /// `not_found`: there is no such pod any more, or one of another uid. `throttled`: a budget
    /// does not allow it now.
    virtual void evict(const engine::Eviction& eviction, Done done) = 0;
};

}  // namespace capstan::runtime
