/// Properties of a group that prevent scaling it, or that cause a warning.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include <capstan/error.hpp>

#include "../api/auto_scaling.hpp"

namespace capstan::aws {

/// Why the group cannot be scaled at all; absent if it can. The subject is the group. `not_found`:
/// the group is being deleted. `unsupported`: its capacity is not a number of instances (a capacity
/// type other than units, weights), its overrides mix types and requirements, or its minimum is
/// above its maximum.
std::optional<Error> find_obstacle(const AutoScalingGroup& group);

/// Why the group cannot scale up at present, as a sentence; empty if it can.
std::string why_not_growing(const AutoScalingGroup& group);

/// Warnings about other unusual properties (suspended processes, a warm pool), as sentences that
/// name the group.
std::vector<std::string> find_notes(const AutoScalingGroup& group);

/// For `capstan doctor`: which of the groups do not protect new instances from scale-in, and what
/// that is good for; empty: all of them do. Groups that EKS manages are left out: they are EKS's to
/// change.
std::string recommend_protection(const std::vector<const AutoScalingGroup*>& groups);

}  // namespace capstan::aws
