/// Carries decisions out.
#pragma once

#include <memory>
#include <set>
#include <vector>

#include <capstan/ids.hpp>

#include "engine/pass/outcome.hpp"
#include "runtime/actions_under_way.hpp"
#include "runtime/clouds.hpp"
#include "runtime/cluster_client.hpp"

namespace capstan::runtime {

/// Groups whose machines go together or not at all: the option zero_or_max.
std::set<NodeGroupId> find_atomic_groups(const std::vector<engine::Group>& groups);

/// How long clouds are waited for, and where what they have not answered by then goes on: its
/// result is `cancelled` and `under_way` (actions_under_way.hpp). Cluster and node changes are
/// waited for in any case.
struct ActionPatience {
    std::shared_ptr<ActionsUnderWay> beside{};  ///< NULL: all is waited for until its deadline
    Duration length{};
};
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
/// Waits, on virtual time as far as it takes, and answers what became of each action, in the order
/// of the decision. One that fails keeps no other. Ends always, each call has its deadline. A dry
/// run asks for nothing and has no results. Carried out again under the same circumstances, a
/// decision has no second effect. `cluster` outlives the calls. [one thread]
engine::Results carry_out_now(const engine::Decision& decision,
                              const std::vector<engine::removal::NodeLook>& looks,
                              const Clouds& clouds, ClusterClient& cluster,
                              const engine::CallContext& call_context, PluginHost& host,
                              const std::set<NodeGroupId>& atomic_groups = {},
                              const ActionPatience& patience = {});

}  // namespace capstan::runtime
