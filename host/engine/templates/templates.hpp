/// What a new node of each group will offer. Worked out anew in every pass, so a changed DaemonSet,
/// label or machine type shows in the next one.
#pragma once

#include <chrono>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include <capstan/node_template.hpp>

#include "engine/memory.hpp"
#include "engine/scheduling/compiled_predicates.hpp"
#include "engine/settings.hpp"
#include "engine/snapshot.hpp"
#include "engine/templates/membership.hpp"
#include "engine/templates/reserves.hpp"

namespace capstan::engine::templates {

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
    scheduling::TemplateNode shape{};  ///< for the predicates; empty where `node` is NULL
    std::string because{};             ///< where it comes from, or why there is none
};

/// One per group of the snapshot, in its order. From the cloud's own template; with
/// TemplateSource::mixed rather from the first node of the group, by name, that has been ready for
/// a minute, else from the one that `records` has observed, and from any of its nodes where there
/// is none of these. No taint, label or pod that belongs to one node alone is taken over from it.
/// `wall`: see PassTime.
std::vector<GroupTemplate> make_templates(const Snapshot& snapshot, const Settings& settings,
                                          Time wall, const TemplateRecords& records = {});
/// With a membership that is there already.
std::vector<GroupTemplate> make_templates(const Snapshot& snapshot, const Membership& membership,
                                          const TemplateRecords& records, const Settings& settings,
                                          Time wall);

/// A node that was unready a moment ago may show less than it will have.
inline constexpr Duration settled_after = std::chrono::minutes(1);
/// Why a new node of its group may well look otherwise; empty: it will not. `machine`: NULL: it has
/// none.
std::string_view why_no_model(const snapshot::NodeRow& node, const Machine* machine, Time wall);

// The places a template comes from. For templates.cpp.

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
