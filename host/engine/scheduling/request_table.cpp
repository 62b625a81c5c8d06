#include "engine/scheduling/request_table.hpp"

#include <algorithm>

namespace capstan::engine::scheduling {

RequestTable::RequestTable(const snapshot::Cluster& cluster,
                           std::span<const snapshot::PodGroupId> pod_groups) {
    std::vector<bool> asked(cluster.resource_count());
    asked[snapshot::pods_index] = true;
    first_.reserve(pod_groups.size() + 1);
    for (const snapshot::PodGroupId pod_group : pod_groups) {
        first_.push_back(static_cast<std::uint32_t>(requests_.size()));
        const auto own = cluster.equivalence_group(pod_group).requests;
        const auto rest =
            std::find_if(own.begin(), own.end(), [](const snapshot::Request& request) {
                return request.resource > snapshot::pods_index;
            });
        requests_.insert(requests_.end(), own.begin(), rest);
        requests_.push_back({snapshot::pods_index, 1});
        requests_.insert(requests_.end(), rest, own.end());
        for (const snapshot::Request& request : own) asked[request.resource] = true;
    }
    first_.push_back(static_cast<std::uint32_t>(requests_.size()));

    column_of_.resize(asked.size());
    for (snapshot::ResourceIndex resource = 0; resource < asked.size(); ++resource) {
        if (!asked[resource]) continue;
        column_of_[resource] = static_cast<std::uint32_t>(columns_.size());
        columns_.push_back(resource);
    }
    needs_.reserve(requests_.size());
    for (const snapshot::Request& request : requests_)
        needs_.push_back({*column_of_[request.resource], request.amount});
}

std::optional<std::uint32_t> RequestTable::find_column(
    snapshot::ResourceIndex resource) const noexcept {
    return resource < column_of_.size() ? column_of_[resource] : std::nullopt;
}

std::int64_t free_on(const snapshot::Cluster& cluster, const TemplateNode& shape,
                     snapshot::ResourceIndex resource) {
    std::int64_t free = shape.allocatable.amount(cluster.resource_name(resource));
    for (const snapshot::PodGroupId daemon : shape.daemons) {
        if (resource == snapshot::pods_index) --free;
        for (const snapshot::Request& request : cluster.equivalence_group(daemon).requests) {
            if (request.resource == resource) free -= request.amount;
        }
    }
    return free;
}

}  // namespace capstan::engine::scheduling
