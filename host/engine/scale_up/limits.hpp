/// Totals that the cluster may not exceed, and what is left of them.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include <capstan/node_template.hpp>

#include "engine/settings.hpp"
#include "engine/snapshot.hpp"

namespace capstan::engine {

/// How many nodes, and the limit that stops there.
struct Allowed {
    int nodes = 0;
    std::string because{};  ///< "cluster limit of cpu: 80 of 82 used, a node takes 4"; empty: all
};

/// What of the limits is used: by the capacity of all nodes and of those on their way. A cluster
/// found outside its limits has nothing started because of them.
class Budget {
public:
    Budget(const Snapshot& snapshot, const std::vector<NodeTemplate>& upcoming,
           const Settings& settings);

    /// How many of `wanted` nodes like `node` may be added.
    Allowed allows(const NodeTemplate& node, int wanted) const;
    void take(const NodeTemplate& node, int nodes);

private:
    struct Total {
        std::string name;  ///< "cpu", "memory", "nodes", or a GPU's resource
        std::int64_t used = 0;
        std::optional<std::int64_t> max;
    };
    std::int64_t needed(const Total& total, const NodeTemplate& node) const;
    std::vector<Total> totals_;
};

}  // namespace capstan::engine
