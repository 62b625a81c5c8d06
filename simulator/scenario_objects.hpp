/// Makes pods, DaemonSets, Services and nodes of the Kubernetes API from a scenario's keys, and
/// keys from them.
#pragma once

#include <vector>

#include "config/diagnostics.hpp"
#include "config/validated_settings.hpp"
#include "simulator/input.hpp"
#include "simulator/scenario_keys.hpp"

namespace capstan::simulator {

/// Reports the taints of a list of the file that are not in kubectl's syntax. NULL: there is no
/// list.
void check_taints(const config::SettingValue* list, config::Diagnostics& diagnostics);

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

// The inverse: keys that are read back as an equal value, if the value came from a scenario or was
// drawn for one. What no scenario can say is lost.

keys::Pods keys_of(const PodBatch& batch);
keys::Node keys_of(const engine::snapshot::NodeObject& node);
keys::DaemonSet keys_of(const engine::snapshot::DaemonSetObject& set);
keys::Service keys_of(const engine::snapshot::ServiceObject& service);
std::vector<config::DefaultSpread> keys_of(
    const std::vector<engine::snapshot::DefaultSpread>& spread);

}  // namespace capstan::simulator
