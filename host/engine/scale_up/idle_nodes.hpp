/// Backs off groups if their new nodes do not take the pods that the nodes were ordered for.
///
/// A cloud's template may promise labels, taints or capacity that its nodes do not have. Without
/// this a pass would order node after node:
///
///     a pod is pending -> a node is ordered, since its template would take the pod -> the node
///     joins and differs from its template, so the pod stays pending -> the next node is ordered
///
/// The group is backed off, longer each time this happens. With TemplateSource::cloud, where nodes
/// never correct a template, this is the only protection.
#pragma once

#include <optional>
#include <set>

#include "engine/memory.hpp"
#include "engine/scale_up/scale_up.hpp"

namespace capstan::engine::scale_up {

/// Groups with idle nodes, as found in a pass.
struct IdleGroups {
    /// Groups with a ready node that refuses the pods it was ordered for, whether or not the group
    /// is backed off now.
    std::set<NodeGroupId> suspected{};
    /// When the first such node has been ready for a minute; nothing: none is younger.
    std::optional<Time> wake_at{};
};

/// Updates Memory::planned_since from Memory::planned of this pass. Keeps the entries of a group
/// that is backed off for an idle node: while that node is there, the first attempt after the
/// back-off shows the same again. Also keeps the entries of `suspected` groups: their next node may
/// not be ordered, because the group is at its maximum or another group takes the pods.
void update_planned_since(Memory& memory, const std::set<NodeGroupId>& suspected, Time now);

/// At the start of a pass: ends the back-offs of groups if their idle node has taken a pod since,
/// because their nodes are of use to some pods.
void end_idle_backoffs(Memory& memory, const snapshot::Cluster& cluster);

/// Before `scale_up` has run: backs a group off, and closes it for this pass, if all of these hold:
///
/// * a node of its present template has been ready for a minute and has taken no pod;
/// * pods are pending that were planned for upcoming nodes of the group before the node joined;
/// * the node refuses these pods for its own taints, labels or room.
///
/// A group to which this has happened before gets no minute again. A group with two such nodes in
/// their first minute is closed for this pass, because a cloud that makes nodes within seconds
/// could make many in that minute. Without a current view of the
/// cluster no group is backed off, because a node that seems idle may have pods.
IdleGroups back_off_idle(ScaleUp& scale_up, Memory& memory);

}  // namespace capstan::engine::scale_up
