/// What keeps a group from being scaled, or is worth a word.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include <capstan/error.hpp>

#include "../api/auto_scaling.hpp"

namespace capstan::aws {

/// Why it cannot be scaled at all: it is being deleted, its capacity is no number of instances, it
/// contradicts itself. `not_found` or `unsupported`, with the group as the subject.
std::optional<Error> find_obstacle(const AutoScalingGroup& group);

/// Why it cannot grow at present, as a sentence; empty: it can.
std::string why_not_growing(const AutoScalingGroup& group);

/// What else differs from a plain group, in sentences that name it.
std::vector<std::string> find_notes(const AutoScalingGroup& group);

}  // namespace capstan::aws
