/// The labels, taints and amounts that nodes of a group really had, remembered for the time when
/// the group has no node.
///
/// A cloud's template may differ from the nodes that join: an admission webhook adds a taint, or a
/// launch template lacks a label. While the group has such a node, its template is made from the
/// node. Once the node is gone, the cloud's template would offer room again to pods that the node
/// did not take, and these pods would trigger one scale-up after the other.
#pragma once

#include <optional>
#include <string>

#include <capstan/node_template.hpp>

#include "engine/memory.hpp"
#include "engine/pass_time.hpp"
#include "engine/settings.hpp"
#include "engine/snapshot.hpp"
#include "engine/templates/membership.hpp"

namespace capstan::engine::templates {

/// How long what a node turned out to be is remembered: what was wrong may have been corrected
/// without a change of the cloud's template.
inline constexpr Duration forgotten_after = std::chrono::hours(24);

/// The traits of a node, without transient taints and its hostname.
NodeTraits traits_of(const snapshot::Cluster& cluster, const snapshot::NodeRow& node,
                     const Settings& settings);

/// Updates Memory::templates:
///
///     the group is gone                    its record is removed
///     the cloud's template has changed     its record starts anew
///     the newest node has been ready and
///     unchanged for a minute               the node's traits are stored in the record
///     no such node seen for 24 h           the traits are removed
///
/// A node counts only if it is in the group and its machine was launched after the present template
/// was first seen. If two nodes have the provider id of one machine, only one of them is in the
/// group (see Membership). With TemplateSource::cloud no node counts.
///
/// New traits of a node count if the node was no older than Settings::max_node_startup_time when
/// they were first seen: later changes say nothing about the next node. There are two exceptions
/// for the node that the record was made from. Traits that only lack some of the record's
/// differences from the cloud's template count at any age, because another client has undone its
/// change. A taint that it gets later never counts, because the next node will not have it.
///
/// The traits are confirmed once a node of another name differs from the cloud's template in the
/// same way.
Memory remember_templates(Memory memory, const Snapshot& snapshot, const Membership& membership,
                          const Settings& settings, const PassTime& time);

/// Whether the node's machine was launched with the template that the group has now. `machine`:
/// NULL: it has none.
bool is_of_template(const snapshot::NodeRow& node, const Machine* machine,
                    const TemplateRecord& record, const PassTime& time) noexcept;

/// The next moment at which the records change although nothing else does; absent: there is none.
/// The removal of traits and refusals counts only with `has_pending_pods`.
std::optional<Time> next_observation(const Memory& memory, bool has_pending_pods,
                                     Time now) noexcept;

/// The traits of a node with the taints, labels and devices of the cloud's template where these
/// take more pods: somebody may have marked that node alone, or its device plugin may be broken.
/// What it has of cpu, memory and other resources of the machine itself counts.
NodeTraits without_damage(const NodeTemplate& described, NodeTraits traits,
                          const Settings& settings);

/// The differences by which a node takes fewer pods than its cloud's template: "has taint
/// a:NoSchedule, lacks label disk=ssd, has 3 of cpu instead of 4"; empty: there is none.
std::string how_it_differs(const NodeTemplate& described, const NodeTraits& actual,
                           const Settings& settings);

}  // namespace capstan::engine::templates
