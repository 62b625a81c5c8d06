/// How many replicas each target is to have: the Balancer's policies, as functions.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "shares.hpp"

namespace capstan::replicas {

/// No maximum: as many as a Scale can say.
inline constexpr std::int64_t unlimited = 2'147'483'647;

enum class Policy { priority, proportional };

/// A target's bounds and what its pods do at the moment.
struct PlacedTarget {
    std::string name{};
    std::int64_t min = 0;
    std::int64_t max = unlimited;  ///< below `min` it counts for `min`: that is guaranteed
    std::int64_t weight = 0;       ///< proportional; nothing above the minimum below one
    std::int64_t total = 0;        ///< pods that run or may start yet
    std::int64_t blocked = 0;      ///< of these, how many are not expected to start
    /// There is no such target, or it cannot be scaled: none of its replicas will start.
    bool is_gone = false;
    bool operator==(const PlacedTarget&) const = default;
};

struct Question {
    Policy policy = Policy::priority;
    std::int64_t wanted = 0;
    std::vector<PlacedTarget> targets{};
    /// priority: names; others than targets are passed over, and targets without a place in it keep
    /// their minimum alone.
    std::vector<std::string> order{};
    bool falls_back = false;  ///< replicas that do not start are asked of others, too
    Rounding rounding = Rounding::least_error;
};

struct Placement {
    std::map<std::string, std::int64_t> replicas{};  ///< of every target
    std::int64_t missing = 0;                        ///< forced above `wanted` by minimums
    std::int64_t overflow = 0;                       ///< wanted, but no target may take them
    std::int64_t fallback = 0;                       ///< asked of others because some did not start
    bool operator==(const Placement&) const = default;
};

/// Decides from what is wanted alone, never from how it is now: so the layout comes back as soon as
/// pods start. A target whose pods do not start goes on asking for them; as many, and those that it
/// has yet to create, are asked of others on top:
///     priority, 5 wanted, n1 (min 1, max 7), n2 (min 1)       ->  n1 4, n2 1
///     the same, 2 of n1's 4 pods blocked                      ->  n1 4, n2 3
///     proportional 50/50, 10 wanted, 3 of a's 5 pods blocked  ->  a 5, b 8
/// By priority they go on to the next ones, as upstream has it, and what none of those can take to
/// healthy ones before them. Where pods start in no target, nothing is added anywhere.
Placement place(const Question& request);

}  // namespace capstan::replicas
