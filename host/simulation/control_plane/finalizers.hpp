/// metadata.finalizers: who has still something to do before an object may go.
#pragma once

#include <string_view>

#include "simulation/api_server/api_object.hpp"

namespace capstan::simulation {

/// Left by a removal with propagation "Foreground": dependents go first.
inline constexpr std::string_view foreground_finalizer = "foregroundDeletion";
/// By one with "Orphan": dependents stay, on their own.
inline constexpr std::string_view orphan_finalizer = "orphan";

bool has_finalizer(const json::object& object, std::string_view name);
void remove_finalizer(json::object& object, std::string_view name);

}  // namespace capstan::simulation
