/// What is added up over the nodes of a cluster, and what an operator bounds.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include <capstan/node_template.hpp>
#include <capstan/resources.hpp>

#include "engine/reason.hpp"
#include "engine/settings.hpp"
#include "engine/snapshot.hpp"
#include "engine/snapshot/cluster.hpp"

namespace capstan::engine::limits {

struct ResourceTotal {
    std::string name;  ///< "cpu", "memory", "nodes", "gpu", or a GPU's resource
    Bound bound{};
    std::function<std::int64_t(const Resources&)> of;  ///< what of it a node takes
    std::int64_t used = 0;

    /// A node comes, or with `times` below zero goes. Stops at the ends of int64, as Resources do.
    void count(const Resources& capacity, std::int64_t times);
    /// As people count: cores, bytes with a suffix, nodes and GPUs one by one.
    std::string shown(std::int64_t amount) const;
};

/// All that can be bounded, none of it used, in the order in which it is told: cpu, memory, nodes,
/// gpu, makes of GPUs by name.
std::vector<ResourceTotal> make_totals(const Settings& settings);

/// Whether a node counts: virtual ones (label type=virtual-kubelet) do not.
bool counts(const snapshot::Cluster& cluster, const snapshot::NodeRow& node);

/// Whether the resource is a GPU of some make: "nvidia.com/gpu", "gpu.intel.com/i915".
bool is_gpu(std::string_view resource) noexcept;

// Totals that the cluster may not exceed, and what is left of them.

/// How many nodes, and the limit that stops there.
struct Allowed {
    int nodes = 0;
    std::string because{};  ///< "cluster limit of cpu: 80 of 82 used, a node takes 4"; empty: all
    std::string total{};    ///< "cpu"; empty: all

    Reason reason() const {
        return {ReasonCode::limit_reached, {SubjectKind::limit, total}, because};
    }
};

/// Nodes that may join without being asked for again.
struct NodesToCome {
    NodeTemplate node{};
    std::int64_t nodes = 0;
};

/// What of the limits is used: by the capacity of all nodes, virtual ones (label
/// type=virtual-kubelet) left out, and of those that clouds were asked for. Limits come before a
/// group's own bounds: a group grows to its maximum only where they allow it. A cluster found
/// outside its limits has nothing started because of them, and nothing that would take it further
/// out.
///     28 cores used; max 5: no node of 4 cores; max 32: one; max 80: thirteen
class Budget {
public:
    Budget(const Snapshot& snapshot, const std::vector<NodesToCome>& to_come,
           const Settings& settings);

    /// How many of `wanted` nodes like `node` may be added. The tightest limit is the one that is
    /// told, of equals the first of cpu, memory, nodes, gpu, makes of GPUs by name.
    Allowed allows(const NodeTemplate& node, int wanted) const;
    /// Below zero: they come no more.
    void take(const NodeTemplate& node, int nodes);
    /// Whether a node counts towards the total of this name, which has a maximum.
    bool counts_in(const NodeTemplate& node, std::string_view total) const;
    /// Of each total that has a maximum, by its name: what is left.
    Resources left() const;

private:
    void use(const Resources& capacity, std::int64_t nodes);
    std::vector<ResourceTotal> totals_;  ///< those that have a maximum
};

}  // namespace capstan::engine::limits
