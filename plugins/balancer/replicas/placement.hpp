/// How many replicas each target is to have: the Balancer's policies, as functions.
///
/// Every target gets its minimum, and the policy shares out the rest. The answer depends on the
/// spec and on which pods do not start, never on how many replicas there are now. So the layout
/// returns to the policy's own as soon as all pods start.
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

/// A target's bounds and the state of its pods.
struct PlacedTarget {
    std::string name{};
    std::int64_t min = 0;
    std::int64_t max = unlimited;  ///< when below `min`, `min` counts in its place
    std::int64_t weight = 0;       ///< proportional; below one: the target keeps its minimum alone
    std::int64_t total = 0;        ///< pods that run or may start yet
    std::int64_t blocked = 0;      ///< pods of `total` that are not expected to start
    /// The target's object or its kind does not exist: none of its replicas will start.
    bool is_gone = false;
    bool operator==(const PlacedTarget&) const = default;
};

struct PlacementRequest {
    Policy policy = Policy::priority;
    std::int64_t wanted = 0;
    std::vector<PlacedTarget> targets{};
    /// priority: names of targets. Other names are passed over. A target that is not named keeps
    /// its minimum alone.
    std::vector<std::string> order{};
    bool falls_back = false;  ///< replicas that do not start are asked of other targets, too
    Rounding rounding = Rounding::least_error;
};

struct Placement {
    std::map<std::string, std::int64_t> replicas{};  ///< of every target, by name
    std::int64_t missing = 0;   ///< replicas above `wanted`, forced by minimums
    std::int64_t overflow = 0;  ///< wanted, but no target may take them
    std::int64_t fallback = 0;  ///< asked of other targets because they did not start
    bool operator==(const Placement&) const = default;
};

/// A target whose pods do not start keeps its replicas. As many as are blocked, and as many as it
/// has yet to create, are asked of other targets on top:
///     priority, 5 wanted, n1 (min 1, max 7), n2 (min 1)             ->  n1 4, n2 1
///     priority, the same, but 2 of n1's 4 pods are blocked          ->  n1 4, n2 3
///     proportional 50/50, 10 wanted, 3 of a's 5 pods are blocked    ->  a 5, b 8
/// By priority, the extra replicas go to the targets after the blocked one, as upstream has it, and
/// what these cannot take goes to healthy targets before it. Where pods start in no target, no
/// target gets extra replicas.
Placement place(const PlacementRequest& request);

}  // namespace capstan::replicas
