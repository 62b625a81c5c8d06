/// Carries decisions out.
#pragma once

#include <functional>
#include <set>
#include <vector>

#include <capstan/ids.hpp>

#include "engine/pass.hpp"
#include "runtime/clouds.hpp"
#include "runtime/cluster_client.hpp"

namespace capstan::runtime {

using CarriedOutDone = std::function<void(engine::Results)>;

/// Groups whose machines go together or not at all: the option zero_or_max.
std::set<NodeGroupId> find_whole_groups(const std::vector<engine::Group>& groups);

/// Asks clouds and cluster for all of the decision at once, with these exceptions:
///   - The nodes of `looks` are looked at before anything is done to them, and where that fails,
///     nothing is.
///   - A node is told that it is being deleted (a removal in the decision names it) before its
///     machine is asked to go, and where that fails, the machine is not asked for.
///   - A removal from a group of `whole_groups` is carried out for all its nodes or for none: a
///     look or a change that fails does so for all of them.
///   - A group is made before it is asked to grow; where that fails, its increases are `cancelled`.
///   - Where the circumstances say that the cluster is not seen as it is, removals, evictions and
///     changes that mark a node are `cancelled`, and no node is looked at. Marks are taken off.
/// `done` gets what became of each action, in the order of the decision. One that fails keeps no
/// other. Ends always, each call has its deadline. A dry run asks for nothing and has no results.
/// Carried out again under the same circumstances, a decision has no second effect. `done` is
/// called by the thread that runs the host's loop, or inside this call if there is nothing to do.
/// `cluster` outlives that. [any thread]
void carry_out(const engine::Decision& decision, const std::vector<engine::NodeLook>& looks,
               const Clouds& clouds, ClusterClient& cluster,
               const engine::Circumstances& circumstances, CarriedOutDone done,
               const std::set<NodeGroupId>& whole_groups = {});
/// The same, waited for; on virtual time the clock goes on as far as it takes.
engine::Results carry_out_now(const engine::Decision& decision,
                              const std::vector<engine::NodeLook>& looks, const Clouds& clouds,
                              ClusterClient& cluster, const engine::Circumstances& circumstances,
                              PluginHost& host, const std::set<NodeGroupId>& whole_groups = {});

}  // namespace capstan::runtime
