/// The Kubernetes side of a snapshot: nodes, pods and other objects at one moment. A cluster is
/// immutable, so copies share their data. A what-if is a Placement over a cluster
/// (scheduling/placement.hpp).
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <capstan/pod.hpp>
#include <capstan/time.hpp>

#include "engine/snapshot/objects.hpp"
#include "engine/snapshot/pod_spec.hpp"
#include "engine/snapshot/symbols.hpp"

namespace capstan::engine {

using NodeIndex = std::uint32_t;
using PodIndex = std::uint32_t;
/// A pod equivalence group: pods that no predicate can tell apart. They have equal spec, namespace,
/// labels, kept annotations, owner and claims.
using PodGroupId = std::uint32_t;
/// A kind of resource. The first four are fixed: cpu (thousandths), memory, ephemeral-storage
/// (bytes), pods. The others follow in the order in which the builder met them.
using ResourceIndex = std::uint32_t;

}  // namespace capstan::engine

namespace capstan::engine::snapshot {

inline constexpr ResourceIndex cpu_index = 0, memory_index = 1, storage_index = 2, pods_index = 3;

inline constexpr NodeIndex no_node = ~NodeIndex{0};

struct LabelPair {
    Symbol key{}, value{};
    bool operator==(const LabelPair&) const = default;
};

/// An amount of one resource, more than zero.
struct Request {
    ResourceIndex resource = 0;
    std::int64_t amount = 0;
    bool operator==(const Request&) const = default;
};

/// A pod equivalence group.
struct PodGroupRow {
    const PodSpec* spec = nullptr;      ///< never NULL; lives as long as the cluster
    std::span<const Request> requests;  ///< of one pod, ascending by resource; without `pods`
    Symbol ns{};
    std::span<const LabelPair> labels;       ///< ascending by the text of the key
    std::span<const LabelPair> annotations;  ///< see kept_annotations.hpp; in the same order
    const PodOwner* owner = nullptr;         ///< never NULL
    std::span<const Symbol> claims;          ///< names of claims in the order of the pod
    /// The equivalence group of its pods once their spread over zones has timed out. Without a
    /// spread timeout, this equivalence group itself.
    PodGroupId lapsed = 0;
    /// How long after its creation a pod's spread over zones times out; absent: never.
    std::optional<Duration> spread_timeout{};
};

/// See NodeObject for the meaning of the members.
struct NodeRow {
    Symbol name{}, provider_id{};
    std::span<const LabelPair> labels;  ///< ascending by the text of the key
    std::span<const LabelPair> annotations;
    std::span<const Taint> taints;
    const Resources* capacity = nullptr;     ///< never NULL
    const Resources* allocatable = nullptr;  ///< never NULL
    bool unschedulable = false;
    bool ready = true;
    bool suspended = false;
    Symbol addresses{};  ///< one text for all, see addresses_of; without the node's name
    Time ready_since{}, created{};
};

/// One pod. Pods are stored as columns; a row is made on request.
struct PodRow {
    Symbol name{}, uid{};
    PodGroupId equivalence_group = 0;
    /// The node that the pod is bound to; no_node: it is not bound, or the node does not exist.
    NodeIndex node = no_node;
    Symbol node_name{};  ///< spec.nodeName
    Symbol nominated_node{};
    Symbol unscheduled_reason{};
    PodPhase phase = PodPhase::pending;
    bool gated = false;
    bool deleted = false;
    Time deleted_at{}, created{};
};

/// A DaemonSet, and the equivalence group of the pod that it would create on a new node.
struct DaemonSetRow {
    const DaemonSetObject* object = nullptr;  ///< never NULL
    PodGroupId equivalence_group = 0;
};

/// The objects other than nodes, pods and DaemonSets, by name, or by "namespace/name" if the kind
/// has a namespace.
struct ClusterObjects {
    std::map<std::string, DisruptionBudgetObject, std::less<>> budgets;
    std::map<std::string, ControllerObject, std::less<>> controllers;  ///< "kind/namespace/name"
    std::map<std::string, ClaimObject, std::less<>> claims;
    std::map<std::string, VolumeObject, std::less<>> volumes;
    std::map<std::string, StorageClassObject, std::less<>> storage_classes;
    std::map<std::string, CsiNodeObject, std::less<>> csi_nodes;
    std::map<std::string, CsiDriverObject, std::less<>> csi_drivers;
    std::map<std::string, CsiCapacityObject, std::less<>> csi_capacities;
    std::map<std::string, Labels, std::less<>> namespaces;
    std::map<std::string, ServiceObject, std::less<>> services;
};

struct DefaultSpread;  // default_spread.hpp

/// [any thread]
class Cluster {
public:
    /// Nodes ascend by name. Decisions that depend on the order of nodes depend on this order
    /// alone.
    std::size_t node_count() const noexcept;
    const NodeRow& node(NodeIndex index) const noexcept;
    std::optional<NodeIndex> find_node(std::string_view name) const noexcept;
    /// Amounts by ResourceIndex, resource_count() of them; zero if the node lacks the resource.
    std::span<const std::int64_t> allocatable(NodeIndex index) const noexcept;
    /// What all pods in pods_on() request together, likewise; `pods` is their number.
    std::span<const std::int64_t> requested(NodeIndex index) const noexcept;
    /// The pods bound to the node that have not ended, in no particular order.
    std::span<const PodIndex> pods_on(NodeIndex index) const noexcept;

