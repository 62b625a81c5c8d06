/// How many groups are made only so that the nodes of an option are shared with them.
#pragma once

#include <span>
#include <vector>

#include "engine/scale_up/options.hpp"

namespace capstan::engine {

/// Takes those out of `groups`, which may share `options[chosen]`, that would have to be made first
/// and that the limit of groups leaves no room for. A group for pods that the option does not help
/// comes before one that is made for an even number of nodes: as many as the other options say are
/// needed are kept free, and those of them that may share stay. Then come those that take the
/// option's pods, by id. The answer is those taken out, ascending.
///     room for 4 groups, other pods need 1 more: a is chosen, b and c share, d is taken out
std::vector<GroupIndex> drop_new_siblings(std::vector<GroupIndex>& groups,
                                          std::span<const Option> options, std::size_t chosen,
                                          const Ledger& ledger);

}  // namespace capstan::engine
