/// How many removals begin at once.
#pragma once

#include <cstddef>
#include <functional>
#include <span>
#include <vector>

#include "engine/settings.hpp"

namespace capstan::engine {

/// Removals that wait for their turn: of a node, or of a group that goes as a whole.
struct Turn {
    int empty = 0, drain = 0;  ///< nodes without pods to move, and with some
    bool whole = false;
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
/// `may_begin` is asked of each whose turn it is, once, in that order; who may not leaves the turn
/// to the next. Empty: all may.
std::vector<std::size_t> take_turns(std::span<const Turn> waiting, UnderWay under_way,
                                    const ScaleDownSettings& settings,
                                    const std::function<bool(std::size_t)>& may_begin = {});

}  // namespace capstan::engine
