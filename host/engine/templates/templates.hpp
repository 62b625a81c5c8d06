/// What a new node of each group will offer. Worked out anew in every pass and kept nowhere, so a
/// changed DaemonSet, label or machine type shows in the next one.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include <capstan/node_template.hpp>

#include "engine/scheduling/node_shape.hpp"
#include "engine/settings.hpp"
#include "engine/snapshot.hpp"
#include "engine/templates/membership.hpp"

namespace capstan::engine {

/// Two pictures of the same node:
///
///     node.capacity     the machine
///     node.allocatable  less what the system keeps
///     shape.allocatable less static pods that the cloud counts (its allocatable less its free)
///     node.free         less shape.daemons too
///
/// A kube-proxy that runs as a DaemonSet is one of the daemons, and what the cloud counts for a
/// static one, at most 100m of cpu, is given back.
struct GroupTemplate {
    /// For plugins: capacity, allocatable, and what DaemonSet and static pods leave free. NULL:
    /// unknown, and the group cannot grow.
    std::shared_ptr<const NodeTemplate> node{};
    NodeShape shape{};      ///< for the predicates; empty where `node` is NULL
    std::string because{};  ///< where it comes from, or why there is none
};

/// One per group of the snapshot, in its order. From the cloud's own template; with
/// TemplateSource::mixed rather from the first node of the group, by name, that has been ready for
/// a minute, and from any of its nodes where there is neither. No taint, label or pod that belongs
/// to one node alone is taken over from it.
std::vector<GroupTemplate> make_templates(const Snapshot& snapshot, const Settings& settings,
                                          Time now);
/// With a membership that is there already.
std::vector<GroupTemplate> make_templates(const Snapshot& snapshot, const Membership& membership,
                                          const Settings& settings, Time now);

}  // namespace capstan::engine
