/// Objects in one piece of memory each.
#pragma once

#include <cstdint>

#include "simulation/api_server/api_object.hpp"

namespace capstan::simulation {

/// A copy that nobody changes any more, of that revision. All of it lies together and goes at once,
/// so that thousands of old states cost little to keep and to forget. Copies of it, and of its
/// parts, are like any others and may outlive it. [any thread]
ApiObject make_kept(const json::object& object, std::uint64_t revision);

}  // namespace capstan::simulation
