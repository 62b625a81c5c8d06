/// What nodes of a group turned out to be, kept for the time when there is none to look at.
///
/// A cloud may describe other nodes than those that join: without a taint that an admission webhook
/// sets, with a label that a launch template does not have. While such a node is there, the
/// template is made of it. Once it is gone, the cloud's template would promise room again to pods
/// that the node did not take, and they would order the next one, without end.
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

/// Without the taints that pass.
NodeTraits traits_of(const snapshot::Cluster& cluster, const snapshot::NodeRow& node,
                     const Settings& settings);

/// Brings Memory::templates up to the moment:
///
///     the group is gone                    its record too
///     the cloud's template has changed     nothing is known of its nodes any more, and a back-off
///                                          for what the template promised ends
///     the newest node has been ready and
///     unchanged for a minute               it is observed
///     no such node seen for 24 h           forgotten
///
/// A node counts if its machine was begun after the template was first seen, and if it joined no
/// longer ago than a node may take to start: what is done to it later says nothing of the next one.
/// With TemplateSource::cloud no node is observed.
Memory remember_templates(Memory memory, const Snapshot& snapshot, const Membership& membership,
                          const Settings& settings, const PassTime& time);

/// Whether its machine was begun with the template that the group has now.
bool is_of_template(const snapshot::NodeRow& node, const Machine* machine,
                    const TemplateRecord& record, const PassTime& time) noexcept;

/// When time alone changes what is observed; nothing: it does not. `pods_wait`: it is news that a
/// node is forgotten.
std::optional<Time> next_observation(const Memory& memory, bool pods_wait, Time now) noexcept;

/// What a node has that keeps pods off and that its template does not tell: "has taint
/// a:NoSchedule, lacks label disk=ssd, has 3 of cpu instead of 4"; empty: nothing.
std::string how_it_differs(const NodeTemplate& told, const NodeTraits& seen,
                           const Settings& settings);

}  // namespace capstan::engine::templates
