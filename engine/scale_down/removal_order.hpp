/// The order in which candidates are tried, how many removals begin at once, and cooldowns.
///
/// The order decides how many nodes a plan can remove, since the pods of a removed node take up
/// room that later candidates need: nodes that can be removed without disruption come first. Nodes
/// that were unneeded in the pass before come before new ones, so that plans do not change from
/// pass to pass.
#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "engine/drainability/candidates.hpp"
#include "engine/memory.hpp"
#include "engine/pass_context/pass_context.hpp"
#include "engine/settings.hpp"

namespace capstan::engine::scale_down {

/// Candidates, by their index, that are removed together or not at all.
struct RemovalUnit {
    std::vector<std::size_t> candidates{};
    bool atomic = false;  ///< a group that is only ever empty or full
};

/// Whole groups come first, by id. Single nodes are sorted by these criteria, in this order: empty
/// nodes first; nodes that were unneeded in the pass before first; nodes whose budgets allow all of
/// their pods to be disrupted at once first; fewer pods first; lower utilization first. Of equal
/// nodes, one of the zone with the most nodes of its machine type comes first, so that zones stay
/// even; then the order is by name.
std::vector<RemovalUnit> removal_order(const pass_context::PassContext& context,
                                       const drainability::Candidates& candidates,
                                       const Memory& memory);

// How many removals begin at once.

/// A unit that waits for its turn: a node, or a group that is removed atomically.
struct WaitingRemovals {
    int empty = 0, drain = 0;  ///< nodes without pods to move, and with some
    bool atomic = false;
};

/// The removals that have begun and not ended.
struct RemovalsUnderWay {
    int empty = 0, drain = 0;
};

/// The units that begin now, by index, in their order: whole groups, empty nodes, then nodes with
/// pods; each kind in the order given. As in upstream, max_parallelism bounds all removals and
/// max_drain_parallelism those with pods, and the first whole group may exceed the bounds if there
/// is any room at all. Unlike upstream, removals of nodes with pods, which may take long, never
/// keep all empty nodes waiting: one empty node is always under way.
///     10 at once, 5 of them with pods:  empty 11            ->  10
///                                       whole 11            ->  11
///                                       empty 8, whole 3    ->  whole 3, empty 7
///                                       empty 8, drain 8    ->  empty 8, drain 2
/// `may_begin` is called once for each unit in that order; if it returns false, the next unit gets
/// the turn. An empty function: all may begin.
std::vector<std::size_t> select_removals_to_begin(
    std::span<const WaitingRemovals> waiting, RemovalsUnderWay under_way,
    const ScaleDownSettings& settings, const std::function<bool(std::size_t)>& may_begin = {});

/// A time in which no removal begins, after an event.
struct Cooldown {
    Time until{};         ///< the first moment after it
    std::string setting;  ///< "scale_down.delay_after_add"
    std::string after;    ///< "the last scale-up (group web)"
    std::string because;  ///< "last scale-up 3m ago, scale_down.delay_after_add is 10m"
};

/// The cooldown that ends last; absent: there is none at `now`.
///     machines requested at 0:00, delay_after_add 10m  ->  until 0:10, and at 0:10 it is over
std::optional<Cooldown> find_cooldown(const LastActions& last, const ScaleDownSettings& settings,
                                      Time now, std::string_view grown = {});

}  // namespace capstan::engine::scale_down
