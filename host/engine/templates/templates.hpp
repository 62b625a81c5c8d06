/// What a new node of each group will offer.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include <capstan/node_template.hpp>

#include "engine/scheduling/node_shape.hpp"
#include "engine/settings.hpp"
#include "engine/snapshot.hpp"

namespace capstan::engine {

struct GroupTemplate {
    /// For plugins: capacity, allocatable, and what DaemonSet and static pods leave free. NULL:
    /// unknown, and the group cannot grow.
    std::shared_ptr<const NodeTemplate> node{};
    NodeShape shape{};      ///< for the predicates; empty where `node` is NULL
    std::string because{};  ///< where it comes from, or why there is none
};

/// One per group of the snapshot, in its order.
std::vector<GroupTemplate> make_templates(const Snapshot& snapshot, const Settings& settings,
                                          Time now);

}  // namespace capstan::engine
