/// How many replicas each target is to have: the Balancer's policies, as functions.
///
/// Every target gets its minimum, and the policy shares out the rest. The answer depends on the
/// spec and on which pods do not start, never on how many replicas there are now. So the layout
/// returns to the policy's own as soon as all pods start. Until then a target with late pods keeps
/// the replicas of other targets that it was given.
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

/// Shares of a target's pods that are late, in percent. Pods that may still start in time do not
/// count. Above `late_share_max` the target starts nothing, and takes no replicas of other targets;
/// above `late_share_good` it takes them only if it has none yet and no other target can.
inline constexpr std::int64_t late_share_good = 25, late_share_max = 50;

/// A target's bounds and the state of its pods.
struct PlacedTarget {
    std::string name{};
    std::int64_t min = 0;
    std::int64_t max = unlimited;  ///< when below `min`, `min` counts in its place
    std::int64_t weight = 0;       ///< proportional; below one: the target keeps its minimum alone
    std::int64_t total = 0;        ///< pods that run or may start yet
    std::int64_t blocked = 0;      ///< pods of `total` that are not expected to start
    std::int64_t late = 0;         ///< pods of `blocked` that should have started by now
    /// What the last placement gave it, with the replicas of other targets; 0: unknown.
    std::int64_t before = 0;
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
    std::int64_t overflow = 0;  ///< wanted, or not starting, and no target can take them
    std::int64_t fallback = 0;  ///< asked of targets in place of replicas that do not start
    bool operator==(const Placement&) const = default;
};

/// A target whose pods do not start keeps its replicas. As many as are blocked, and as many as it
/// has yet to create, are asked of other targets on top:
///     priority, 5 wanted, n1 (min 1, max 7), n2 (min 1)             ->  n1 4, n2 1
///     priority, the same, but 2 of n1's 4 pods are blocked          ->  n1 4, n2 3
///     proportional 50/50, 10 wanted, 3 of a's 5 pods are blocked    ->  a 5, b 8
/// The policy shares them out among the targets that start pods, those with few late pods first. By
/// priority, the targets after the blocked one come before the others, as upstream has it. Where
/// these extra replicas do not start either, they are asked of others in turn.
///
/// A target that has late pods keeps the extra replicas that it was asked for `before`, as long as
/// they are needed. Otherwise its late pods would go, it would seem to start pods, and the replicas
/// would move back and forth.
Placement place(const PlacementRequest& request);

}  // namespace capstan::replicas
