/// What one pod of each pod group requests, as amounts by resource and by column of the capacity
/// that is kept: resources that no pod group requests have none.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "engine/scheduling/capacity_tree.hpp"
#include "engine/scheduling/compiled_predicates.hpp"
#include "engine/snapshot/cluster.hpp"

namespace capstan::engine::scheduling {

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

}  // namespace capstan::engine::scheduling
