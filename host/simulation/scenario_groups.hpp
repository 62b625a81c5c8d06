/// The bounds of a scenario's budgets: 3, or "50%".
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "runtime/config/diagnostics.hpp"
#include "runtime/config/document.hpp"
#include "runtime/config/validated_settings.hpp"
#include "simulation/external_events.hpp"
#include "simulation/input.hpp"

namespace capstan::simulation {

/// A key of a file has one type, and these have two, as in Kubernetes: whole numbers become text,
/// before a schema looks at them.
void turn_shares_into_text(runtime::config::TomlValue& scenario);

/// What `table` says under `key`; what is no share is recorded at its place. Nothing: `said` is, or
/// it was refused.
std::optional<PodShare> read_share(const std::optional<std::string>& said, const char* key,
                                   const runtime::config::SettingValue& table,
                                   runtime::config::Diagnostics& diagnostics);

// The [cloud] and [[group]] tables of a scenario, and what steps change of them, for the simulated
// cloud.

struct ScenarioCloud {
    CloudSettings settings{};
    std::vector<Registration> registrations{};
};

/// The groups; one with `zones = ["a", "b"]` becomes ID-a and ID-b. Nothing: there are none. What
/// the plugin's own schema will see is left to it.
std::optional<ScenarioCloud> make_cloud(const runtime::config::TomlValue& root,
                                        runtime::config::Diagnostics& diagnostics);

/// What a step's `groups`, `remove_groups` and `change` do, in this order. Groups that are not
/// there are recorded. `cloud` learns what there will be to check; NULL: there are no groups at
/// all.
std::vector<Action> make_cloud_actions(const runtime::config::TomlValue& step, CloudSettings* cloud,
                                       runtime::config::Diagnostics& diagnostics);

}  // namespace capstan::simulation
