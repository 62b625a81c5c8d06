/// What CompiledPredicates are made of.
#pragma once

#include <cstdint>
#include <map>
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

/// What one pod of each pod group requests, by resource and by column of the CapacityTree. There
/// are columns only for `pods` and for resources that some pod group requests. [any thread]
class RequestTable {
public:
    RequestTable() = default;
    RequestTable(const snapshot::Cluster& cluster, std::span<const PodGroupId> pod_groups);

    /// The requests of one pod, ascending by resource, `pods` included.
    std::span<const snapshot::Request> requests(std::uint32_t pod_group) const noexcept {
        return {&requests_[first_[pod_group]], first_[pod_group + 1] - first_[pod_group]};
    }
    /// The same by column.
    std::span<const Need> needs(std::uint32_t pod_group) const noexcept {
        return {&needs_[first_[pod_group]], first_[pod_group + 1] - first_[pod_group]};
    }
    /// The resources of the columns, ascending; `pods` is always there.
    std::span<const ResourceIndex> columns() const noexcept { return columns_; }
    std::optional<std::uint32_t> find_column(ResourceIndex resource) const noexcept;

private:
    std::vector<std::uint32_t> first_;  // by pod group, and one more: where its requests start
    std::vector<snapshot::Request> requests_;
    std::vector<Need> needs_;
    std::vector<ResourceIndex> columns_;
    std::vector<std::optional<std::uint32_t>> column_of_;  // by resource
};

/// What is free on a new node of the template: allocatable less what its daemons request.
std::int64_t free_on(const snapshot::Cluster& cluster, const TemplateNode& template_node,
                     ResourceIndex resource);

struct CompiledPredicates::PredicateData {
    PredicateData(snapshot::Cluster the_cluster, std::vector<PodGroupId> the_pod_groups,
                  std::vector<TemplateNode> the_template_nodes, std::vector<bool> the_absent,
                  std::span<const NodePromise> promises, std::span<const RefusedShape> refused);
    PredicateData(const PredicateData&) = delete;
    PredicateData& operator=(const PredicateData&) = delete;
    ~PredicateData() = default;

    snapshot::Cluster cluster;
    std::vector<PodGroupId> pod_groups;
    std::vector<TemplateNode> template_nodes;
    std::vector<bool> absent;  ///< by PodGroupId; empty: no pod is absent
    /// What the absent pods request, a row of all resources for each node; empty: no pod is absent.
    std::vector<std::int64_t> absent_requests;
    /// By pod group: the absent pods' requests take room from its pods, which never preempt.
    std::vector<bool> leaves_absent;

    /// Amounts that nodes will have; empty: none.
    std::map<std::pair<NodeIndex, ResourceIndex>, std::int64_t> promised;

    RequestTable requests;
    NodeDemands demands;
    std::vector<DemandId> demand_of;  ///< by pod group
    NodeProfiles profiles;
    InterPodIndex pods;
    TopologyCounts bound_counts;  ///< of bound pods; without slots if there is no counter
    std::vector<std::int64_t>
        template_node_rows;  ///< what a new node has free, a row per template node
    std::vector<TemplateNodeId> equivalent, same_except_capacity;  ///< by template node

    /// The node's amount of a resource, or what it is promised.
    std::int64_t allocatable(NodeIndex node, ResourceIndex resource) const noexcept {
        if (!promised.empty()) {
            const auto at = promised.find({node, resource});
            if (at != promised.end()) return at->second;
        }
        return cluster.allocatable(node)[resource];
    }
    /// What is free of a resource on a node of the cluster. Requests of absent pods count as free.
    std::int64_t free_on(NodeIndex node, ResourceIndex resource) const noexcept {
        return allocatable(node, resource) - cluster.requested(node)[resource] +
               absent_request(node, resource);
    }
    /// What the absent pods of a node request of a resource.
    std::int64_t absent_request(NodeIndex node, ResourceIndex resource) const noexcept {
        return absent_requests.empty()
                   ? 0
                   : absent_requests[node * cluster.resource_count() + resource];
    }
    std::span<const std::int64_t> template_node_row(TemplateNodeId template_node) const noexcept {
        const std::size_t columns = requests.columns().size();
        return {&template_node_rows[template_node * columns], columns};
    }
};

// Pod groups that are equivalent to each other on any single node.

/// By pod group, the lowest pod group with equal requests and equal verdicts from all predicates of
/// one node alone. Inter-pod constraints may still tell the two apart.
std::vector<PodGroupIndex> find_equivalent(const CompiledPredicates& predicates);
/// As find_equivalent, but a pod group with inter-pod constraints is equivalent to itself alone.
std::vector<PodGroupIndex> find_equivalent_pods(const CompiledPredicates& predicates);

/// Whether the only inter-pod constraint of the pod group is one spread constraint with domains
/// wider than a node. While a quota replaces this constraint (Placement::allow), only the quota and
/// one node alone decide where its pods may go.
bool is_only_spread(const CompiledPredicates& predicates, PodGroupIndex pod_group) noexcept;

/// Whether the pod group passes all predicates of this node alone. Free resources and other pods do
/// not count.
bool passes_node_predicates(const CompiledPredicates& predicates, PodGroupIndex pod_group,
                            NodeIndex node);

}  // namespace capstan::engine::scheduling
