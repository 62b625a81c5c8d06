/// A node that does not exist yet, as the predicates see it.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include <capstan/labels.hpp>
#include <capstan/resources.hpp>
#include <capstan/taints.hpp>

#include "engine/scheduling/predicates/refusal.hpp"
#include "engine/snapshot/cluster.hpp"

namespace capstan::engine::scheduling {

/// What every new node of a group looks like. Its kubernetes.io/hostname is its own, whatever the
/// labels say: no two new nodes share it, and no pod asks for it.
struct TemplateNode {
    Labels labels{};
    std::vector<Taint> taints{};
    Resources allocatable{};
    /// Pods that run there from the start: DaemonSets, static pods. Their requests are not yet
    /// taken off `allocatable`.
    std::vector<snapshot::PodGroupId> daemons{};
    /// Attach limits by CSI driver; nothing: no limit.
    std::map<std::string, std::optional<int>> csi_limits{};
    bool operator==(const TemplateNode&) const = default;
};

// The predicates of kube-scheduler 1.33, compiled for the pods that are asked about: what equal
// pods and equal nodes have in common is worked out once.

/// A class that is asked about, by its place in the list that CompiledPredicates were made of.
using PodGroupIndex = std::uint32_t;
/// A shape, likewise.
using TemplateNodeId = std::uint32_t;

/// Holds the cluster. Verdicts are remembered as they are found: one thread. [engine thread]
class CompiledPredicates {
public:
    /// Every other class of the cluster counts as it stands: it takes room, it is what affinity
    /// and spread look at, and its own anti-affinity keeps pod groups away.
    /// `absent` by class, or empty: what is on nodes of such a class counts as if it were not
    /// there.
    CompiledPredicates(snapshot::Cluster cluster, std::vector<snapshot::PodGroupId> pod_groups,
                       std::vector<TemplateNode> shapes, std::vector<bool> absent = {});
    CompiledPredicates(CompiledPredicates&&) noexcept;
    CompiledPredicates& operator=(CompiledPredicates&&) noexcept;
    ~CompiledPredicates();

    const snapshot::Cluster& cluster() const noexcept;
    std::span<const snapshot::PodGroupId> pod_groups() const noexcept;
    std::span<const TemplateNode> shapes() const noexcept;

    /// Shapes that no pod group can tell apart, whatever is placed: they share estimates. The
    /// answer is the lowest such shape.
    TemplateNodeId equivalent(TemplateNodeId shape) const noexcept;
    /// Shapes that no pod group can tell apart but by how much is free on their nodes. The answer
    /// is the lowest such shape.
    TemplateNodeId same_except_capacity(TemplateNodeId shape) const noexcept;
    /// On a new node, of each resource that some pod group requests; in the same order for all
    /// shapes.
    std::span<const std::int64_t> free(TemplateNodeId shape) const noexcept;
    /// Whether other pods, or pods of its own, decide where it may go: affinity, spread, ports,
    /// shared volumes. The rest is a matter of one node alone.
    bool has_inter_pod_constraints(PodGroupIndex pod_group) const noexcept;
    /// Of one pod, ascending by resource, `pods` included.
    std::span<const snapshot::Request> requests(PodGroupIndex pod_group) const noexcept;

    struct PredicateData;  // for the folder's own use
    const PredicateData& data() const noexcept { return *data_; }
    PredicateData& data() noexcept { return *data_; }

private:
    std::unique_ptr<PredicateData> data_;
};

}  // namespace capstan::engine::scheduling
