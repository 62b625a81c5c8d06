/// What a scenario says of happenings, faults and expectations, as the input has them.
#pragma once

#include <functional>
#include <optional>
#include <set>
#include <string>

#include "runtime/config/diagnostics.hpp"
#include "runtime/config/validated_settings.hpp"
#include "simulation/input.hpp"
#include "simulation/scenario_keys.hpp"
#include "simulation/shared_replicas.hpp"

namespace capstan::simulation {

// Each records what no schema sees, at the place of `table`.
Budget make_budget(const keys::Budget& budget, const runtime::config::SettingValue& table,
                   runtime::config::Diagnostics& diagnostics);
SharedReplicas make_shared_replicas(const keys::Balancer& balancer,
                                    const runtime::config::SettingValue& table,
                                    runtime::config::Diagnostics& diagnostics);
Fault make_fault(const keys::Fault& fault, const runtime::config::SettingValue& table,
                 runtime::config::Diagnostics& diagnostics);
NodeEdit make_node_edit(const keys::NodeEdit& edit, const runtime::config::SettingValue& table,
                        runtime::config::Diagnostics& diagnostics);
Registration make_registration(std::string group, const keys::Joining& joining,
                               const runtime::config::SettingValue& table,
                               runtime::config::Diagnostics& diagnostics);

/// What expectations of a story may name.
struct ScenarioNames {
    /// Ids; nothing: groups that are not known beforehand may be made, or come of a configuration.
    std::optional<std::set<std::string, std::less<>>> groups{};
    std::set<std::string, std::less<>> batches{};
};
/// Refuses, each at its place, commands that are none, and names that nothing has, of which nothing
/// could ever come.
void check_expectations(const runtime::config::SettingValue& step, const ScenarioNames& names,
                        runtime::config::Diagnostics& diagnostics);
/// `only`: of the file, where the step says nothing.
Expectations make_expectations(const keys::Expected& expected,
                               const std::vector<keys::Command>& only);
/// Nothing: it ends otherwise.
std::optional<UntilCommand> make_until(const keys::Step& step,
                                       const runtime::config::SettingValue& table,
                                       runtime::config::Diagnostics& diagnostics);

}  // namespace capstan::simulation
