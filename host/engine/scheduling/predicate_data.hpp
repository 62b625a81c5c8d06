/// What CompiledPredicates are made of.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "engine/scheduling/capacity_tree.hpp"
#include "engine/scheduling/compiled_predicates.hpp"
#include "engine/scheduling/inter_pod_index.hpp"
#include "engine/scheduling/node_demands.hpp"
#include "engine/scheduling/topology_counts.hpp"
#include "engine/snapshot/cluster.hpp"

namespace capstan::engine::scheduling {

// What one pod of each pod group requests, as amounts by resource and by column of the capacity
// that is kept: resources that no pod group requests have none.

/// [any thread]
class RequestTable {
public:
    RequestTable() = default;
    RequestTable(const snapshot::Cluster& cluster,
                 std::span<const snapshot::PodGroupId> pod_groups);

    /// Of one pod, ascending by resource, `pods` included.
    std::span<const snapshot::Request> requests(std::uint32_t pod_group) const noexcept {
        return {&requests_[first_[pod_group]], first_[pod_group + 1] - first_[pod_group]};
    }
    std::span<const Need> needs(std::uint32_t pod_group) const noexcept {
        return {&needs_[first_[pod_group]], first_[pod_group + 1] - first_[pod_group]};
    }
    /// The resources of the columns, ascending; `pods` is always there.
    std::span<const snapshot::ResourceIndex> columns() const noexcept { return columns_; }
    std::optional<std::uint32_t> find_column(snapshot::ResourceIndex resource) const noexcept;

private:
    std::vector<std::uint32_t> first_;  // by pod group, and one more: where its requests start
    std::vector<snapshot::Request> requests_;
    std::vector<Need> needs_;
    std::vector<snapshot::ResourceIndex> columns_;
    std::vector<std::optional<std::uint32_t>> column_of_;  // by resource
};

/// Of a shape, less what its daemons request: what a new node has free.
std::int64_t free_on(const snapshot::Cluster& cluster, const TemplateNode& shape,
                     snapshot::ResourceIndex resource);

struct CompiledPredicates::PredicateData {
    PredicateData(snapshot::Cluster the_cluster, std::vector<snapshot::PodGroupId> the_pod_groups,
                  std::vector<TemplateNode> the_shapes, std::vector<bool> the_absent);
    PredicateData(const PredicateData&) = delete;
    PredicateData& operator=(const PredicateData&) = delete;
    ~PredicateData() = default;

    snapshot::Cluster cluster;
    std::vector<snapshot::PodGroupId> pod_groups;
    std::vector<TemplateNode> shapes;
    std::vector<bool> absent;           ///< by class; empty: none is
    std::vector<std::int64_t> vacated;  ///< what they hold, a row per node; empty: none is absent

    RequestTable requests;
    NodeDemands demands;
    std::vector<DemandId> demand_of;  ///< by pod group
    NodeProfiles profiles;
    InterPodIndex pods;
    TopologyCounts standing;               ///< pods that are there; no slots where none matter
    std::vector<std::int64_t> shape_rows;  ///< what a new node has free, a row per shape
    std::vector<TemplateNodeId> equivalent, same_except_capacity;  ///< by shape

    /// Free of a resource on a node of the cluster.
    std::int64_t free_on(snapshot::NodeIndex node,
                         snapshot::ResourceIndex resource) const noexcept {
        const std::int64_t held =
            vacated.empty() ? 0 : vacated[node * cluster.resource_count() + resource];
        return cluster.allocatable(node)[resource] - cluster.requested(node)[resource] + held;
    }
    std::span<const std::int64_t> shape_row(TemplateNodeId shape) const noexcept {
        const std::size_t columns = requests.columns().size();
        return {&shape_rows[shape * columns], columns};
    }
};

// PodGroups that no single node can tell apart.

/// By pod group: the lowest that asks the same of a node by itself, by its requests and by every
/// predicate of one node alone. Other pods may still tell the two apart.
std::vector<PodGroupIndex> find_equivalent(const CompiledPredicates& rules);
/// The same where they may not: a pod group with inter-pod constraints is equivalent to itself
/// alone.
std::vector<PodGroupIndex> find_equivalent_pods(const CompiledPredicates& rules);

/// Whether all that other pods decide about the pod group is its one wide constraint of spread:
/// while something is allowed in its place (Placement::allow), it is a matter of one node alone.
bool is_only_spread(const CompiledPredicates& rules, PodGroupIndex pod_group) noexcept;

/// Whether the node by itself would have the pod group, were there room and no other pod.
bool is_welcome(const CompiledPredicates& rules, PodGroupIndex pod_group, snapshot::NodeIndex node);

}  // namespace capstan::engine::scheduling
