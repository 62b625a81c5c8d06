/// Remembers pods that a node did not take although the node was ordered for them.
///
/// A cloud's template may promise labels, taints or capacity that its nodes do not have, and a node
/// may be of no use because of where other pods run. Without this record a pass would order node
/// after node:
///
///     a pod is pending -> a node is ordered, since its template would take the pod -> the node
///     joins and does not take it -> the node is removed -> the pod is still pending
///
/// So the group makes no further node for these pods (PassContext::refused) until its template or
/// the pods' spec changes, until a node of the template would take them, or until a day has passed.
/// Other pods still get nodes of the group.
#pragma once

#include <string>
#include <vector>

#include "engine/memory.hpp"
#include "engine/scale_up/scale_up.hpp"

namespace capstan::engine::scale_up {

/// Updates Memory::planned_since from Memory::planned of this pass. Keeps the entries of groups
/// with a settling node (templates/settling_nodes.hpp), whose pods are on no upcoming node any
/// more. Without a current view of the cluster it keeps all entries.
void update_planned_since(Memory& memory, const pass_context::PassContext& context);

/// Before `scale_up` has run: updates TemplateRecord::refused.
///
///     pods were planned for upcoming nodes of the group before a node joined, still wait, and a
///     ready node of the present template does not take them            they are added
///     the same node, one that joined later or, unless resources are
///     the reason, an earlier one would take them now                   they are removed
///     24 h after they were added; while no such pods are pending,
///     24 h after some last were                                        they are removed
///
/// A node counts as not taking a pod if the reason is its lasting taints, its labels or the volumes
/// of the pod, and no other node of the group would take the pod; if the pod requests more than the
/// node has; or if the node is idle and other pods are the reason. What a node lacks in taints and
/// labels counts for all pending pods at once. A settling node counts with what it will have, and
/// does not show yet that it would take a pod. Without a current view of the cluster nothing is
/// added, because a node that seems idle may have pods. Returns whether any were added, or removed
/// while such pods are pending: then the pass has to start anew.
bool remember_refused_pods(ScaleUp& scale_up, Memory& memory);

/// A warning for each group that makes no nodes for some of the pending pods because of what a node
/// of it turned out to be.
std::vector<std::string> describe_refused_pods(const pass_context::PassContext& context);

}  // namespace capstan::engine::scale_up
