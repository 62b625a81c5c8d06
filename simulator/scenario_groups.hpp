/// The simulated cloud of a scenario with its groups.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "config/diagnostics.hpp"
#include "config/document.hpp"
#include "simulator/external_events.hpp"
#include "simulator/input.hpp"

namespace capstan::simulator {

// The [cloud], [[group]] and [[machine_type]] tables of a scenario, and the changes that its steps
// make to them, as settings of the simulated cloud.

struct ScenarioCloud {
    CloudSettings settings{};
    std::vector<Registration> registrations{};
};

/// The simulated cloud with its groups. A group with `zones = ["a", "b"]` becomes the groups ID-a
/// and ID-b. Absent: the scenario has neither groups nor machine types. Errors that the schema of
/// the plugin finds are left to it.
std::optional<ScenarioCloud> make_cloud(const config::TomlValue& root,
                                        config::Diagnostics& diagnostics);

/// The groups of all plugins of the configuration in the file: a table with the list `groups`.
config::TomlValue groups_of_plugins(const config::TomlValue& root);

/// Whether a group that the settings do not have is a mistake. It is not if clouds of the
/// configuration may have it.
enum class GroupsKnown { all, some };
/// The actions of a step's `groups`, `remove_groups`, `change` and `cloud`, in this order. A change
/// of an unknown group is reported. New groups and changes also go into `cloud.changed`, so that
/// they are checked.
std::vector<Action> make_cloud_actions(const config::TomlValue& step, CloudSettings& cloud,
                                       GroupsKnown known, config::Diagnostics& diagnostics);

}  // namespace capstan::simulator
