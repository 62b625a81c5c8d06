/// When a live cluster has come to rest.
#pragma once

#include <cstdint>
#include <map>
#include <string>

#include "simulation/api_server/object_store.hpp"

namespace capstan::simulation::live {

/// Nodes and pods of one moment, as far as the wait for quiescence needs them.
struct ClusterFigures {
    std::int64_t pending = 0;                    ///< pods without a node that are not over
    std::map<std::string, int> nodes{};          ///< by group of the simulated cloud; "": of none
    std::map<std::string, std::string> looks{};  ///< nodes by name: taints, cordoned, ready
    std::int64_t ending = 0;  ///< pods that were told to end, on nodes that are there

    bool operator==(const ClusterFigures&) const = default;
};
ClusterFigures figures_of(const api_server::ObjectStore& store);

/// Looked at again and again. Pods that only wait and nodes that stay as they are count as rest.
class Rest {
public:
    explicit Rest(Duration patience) : patience_(patience) {}
    /// From now on; forgets what was.
    void begin(Duration now) { since_ = now; }
    bool is_at_rest(const api_server::ObjectStore& store, Duration now);

private:
    const Duration patience_;
    Duration since_{0};
    ClusterFigures last_{};
};

}  // namespace capstan::simulation::live
