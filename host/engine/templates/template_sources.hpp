/// The places a template comes from. For templates.cpp.
#pragma once

#include "engine/templates/reserves.hpp"
#include "engine/templates/templates.hpp"

namespace capstan::engine::templates {

/// A node of the group as if it had just joined. What the cloud names beyond what the node reports,
/// as a GPU whose driver is not up yet, is taken from the cloud.
GroupTemplate template_from_node(const snapshot::Cluster& cluster, const Group& group,
                                 snapshot::NodeIndex node, const Settings& settings);

/// What the cloud describes, which it must. `learned`: NULL: nothing is.
GroupTemplate template_from_cloud(const snapshot::Cluster& cluster, const Group& group,
                                  const Reserves* learned, const Settings& settings);

/// A node that was there, with the DaemonSet pods of now. Where it is in the world, and what it did
/// not report, its cloud says, as far as it describes the group.
GroupTemplate template_from_memory(const snapshot::Cluster& cluster, const Group& group,
                                   const ObservedNode& observed, const Reserves* learned,
                                   const Settings& settings);

}  // namespace capstan::engine::templates
