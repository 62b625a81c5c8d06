/// In which order nodes are to go, and how many removals begin at once.
///
/// The order decides what a plan can reach, since a node that goes takes room from those after it:
/// nodes whose removal disturbs nothing come first, and what was planned in the pass before keeps
/// its place, so that plans do not change from pass to pass.
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

/// Candidates that go together or not at all, by their index.
struct RemovalUnit {
    std::vector<std::size_t> candidates{};
    bool atomic = false;  ///< a group that is only ever empty or full
};

/// Whole groups first, by id; then empty nodes; then those that could go already in the pass
/// before, so that a plan does not change without need; then those whose pods' budgets allow all to
/// go at once; then the fewest pods and the least used. Among equals the one whose zone has the
/// most nodes of its machine type, so that zones stay even; then by name.
std::vector<RemovalUnit> removal_order(const pass_context::PassContext& context,
                                       const drainability::Candidates& candidates,
                                       const Memory& memory);

// How many removals begin at once.

/// Removals that wait for their turn: of a node, or of a group that goes as a whole.
struct WaitingRemovals {
    int empty = 0, drain = 0;  ///< nodes without pods to move, and with some
    bool atomic = false;
};

/// Nodes whose removal has begun and not ended.
struct UnderWay {
    int empty = 0, drain = 0;
};

/// Those that begin now, by index, in the order in which they do: whole groups, empty nodes, then
/// nodes with pods; each kind in the order given. As upstream has it, max_parallelism bounds all
/// removals and max_drain_parallelism those with pods; of whole groups the first may go beyond,
/// if there is anything left at all. Other than upstream's, removals of nodes with pods, which may
/// take long, never keep all empty nodes waiting: one of those is always under way.
///     10 at once, 5 of them with pods:  empty 11            ->  10
///                                       whole 11            ->  11
///                                       empty 8, whole 3    ->  whole 3, empty 7
///                                       empty 8, drain 8    ->  empty 8, drain 2
/// `may_begin` is asked of each unit in that order, once; a unit that may not begin leaves its turn
/// to the next. Empty: all may.
std::vector<std::size_t> take_turns(std::span<const WaitingRemovals> waiting, UnderWay under_way,
                                    const ScaleDownSettings& settings,
                                    const std::function<bool(std::size_t)>& may_begin = {});

// How long removals rest after something has happened.

struct Cooldown {
    Time until{};         ///< the first moment at which it is over
    std::string because;  ///< "machines were asked for 3m ago, and delay_after_add is 10m"
};

/// The one that ends last; nothing: nothing rests at `now`.
///     machines asked for at 0:00, delay_after_add 10m  ->  rests until 0:10, and at 0:10 no more
std::optional<Cooldown> find_cooldown(const LastActions& last, const ScaleDownSettings& settings,
                                      Time now);

}  // namespace capstan::engine::scale_down
