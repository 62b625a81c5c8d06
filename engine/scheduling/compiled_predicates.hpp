/// The predicates of kube-scheduler 1.33, compiled for some pod equivalence groups and template
/// nodes.
///
/// Which nodes a pod may go to depends on little of the pod and of the node. So what equal pods and
/// equal nodes have in common is worked out once, and a Placement (placement.hpp) reads the result.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <vector>

#include <capstan/labels.hpp>
#include <capstan/resources.hpp>
#include <capstan/taints.hpp>

#include "engine/scheduling/predicates/refusal.hpp"
#include "engine/snapshot/cluster.hpp"

namespace capstan::engine {

/// A pod equivalence group with pods to be placed: its index in
/// CompiledPredicates::pod_groups(). Comments of this folder call it a pod group.
using PodGroupIndex = std::uint32_t;
/// A template node: its index in CompiledPredicates::template_nodes().
using TemplateNodeId = std::uint32_t;

}  // namespace capstan::engine

namespace capstan::engine::scheduling {

/// What every new node of a node group looks like, called a template node. Each new node has a
/// kubernetes.io/hostname of its own, whatever `labels` says: no two new nodes share a hostname,
/// and no pod names the hostname of a new node.
struct TemplateNode {
    Labels labels{};
    std::vector<Taint> taints{};
    Resources allocatable{};
    /// The pods that run there from the start (of DaemonSets, and static pods), one entry a pod.
    /// `allocatable` still includes their requests.
    std::vector<PodGroupId> daemons{};
    /// Volumes that the node can attach, by CSI driver; absent, or no entry: no limit.
    std::map<std::string, std::optional<int>> csi_limits{};
    std::set<std::string> csi_migrated{};  ///< see snapshot::CsiNodeObject::migrated
    bool operator==(const TemplateNode&) const = default;
};

/// What a node of the cluster will soon have. Predicates count with it already.
struct NodePromise {
    NodeIndex node = 0;
    Labels labels{};                      ///< labels that it lacks
    std::vector<Taint> removed_taints{};  ///< taints that it will lose
    Resources allocatable{};              ///< amounts of which it has less
    bool empty() const noexcept {
        return labels.empty() && removed_taints.empty() && allocatable.empty();
    }
    bool operator==(const NodePromise&) const = default;
};

/// Pods that new nodes of a template turned out not to take, whatever the template promises.
struct RefusedShape {
    PodGroupIndex pod_group = 0;
    TemplateNodeId template_node = 0;
    Refusal refusal{};
};

/// Shares the cluster. Const calls cache verdicts, so they are for one thread, too. [engine thread]
class CompiledPredicates {
public:
    /// `pod_groups` are the pods to be placed. All pods that are bound to a node count: they take
    /// room, affinity and spread look at them, and their anti-affinity keeps pods to be placed
    /// away. `absent` is by PodGroupId, or empty; bound pods of an equivalence group for which it
    /// is true count as if they were not there, because other pods preempt them. Pods that never
    /// preempt find the absent pods' requests taken, but not their host ports, volumes and terms.
    /// `promises` ascend by node. `refused` is about new nodes alone.
    CompiledPredicates(snapshot::Cluster cluster, std::vector<PodGroupId> pod_groups,
                       std::vector<TemplateNode> template_nodes, std::vector<bool> absent = {},
                       std::span<const NodePromise> promises = {},
                       std::span<const RefusedShape> refused = {});
    CompiledPredicates(CompiledPredicates&&) noexcept;
    CompiledPredicates& operator=(CompiledPredicates&&) noexcept;
    ~CompiledPredicates();

    const snapshot::Cluster& cluster() const noexcept;
    std::span<const PodGroupId> pod_groups() const noexcept;
    std::span<const TemplateNode> template_nodes() const noexcept;

    /// The lowest of the template nodes that no pod group can tell from this one, whatever is
    /// placed. Equivalent template nodes share estimates.
    TemplateNodeId equivalent(TemplateNodeId template_node) const noexcept;
    /// The lowest of the template nodes that no pod group can tell from this one except by how much
    /// is free on their nodes.
    TemplateNodeId same_except_capacity(TemplateNodeId template_node) const noexcept;
    /// What is free on a new node of the template, of each resource that some pod group requests,
    /// in the same order for all template nodes.
    std::span<const std::int64_t> free(TemplateNodeId template_node) const noexcept;
    /// Whether other pods, of this pod group or of another, decide where its pods may go: affinity,
    /// spread, host ports, attached and exclusive volumes. All else depends on one node alone.
    bool has_inter_pod_constraints(PodGroupIndex pod_group) const noexcept;
    /// The requests of one pod, ascending by resource, `pods` included.
    std::span<const snapshot::Request> requests(PodGroupIndex pod_group) const noexcept;

    struct PredicateData;  // private to this folder: predicate_data.hpp
    const PredicateData& data() const noexcept { return *data_; }
    PredicateData& data() noexcept { return *data_; }

private:
    std::unique_ptr<PredicateData> data_;
};

}  // namespace capstan::engine::scheduling
