/// What Rules are made of.
#pragma once

#include <memory>
#include <vector>

#include "engine/scheduling/node_demands.hpp"
#include "engine/scheduling/node_profiles.hpp"
#include "engine/scheduling/pod_book.hpp"
#include "engine/scheduling/request_table.hpp"
#include "engine/scheduling/rules.hpp"
#include "engine/scheduling/tally.hpp"

namespace capstan::engine {

struct Rules::Compiled {
    Compiled(Cluster the_cluster, std::vector<ClassId> the_subjects,
             std::vector<NodeShape> the_shapes, std::vector<bool> the_absent);
    Compiled(const Compiled&) = delete;
    Compiled& operator=(const Compiled&) = delete;
    ~Compiled() = default;

    Cluster cluster;
    std::vector<ClassId> subjects;
    std::vector<NodeShape> shapes;
    std::vector<bool> absent;           ///< by class; empty: none is
    std::vector<std::int64_t> vacated;  ///< what they hold, a row per node; empty: none is absent

    RequestTable requests;
    NodeDemands demands;
    std::vector<DemandId> demand_of;  ///< by subject
    NodeProfiles profiles;
    PodBook pods;
    Tally standing;                        ///< pods that are there; no slots where none matter
    std::vector<std::int64_t> shape_rows;  ///< what a new node has free, a row per shape
    std::vector<ShapeId> alike, kin;       ///< by shape

    /// Free of a resource on a node of the cluster.
    std::int64_t free_on(NodeIndex node, ResourceIndex resource) const noexcept {
        const std::int64_t held =
            vacated.empty() ? 0 : vacated[node * cluster.resource_count() + resource];
        return cluster.allocatable(node)[resource] - cluster.requested(node)[resource] + held;
    }
    std::span<const std::int64_t> shape_row(ShapeId shape) const noexcept {
        const std::size_t columns = requests.columns().size();
        return {&shape_rows[shape * columns], columns};
    }
};

}  // namespace capstan::engine
