/// Carries decisions out.
#pragma once

#include <memory>
#include <set>
#include <vector>

#include <capstan/ids.hpp>

#include "autoscaler/actions_under_way.hpp"
#include "autoscaler/clouds.hpp"
#include "autoscaler/cluster_client.hpp"
#include "engine/pass/outcome.hpp"

namespace capstan::autoscaler {

/// Groups with the option zero_or_max: their machines are removed together or not at all.
std::set<NodeGroupId> find_atomic_groups(const std::vector<engine::Group>& groups);

/// How long clouds are waited for. An action that its cloud has not answered by then goes on in
/// `under_way`, and its result has the code `cancelled` and the provider code of
/// is_under_way(). Changes to nodes and evictions are waited for until their own deadlines.
struct ActionPatience {
    /// NULL: each call is waited for until its deadline.
    std::shared_ptr<ActionsUnderWay> under_way{};
    Duration length{};
};
/// Asks clouds and cluster for all actions of the decision at once, with these exceptions:
///   - The nodes of `rechecks` are read again from the cluster before anything is done to them.
///     If that fails, nothing is done to the node.
///   - A node that the decision removes gets its deletion taint before its cloud is asked to remove
///     the machine. If the taint cannot be set, the cloud is not asked.
///   - A removal from a group of `atomic_groups` is carried out for all nodes of the removal or for
///     none: a recheck or a change that fails for one node counts for all of them.
///   - A group is created before its cloud is asked to increase it. If the creation fails, the
///     increases of the group are `cancelled`.
///   - If `call_context` says that the cluster is not observed, removals, evictions and changes
///     that mark a node are `cancelled`, and no node is rechecked. Marks are still taken off.
///   - If `call_context` says that the memory is not written, actions of clouds and marks that
///   begin
///     a removal are `cancelled`.
/// Waits for the results and returns them in the order of the decision. On virtual time the clock
/// goes on meanwhile. An action that fails does not keep another one from being carried out. The
/// wait always ends, since each call has a deadline. A dry run asks for nothing and has no results.
/// The same decision with the same `call_context` has no second effect when it is carried out
/// again. `cluster` outlives the calls. [one thread]
engine::Results carry_out_now(const engine::Decision& decision,
                              const std::vector<engine::removal::NodeRecheck>& rechecks,
                              const Clouds& clouds, ClusterClient& cluster,
                              const engine::CallContext& call_context, PluginHost& host,
                              const std::set<NodeGroupId>& atomic_groups = {},
                              const ActionPatience& patience = {});

}  // namespace capstan::autoscaler
