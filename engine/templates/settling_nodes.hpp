/// Nodes that are ready before they have all that their group's template promises.
///
/// A kubelet reports ready before its device plugin has registered, before a controller has set its
/// labels, and before an agent has removed its taint:
///
///     12:00  node gpu-1 was ordered for a pod that needs a GPU
///     12:03  it is ready and has no nvidia.com/gpu; the pod stays pending
///     12:05  it has one GPU
///
/// Until a settling time is over, pods count with what the template promises, so that no second
/// node is ordered. Pods that do not need it use the node at once.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "engine/next_change.hpp"
#include "engine/scheduling/compiled_predicates.hpp"
#include "engine/settings.hpp"
#include "engine/snapshot.hpp"
#include "engine/templates/membership.hpp"
#include "engine/templates/templates.hpp"

namespace capstan::engine::templates {

/// Whether a device plugin reports the resource, and not the kubelet itself.
bool is_extended(std::string_view resource) noexcept;

/// What the settling nodes will have, ascending by node. A node is settling for less than
/// device_settling_time after it became ready if it lacks an extended resource, and for less than
/// settling_time if it lacks a label or has a taint that the template has not. Both are Settings
/// that a group's options may override. Labels that every node is assumed to have count only if the
/// cloud describes them. A node that was created more than Settings::max_node_startup_time before
/// it became ready is not settling: it was ready before. `usable`: by node.
std::vector<scheduling::NodePromise> find_promises(const Snapshot& snapshot,
                                                   const Membership& membership,
                                                   const std::vector<GroupTemplate>& templates,
                                                   const std::vector<bool>& usable,
                                                   const Settings& settings,
                                                   NextChange& next_change);

/// "nvidia.com/gpu, label pool, removal of taint agent/starting:NoSchedule"
std::string describe_promise(const scheduling::NodePromise& promise);

/// Whether the node is settling by what its group's cloud describes or, without that, by the last
/// observed node (NULL: none). Such a node tells nothing about the next.
bool awaits_promise(const snapshot::Cluster& cluster, NodeIndex node, const Group& group,
                    const ObservedNode* observed, const Settings& settings, Time wall);

}  // namespace capstan::engine::templates