    std::size_t resource_count() const noexcept;
    std::string_view resource_name(ResourceIndex index) const noexcept;
    std::optional<ResourceIndex> find_resource(std::string_view name) const noexcept;

    /// Every pod that has not ended (succeeded or failed), in no particular order.
    std::size_t pod_count() const noexcept;
    PodRow pod(PodIndex index) const noexcept;
    PodGroupId equivalence_group_of(PodIndex index) const noexcept;
    bool is_deleted(PodIndex index) const noexcept;
    /// Pods that are being deleted, ascending.
    std::vector<PodIndex> deleted_pods() const;
    std::size_t pod_group_count() const noexcept;
    const PodGroupRow& equivalence_group(PodGroupId id) const noexcept;
    /// The topology spread constraints with DoNotSchedule that hold for pods of the equivalence
    /// group: those of its spec, or, without any, those that with_default_spread gave it.
    std::span<const SpreadConstraint> spread(PodGroupId id) const noexcept;
    /// Pods without a spec.nodeName, in no particular order.
    std::span<const PodIndex> unbound() const noexcept;

    /// Ascending by namespace and name.
    std::span<const DaemonSetRow> daemon_sets() const noexcept;

    std::string_view text(Symbol symbol) const noexcept;
    const ClusterObjects& objects() const noexcept;
    /// Memory held, in bytes, shared pools included.
    std::size_t bytes() const noexcept;
    /// Whether this is a copy of `other`: nothing has changed between the two. Clusters that were
    /// built apart differ, even if their objects are equal.
    bool is_same(const Cluster& other) const noexcept { return state_ == other.state_; }

private:
    friend class ClusterBuilder;
    friend Cluster with_default_spread(const Cluster&, std::span<const DefaultSpread>);
    struct State;
    explicit Cluster(std::shared_ptr<const State> state) : state_(std::move(state)) {}
    std::shared_ptr<const State> state_;
};

/// The equivalence group as plugins get it: `count` pods, one of them named `example`.
PodEquivalenceGroup describe(const Cluster& cluster, PodGroupId id, std::string_view example,
                             std::uint32_t count);
/// The value of the label with this key; absent: there is no such label. `labels` are those of a
/// row.
std::optional<Symbol> find_label(const Cluster& cluster, std::span<const LabelPair> labels,
                                 std::string_view key) noexcept;
Labels to_labels(const Cluster& cluster, std::span<const LabelPair> labels);
/// The addresses of a node, ascending, without its name. Borrows from the cluster.
std::vector<std::string_view> addresses_of(const Cluster& cluster, const NodeRow& node);

}  // namespace capstan::engine::snapshot
