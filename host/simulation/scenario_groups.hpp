/// The [[group]] tables of a scenario and what changes in them, as settings of the simulated cloud.
#pragma once

#include <vector>

#include "runtime/config/document.hpp"
#include "simulation/input.hpp"

namespace capstan::simulation {

/// A table of a step's `change`, and when its step begins.
struct GroupChange {
    runtime::TomlValue table{};
    Duration at{0};
};

/// The groups with their changes; one with `zones = ["a", "b"]` becomes ID-a and ID-b. Nothing:
/// there are none. What the plugin's own schema will see is left to it; a change of a group that is
/// not there is recorded.
std::optional<CloudSettings> make_cloud(const runtime::TomlValue& root,
                                        const std::vector<GroupChange>& changes,
                                        runtime::Diagnostics& diagnostics);

}  // namespace capstan::simulation
