/// The [cloud] and [[group]] tables of a scenario, and what steps change of them, for the simulated
/// cloud.
#pragma once

#include <optional>
#include <vector>

#include "runtime/config/document.hpp"
#include "simulation/input.hpp"

namespace capstan::simulation {

struct ScenarioCloud {
    CloudSettings settings{};
    std::vector<Registration> registrations{};
};

/// The groups; one with `zones = ["a", "b"]` becomes ID-a and ID-b. Nothing: there are none. What
/// the plugin's own schema will see is left to it.
std::optional<ScenarioCloud> make_cloud(const runtime::TomlValue& root,
                                        runtime::Diagnostics& diagnostics);

/// What a step's `groups`, `remove_groups` and `change` do, in this order. Groups that are not
/// there are recorded. `cloud` learns what there will be to check; NULL: there are no groups at
/// all.
std::vector<Action> make_cloud_actions(const runtime::TomlValue& step, CloudSettings* cloud,
                                       runtime::Diagnostics& diagnostics);

}  // namespace capstan::simulation
