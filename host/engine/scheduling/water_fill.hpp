/// How many pods each domain takes so that they end as even as they can.
///
/// Pods are poured like water into vessels of different height: the water finds one level, the
/// lowest vessels take most of it, and those above the level none. The level is found by bisection,
/// so the time does not depend on the number of pods.
#pragma once

#include <limits>
#include <span>
#include <vector>

namespace capstan::engine::scheduling {

/// A domain by what it holds and what it may hold.
struct DomainLoad {
    int count = 0;
    int most = std::numeric_limits<int>::max();  ///< below `count`: takes nothing
    bool operator==(const DomainLoad&) const = default;
};

/// Pours `pods` as water: the lowest rise first, and none above its most. What does not divide goes
/// one each to those in front. The answer adds up to less than `pods` only when all are full.
///     counts 0, 2, 5 and 5 pods  ->  +4, +1, +0: the third is above the water
std::vector<int> water_fill(std::span<const DomainLoad> basins, int pods);

}  // namespace capstan::engine::scheduling
