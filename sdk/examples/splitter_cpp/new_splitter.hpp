/// Fills one group after the other, the one with the most room first: growth goes to as few groups
/// as possible.
///     4 nodes, room 1, 6 and 2  ->  +0, +4, +0
///     8 nodes, room 1, 6 and 2  ->  +0, +6, +2
#pragma once

#include <capstan/splitter.hpp>

class NewSplitter {
public:
    void split(const capstan::Call& call, int nodes, const capstan::GroupList& groups,
               const capstan::GroupIncreases& grow) const;
};
