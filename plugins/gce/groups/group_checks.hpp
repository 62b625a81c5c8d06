/// Properties of a group that prevent scaling it, or that cause a warning.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include <capstan/error.hpp>

#include "../api/managed_groups.hpp"

namespace capstan::gce {

/// Why the group cannot be scaled at all; absent if it can. `unsupported`, with the group as the
/// subject: an autoscaler of Google sizes the group, or the group is stateful.
std::optional<Error> find_obstacle(const ManagedGroup& group);

/// Warnings about other unusual properties, as sentences that name the group.
std::vector<std::string> find_notes(const ManagedGroup& group);

}  // namespace capstan::gce
