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
             std::vector<NodeShape> the_shapes);
    Compiled(const Compiled&) = delete;
    Compiled& operator=(const Compiled&) = delete;
    ~Compiled() = default;

    Cluster cluster;
    std::vector<ClassId> subjects;
    std::vector<NodeShape> shapes;

    RequestTable requests;
    NodeDemands demands;
    std::vector<DemandId> demand_of;  ///< by subject
    NodeProfiles profiles;
    PodBook pods;
    Tally standing;                        ///< pods that are there; no slots where none matter
    std::vector<std::int64_t> shape_rows;  ///< what a new node has free, a row per shape
    std::vector<ShapeId> alike, kin;       ///< by shape

    std::span<const std::int64_t> shape_row(ShapeId shape) const noexcept {
        const std::size_t columns = requests.columns().size();
        return {&shape_rows[shape * columns], columns};
    }
};

}  // namespace capstan::engine
