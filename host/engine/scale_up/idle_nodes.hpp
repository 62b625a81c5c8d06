/// Groups whose nodes come and do not take the pods that they were ordered for.
///
///     a pod waits -> a node is ordered that would take it, by the template of its group -> the
///     node joins otherwise than promised, and the pod waits -> the next node is ordered
///
/// Such a group is backed off: the longer, the more often it happens. This is all there is against
/// it where templates are the cloud's alone (TemplateSource::cloud).
#pragma once

#include <optional>
#include <set>

#include "engine/memory.hpp"
#include "engine/scale_up/scale_up.hpp"

namespace capstan::engine::scale_up {

/// Groups with nodes of no use to the pods of their orders, as found in a pass.
struct IdleGroups {
    /// Groups with a ready node that refuses the pods of its order, whether or not the group is
    /// backed off now.
    std::set<NodeGroupId> suspected{};
    /// The end of the next such node's minute; nothing: no node is in its minute.
    std::optional<Time> wake_at{};
};

/// Since when pods are put on nodes to come, from what `memory` has as planned by this pass. Of a
/// group that is backed off for its idle node nothing is forgotten: while that node is there, the
/// first attempt after the back-off shows the same again. Nor of one that is suspected: its next
/// node may not be ordered, because the group is at its maximum or another group takes the pods.
void follow_planned(Memory& memory, const std::set<NodeGroupId>& suspected, Time now);

/// At the start of a pass: ends back-offs of groups whose idle node has taken a pod since. They are
/// of use to some pods.
void end_idle_backoffs(Memory& memory, const snapshot::Cluster& cluster);

/// Before `scale_up` has run: backs a group off, and closes it for this pass, where a node of its
/// present template has taken no pod in a minute of being ready, while pods wait that were put on
/// nodes to come of the group since before the node joined, and that it refuses for what it is: its
/// taints, labels and room. A group to which that has happened gets no minute again. While the
/// cluster is not seen as it is, no group is backed off: a node that seems idle may have pods.
IdleGroups back_off_idle(ScaleUp& scale_up, Memory& memory);

}  // namespace capstan::engine::scale_up
