/// The resource limits of the cluster (as upstream's ResourceLimiter): totals over all nodes, their
/// bounds, and what is left of them.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
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

/// The labels by which clouds give the model of a node's GPUs.
std::span<const std::string_view> gpu_labels() noexcept;

/// A node of the cluster or of a template, as far as totals depend on it. Borrows its arguments.
class CountedNode {
public:
    CountedNode(const NodeTemplate& node) noexcept : template_(&node) {}
    CountedNode(const snapshot::Cluster& cluster, const snapshot::NodeRow& row) noexcept
        : cluster_(&cluster), row_(&row) {}

    const Resources& capacity() const noexcept;
    /// Whether one of the GPU labels has this value.
    bool has_gpu_label(std::string_view value) const;

private:
    const NodeTemplate* template_ = nullptr;  // NULL: the other two are set
    const snapshot::Cluster* cluster_ = nullptr;
    const snapshot::NodeRow* row_ = nullptr;
};

/// The total of one resource over all nodes, and its bounds.
struct ResourceTotal {
    /// "cpu", "memory", "nodes", "gpu" (all types), or a key of Settings::gpu_types.
    std::string name;
    Bound bound{};
    std::function<std::int64_t(const CountedNode&)> of;  ///< what a node adds
    std::int64_t used = 0;

    /// Adds `times` nodes; below zero removes them. Saturates at the ends of int64, as Resources
    /// do.
    void count(const CountedNode& node, std::int64_t times);
    /// An amount for people: cores, bytes with a suffix, the number of nodes or GPUs.
    std::string format(std::int64_t amount) const;
};

/// All totals that can have bounds, with nothing used, in the order in which reports name them:
/// cpu, memory, nodes, gpu, types of GPUs by name.
std::vector<ResourceTotal> make_totals(const Settings& settings);

/// Whether a node counts. Virtual nodes (label type=virtual-kubelet) do not.
bool counts(const snapshot::Cluster& cluster, const snapshot::NodeRow& node);

/// Whether the resource is a GPU of some make: "nvidia.com/gpu", "gpu.intel.com/i915".
bool is_gpu(std::string_view resource) noexcept;

/// A sentence for each key of Settings::gpu_types that limits nothing: no node has such GPUs, and
/// no node of `templates`. A template that is unknown (NULL) may have them, so there are no
/// sentences.
std::vector<std::string> describe_unused_limits(const snapshot::Cluster& cluster,
                                                std::span<const NodeTemplate* const> templates,
                                                const Settings& settings);

// The maxima of totals, and what is left of them.

/// How many nodes a Budget allows, and the limit that allows no more.
struct Allowed {
    int nodes = 0;
    /// "max cluster cpu limit reached: 80 of 82 used, a new node needs 4"; empty: all wanted nodes
    /// are allowed.
    std::string because{};
    std::string total{};  ///< name of that limit: "cpu"; empty: all wanted nodes are allowed

    Reason reason() const {
        return {ReasonCode::limit_reached, {SubjectKind::limit, total}, because};
    }
};

/// Nodes that may still join without a further request.
struct UpcomingNodes {
    NodeTemplate node{};
    std::int64_t nodes = 0;
};

/// How much of the cluster's maxima is used. The capacity of all nodes that count (see `counts`)
/// and of all upcoming nodes is used. These limits hold in addition to a group's own bounds: a
/// group grows to its maximum only if they allow it. If the cluster is beyond a limit already, no
/// node that adds to that total is allowed; the limit by itself causes no other action.
///     28 cores used; max 5: no node of 4 cores; max 32: one; max 80: thirteen
class Budget {
public:
    Budget(const Snapshot& snapshot, const std::vector<UpcomingNodes>& upcoming,
           const Settings& settings);

    /// How many of `wanted` nodes like `node` may be added. Allowed::because names the tightest
    /// limit; of several, the first in the order of make_totals.
    Allowed allows(const NodeTemplate& node, int wanted) const;
    /// Counts `nodes` nodes like `node` as used; below zero gives them back.
    void take(const NodeTemplate& node, int nodes);
    /// Whether a node counts towards the total of this name, which has a maximum.
    bool counts_in(const NodeTemplate& node, std::string_view total) const;
    /// What is left of each total that has a maximum, by its name.
    Resources left() const;

private:
    void use(const CountedNode& node, std::int64_t nodes);
    std::vector<ResourceTotal> totals_;  ///< those that have a maximum
};

}  // namespace capstan::engine::limits
