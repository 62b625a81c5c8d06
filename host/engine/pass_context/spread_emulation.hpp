/// A stand-in for the commonest spread over zones: each pod gets the zone that holds the fewest of
/// its kind, for good. No zone then waits for another, and a pod that could run in another
/// zone stays where it belongs until its time is up (snapshot/spread_timeout.hpp). Zalando's; a
/// pass without it obeys the constraint as kube-scheduler does.
#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "engine/pass_context/pass_context.hpp"
#include "engine/scheduling/placement.hpp"

namespace capstan::engine::pass_context {

/// Whether pods of the class are spread in the one way that is emulated: by a single constraint
/// that keeps them off nodes, over the zone label, with a skew of 1, selecting by nothing but the
/// pod's own value of Settings::emulated_spread_label. All others are left to the rule.
bool is_emulated(const snapshot::Cluster& cluster, snapshot::PodGroupId equivalence_group,
                 const Settings& settings);

/// Where a pod of the class that runs on the node has to stay should it move: the node's zone.
/// Nothing: it is not emulated, or the node is in no zone.
std::optional<snapshot::Symbol> pinned_zone(const snapshot::Cluster& cluster,
                                            snapshot::PodGroupId equivalence_group,
                                            snapshot::NodeIndex node, const Settings& settings);

/// From now on an emulated class may go so many times into this zone, and nowhere else. False: no
/// node or shape of the rules is there, and it may go nowhere. An undo takes it back.
bool keep_in_zone(scheduling::Placement& placement, scheduling::PodGroupIndex pod_group,
                  std::string_view zone, int pods);

/// Gives every pending pod of an emulated class its zone, in the order of the classes: the zone
/// with the fewest pods of its namespace and label, the first by name among equals, out of those
/// where some node or some group's new node would take it by itself. Where there is no such zone
/// the class is left to the rule. By pod group: whether it was given zones.
std::vector<bool> give_zones(const PassContext& context, scheduling::Placement& placement);

}  // namespace capstan::engine::pass_context
