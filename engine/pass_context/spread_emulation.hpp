/// Emulates the commonest topology spread over zones: each pod is assigned to the zone with the
/// fewest of its kind, and stays there. So no zone waits for another, and a pod that could run in
/// another zone waits for its own until the spread's time-out (snapshot/spread_timeout.hpp). The
/// behaviour is Zalando's; a pass without it obeys the constraint as kube-scheduler does.
#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "engine/pass_context/pass_context.hpp"
#include "engine/scheduling/placement.hpp"

namespace capstan::engine::pass_context {

/// Whether the spread of these pods is emulated: they have a single constraint, with DoNotSchedule,
/// over the zone label, with a maxSkew of 1, selecting by nothing but the pod's own value of
/// Settings::emulated_spread_label. Any other constraint is obeyed as it stands.
bool is_emulated(const snapshot::Cluster& cluster, PodGroupId equivalence_group,
                 const Settings& settings);

/// The zone in which such a pod has to stay if it moves away from the node: the node's zone.
/// Absent: the spread is not emulated, or the node is in no zone.
std::optional<snapshot::Symbol> pinned_zone(const snapshot::Cluster& cluster,
                                            PodGroupId equivalence_group, NodeIndex node,
                                            const Settings& settings);

/// Allows `pods` pods of an emulated pod group in this zone, and none elsewhere. False: no node and
/// no compiled template is in the zone, so no pod is allowed anywhere. Placement::undo takes
/// this back.
bool restrict_to_zone(scheduling::Placement& placement, PodGroupIndex pod_group,
                      std::string_view zone, int pods);

/// Assigns a zone to every pending pod of an emulated pod group, in the order of the pod groups:
/// the zone with the fewest pods of its namespace and label value, ties by name. Only zones count
/// in which some node, or a new node of some group, would take the pod on its own. Without such a
/// zone the constraint is obeyed as it stands. By pod group: whether it was assigned zones.
std::vector<bool> assign_zones(const PassContext& context, scheduling::Placement& placement);

}  // namespace capstan::engine::pass_context
