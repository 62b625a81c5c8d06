/// Checks the budgets, Balancers, faults, node changes and expectations of a scenario.
#pragma once

#include <functional>
#include <optional>
#include <set>
#include <string>

#include "config/diagnostics.hpp"
#include "config/validated_settings.hpp"
#include "simulator/input.hpp"
#include "simulator/scenario_keys.hpp"
#include "simulator/shared_replicas.hpp"

namespace capstan::simulator {

// Each of these functions returns the value, and reports the errors that no schema finds, at the
// place of `table`.
Budget checked_budget(const Budget& budget, const config::SettingValue& table,
                      config::Diagnostics& diagnostics);
SharedReplicas checked_balancer(const SharedReplicas& balancer, const config::SettingValue& table,
                                config::Diagnostics& diagnostics);
Fault checked_fault(const Fault& fault, const config::SettingValue& table,
                    config::Diagnostics& diagnostics);
NodeEdit checked_node_edit(const NodeEdit& edit, const config::SettingValue& table,
                           config::Diagnostics& diagnostics);

/// The names that a scenario's expectations may use.
struct ScenarioNames {
    /// Ids of groups; absent: any id is allowed, since groups that are not known beforehand may be
    /// made, or come from a configuration.
    std::optional<std::set<std::string, std::less<>>> groups{};
    std::set<std::string, std::less<>> batches{};
};
/// Reports, each at its place, expected commands that are not valid, and names that no group or
/// batch of the scenario has: no run could meet such an expectation.
void check_expectations(const config::SettingValue& step, const ScenarioNames& names,
                        config::Diagnostics& diagnostics);
/// Absent: the step does not end with a command.
std::optional<UntilCommand> make_until(const keys::Step& step, const config::SettingValue& table,
                                       config::Diagnostics& diagnostics);

}  // namespace capstan::simulator
