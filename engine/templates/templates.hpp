/// What a new node of each group will offer. Templates are made anew in every pass, so a changed
/// DaemonSet, label or machine type shows in the next pass.
#pragma once

#include <chrono>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <capstan/node_template.hpp>

#include "engine/memory.hpp"
#include "engine/pass_time.hpp"
#include "engine/scheduling/compiled_predicates.hpp"
#include "engine/settings.hpp"
#include "engine/snapshot.hpp"
#include "engine/templates/membership.hpp"
#include "engine/templates/reserves.hpp"

namespace capstan::engine::templates {

/// The template of a group, as two descriptions of the same node:
///
///     node.capacity              what the machine has
///     node.allocatable           node.capacity less what the system reserves
///     template_node.allocatable  node.allocatable less static pods, if they are known only from
///                                the cloud's figures (allocatable less free)
///     node.free                  template_node.allocatable less template_node.daemons
///
/// A kube-proxy counts once. If it runs as a DaemonSet, it is among the daemons, and the cloud's
/// figures for static pods are lowered by a static kube-proxy (at most 100m of cpu, and one pod).
struct GroupTemplate {
    /// For plugins. NULL: there is no template, and the group cannot grow.
    std::shared_ptr<const NodeTemplate> node{};
    scheduling::TemplateNode template_node{};  ///< for the predicates; empty if `node` is NULL
    std::string because{};                     ///< the source of the template, or why there is none
};

/// One template for each group of the snapshot, in its order. With TemplateSource::cloud the source
/// is the cloud's own template. With TemplateSource::mixed it is the first of these that exists:
///
///     1. the youngest node of the group that is a template candidate and does not settle
///        (settling_nodes.hpp); of equally old ones the first by name
///     2. the node in the group's record (observed_nodes.hpp)
///     3. the cloud's own template
///     4. the first node of the group, by name
///
/// Taints, labels and pods that belong to one node alone are not taken over. If the cloud has
/// changed its template and all candidates are older, they tell only labels that the cloud does not
/// describe: what else differs may be what was changed.
std::vector<GroupTemplate> make_templates(const Snapshot& snapshot, const Settings& settings,
                                          const PassTime& time,
                                          const TemplateRecords& records = {});
/// The same with a given membership.
std::vector<GroupTemplate> make_templates(const Snapshot& snapshot, const Membership& membership,
                                          const TemplateRecords& records, const Settings& settings,
                                          const PassTime& time);

/// How long a node has to be ready before it can be a template: right after it becomes ready, it
/// may not report all that it will have.
inline constexpr Duration stabilization_delay = std::chrono::minutes(1);
/// Why a new node of the group may look different from this node; empty: the node is a template
/// candidate. `machine`: NULL: the node has none.
std::string_view why_not_template_candidate(const snapshot::NodeRow& node, const Machine* machine,
                                            Time wall);

// The sources of a template, for templates.cpp.

/// A template from a node of the group, as if the node had just joined. Resources that only the
/// cloud reports, such as GPUs before their driver is up, are added. A taint or label that the
/// cloud does not describe counts only if all `witnesses` have it.
GroupTemplate template_from_node(const snapshot::Cluster& cluster, const Group& group,
                                 NodeIndex node, const Settings& settings,
                                 std::span<const NodeIndex> witnesses = {});

/// A template from `group.described`, which must not be NULL. `learned`: NULL: no learned figures
/// are applied. `older`: nodes from before the cloud changed its template, the youngest first:
/// labels that all of them have are added if the cloud does not describe them.
GroupTemplate template_from_cloud(const snapshot::Cluster& cluster, const Group& group,
                                  const Reserves* learned, const Settings& settings,
                                  std::span<const NodeIndex> older = {});

/// A template from a node that is gone, with the DaemonSet pods of now. Zone and region, and
/// resources that the node did not report, come from `group.described` if it is not NULL. If the
/// next machine may be of another type, it has no more than the cloud describes.
GroupTemplate template_from_memory(const snapshot::Cluster& cluster, const Group& group,
                                   const ObservedNode& observed, const Reserves* learned,
                                   const Settings& settings);

}  // namespace capstan::engine::templates
