/// The predicates of kube-scheduler 1.33, compiled for the pods that are asked about: what equal
/// pods and equal nodes have in common is worked out once.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "engine/scheduling/node_shape.hpp"
#include "engine/scheduling/refusal.hpp"
#include "engine/snapshot/cluster.hpp"

namespace capstan::engine {

/// A class that is asked about, by its place in the list that Rules were made of.
using Subject = std::uint32_t;
/// A shape, likewise.
using ShapeId = std::uint32_t;

/// Holds the cluster. Verdicts are remembered as they are found: one thread. [engine thread]
class Rules {
public:
    /// Every other class of the cluster counts as it stands: it takes room, it is what affinity
    /// and spread look at, and its own anti-affinity keeps subjects away.
    /// `absent` by class, or empty: what is on nodes of such a class counts as if it were not
    /// there.
    Rules(Cluster cluster, std::vector<ClassId> subjects, std::vector<NodeShape> shapes,
          std::vector<bool> absent = {});
    Rules(Rules&&) noexcept;
    Rules& operator=(Rules&&) noexcept;
    ~Rules();

    const Cluster& cluster() const noexcept;
    std::span<const ClassId> subjects() const noexcept;
    std::span<const NodeShape> shapes() const noexcept;

    /// Shapes that no subject can tell apart, whatever is placed: they share estimates. The answer
    /// is the lowest such shape.
    ShapeId alike(ShapeId shape) const noexcept;
    /// Shapes that no subject can tell apart but by how much is free on their nodes. The answer is
    /// the lowest such shape.
    ShapeId kin(ShapeId shape) const noexcept;
    /// On a new node, of each resource that some subject requests; in the same order for all
    /// shapes.
    std::span<const std::int64_t> free(ShapeId shape) const noexcept;
    /// Whether other pods, or pods of its own, decide where it may go: affinity, spread, ports,
    /// shared volumes. The rest is a matter of one node alone.
    bool looks_at_pods(Subject subject) const noexcept;
    /// Of one pod, ascending by resource, `pods` included.
    std::span<const Request> requests(Subject subject) const noexcept;

    struct Compiled;  // for the folder's own use
    const Compiled& compiled() const noexcept { return *compiled_; }
    Compiled& compiled() noexcept { return *compiled_; }

private:
    std::unique_ptr<Compiled> compiled_;
};

}  // namespace capstan::engine
