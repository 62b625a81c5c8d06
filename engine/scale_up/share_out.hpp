/// How the nodes of an option are shared out among its group and similar ones.
///
/// An option says how many nodes its group needs. Similar groups (similar_groups.hpp) could take
/// some of these nodes, which keeps zones even: the splitter, a plugin, decides how many each group
/// gets. Groups that would have to be made may share as well, as long as the maximum number of
/// groups allows them.
#pragma once

#include <map>
#include <span>
#include <string>
#include <vector>

#include "engine/policies.hpp"
#include "engine/scale_up/quota_tracker.hpp"
#include "engine/scale_up/scale_up_options.hpp"

namespace capstan::engine::scale_up {

/// Drops from `groups`, which may share `options[chosen]`, the groups that would have to be made
/// first and that the maximum number of groups does not allow. Returns the dropped groups,
/// ascending.
///
/// Groups that pods of other options need take precedence over groups that would be made only to
/// share: room for them is reserved, and those of them that are in `groups` stay. The remaining
/// room goes to groups on which all pods of the option run, then to the others, each by id.
///     room for 4 groups, other pods need 1 more: a is chosen, b and c share, d is dropped
std::vector<GroupIndex> drop_new_siblings(std::vector<GroupIndex>& groups,
                                          std::span<const Option> options, std::size_t chosen,
                                          const QuotaTracker& quotas);

/// The nodes of an option that one group gets.
struct Share {
    GroupIndex group = 0;
    int nodes = 0;
    bool operator==(const Share&) const = default;
};

struct BalancedIncreases {
    std::vector<Share> shares{};  ///< by group; no share is zero
    std::string note{};           ///< what the splitter did wrong; empty: nothing
};

/// By group, without groups of zero nodes: the nodes of `groups` for pods that only later options
/// of this pass will place, because their domain is another than that of the chosen option: pods
/// spread over zones, or kept apart by zone. If these nodes did not count, the groups would end
/// uneven.
///     2 spread pods a zone and 6 free ones; zone a is chosen  ->  b 2, c 2
std::map<GroupIndex, int> find_promised(std::span<const Option> options, std::size_t chosen,
                                        std::span<const GroupIndex> groups,
                                        const std::vector<int>& waiting,
                                        scheduling::Placement& placement);

/// Shares out `option.nodes`, to which the limits of the cluster have been applied already. The
/// part of a share that a group cannot take is shared out again among the others. If the splitter
/// fails or its answer breaks its contract, all nodes go to the option's own group, as far as it
/// has room.
BalancedIncreases share_out(const pass_context::PassContext& context, const QuotaTracker& quotas,
                            const Policies& policies, const CallContext& call_context,
                            const Option& option);

}  // namespace capstan::engine::scale_up
