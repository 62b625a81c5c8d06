/// What a scenario says of pods and nodes, as objects of the Kubernetes API.
#pragma once

#include <vector>

#include "runtime/config/diagnostics.hpp"
#include "runtime/config/validated_settings.hpp"
#include "simulation/input.hpp"
#include "simulation/scenario_keys.hpp"

namespace capstan::simulation {

/// As kubectl writes them; `list`: where they stand, never NULL unless there are none.
std::vector<Taint> read_taints(const std::vector<std::string>& given,
                               const runtime::config::SettingValue* list,
                               runtime::config::Diagnostics& diagnostics);

/// Each records what no schema sees, at the place of `table`: a missing name, a taint that is none.
PodBatch make_batch(const keys::Pods& pods, const runtime::config::SettingValue& table,
                    runtime::config::Diagnostics& diagnostics);
engine::snapshot::DaemonSetObject make_daemon_set(const keys::DaemonSet& set,
                                                  const runtime::config::SettingValue& table,
                                                  runtime::config::Diagnostics& diagnostics);
engine::snapshot::ServiceObject make_service(const keys::Service& service,
                                             const runtime::config::SettingValue& table,
                                             runtime::config::Diagnostics& diagnostics);
/// "zone" and "hostname" stand for Kubernetes' own keys.
std::vector<engine::snapshot::DefaultSpread> make_scheduler_spread(
    const std::vector<runtime::config::DefaultSpread>& given);
/// One object a node; NAME-1, NAME-2, ... where there is a count.
std::vector<engine::snapshot::NodeObject> make_nodes(const keys::Node& node,
                                                     const runtime::config::SettingValue& table,
                                                     runtime::config::Diagnostics& diagnostics);

}  // namespace capstan::simulation
