/// Makes pods, DaemonSets, Services and nodes of the Kubernetes API from a scenario's keys.
#pragma once

#include <vector>

#include "config/diagnostics.hpp"
#include "config/validated_settings.hpp"
#include "simulator/input.hpp"
#include "simulator/scenario_keys.hpp"

namespace capstan::simulator {

/// Taints in kubectl's syntax. `list`: their places in the file, for diagnostics; NULL only if
/// `given` is empty.
std::vector<Taint> read_taints(const std::vector<std::string>& given,
                               const config::SettingValue* list, config::Diagnostics& diagnostics);

// Each of the functions with a `table` reports the errors that no schema finds, at the place of
// `table`: a missing name, a taint that is none.

PodBatch make_batch(const keys::Pods& pods, const config::SettingValue& table,
                    config::Diagnostics& diagnostics);
engine::snapshot::DaemonSetObject make_daemon_set(const keys::DaemonSet& set,
                                                  const config::SettingValue& table,
                                                  config::Diagnostics& diagnostics);
engine::snapshot::ServiceObject make_service(const keys::Service& service,
                                             const config::SettingValue& table,
                                             config::Diagnostics& diagnostics);
/// The topology keys "zone" and "hostname" become Kubernetes' own labels.
std::vector<engine::snapshot::DefaultSpread> make_scheduler_spread(
    const std::vector<config::DefaultSpread>& given);
/// One object for each node. If there is a count, the nodes are named NAME-1, NAME-2, ...
std::vector<engine::snapshot::NodeObject> make_nodes(const keys::Node& node,
                                                     const config::SettingValue& table,
                                                     config::Diagnostics& diagnostics);

}  // namespace capstan::simulator
