/// What keeps a group from being scaled, or is worth a word.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include <capstan/error.hpp>

#include "../api/managed_groups.hpp"

namespace capstan::gce {

/// Why it cannot be scaled at all: an autoscaler of Google sizes it, or its machines keep a state
/// that would be lost. `unsupported`, with the group as the subject.
std::optional<Error> find_obstacle(const ManagedGroup& group);

/// What else differs from a plain group, in sentences that name it.
std::vector<std::string> find_notes(const ManagedGroup& group);

}  // namespace capstan::gce
