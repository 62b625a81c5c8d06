/// How the nodes of an option are shared out among its group and similar ones.
///
/// An option says that its group needs so many nodes. Groups whose nodes count as the same could
/// take some of them, which keeps zones even: the splitter, a plugin, says how many each. Groups
/// that do not exist yet may share as well, as long as the limit of groups has room for them.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "engine/policies.hpp"
#include "engine/scale_up/quota_tracker.hpp"
#include "engine/scale_up/scale_up_options.hpp"

namespace capstan::engine::scale_up {

/// Takes those out of `groups`, which may share `options[chosen]`, that would have to be made first
/// and that the limit of groups leaves no room for. A group for pods that the option does not help
/// comes before one that is made for an even number of nodes: as many as the other options say are
/// needed are kept free, and those of them that may share stay. Then come those that take the
/// option's pods, by id. The answer is those taken out, ascending.
///     room for 4 groups, other pods need 1 more: a is chosen, b and c share, d is taken out
std::vector<pass_context::GroupIndex> drop_new_siblings(
    std::vector<pass_context::GroupIndex>& groups, std::span<const Option> options,
    std::size_t chosen, const QuotaTracker& quotas);

// How the nodes of an option are shared out among its group and similar ones.

struct Share {
    pass_context::GroupIndex group = 0;
    int nodes = 0;
    bool operator==(const Share&) const = default;
};

struct BalancedIncreases {
    std::vector<Share> shares{};  ///< by group, none of zero
    std::string note{};           ///< what the splitter did wrong; empty: nothing
};

/// The limits of the cluster have been applied to `option.nodes` before; what a group cannot take
/// of its share is shared out again among the others. A splitter that fails, or whose answer breaks
/// its contract, leaves all nodes to the option's own group, as far as that has room.
BalancedIncreases share_out(const pass_context::PassContext& context, const QuotaTracker& quotas,
                            const Policies& policies, const CallContext& call_context,
                            const Option& option);

}  // namespace capstan::engine::scale_up
