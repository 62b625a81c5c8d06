/// The keys of a scenario for values of an Input: the inverse of scenario_objects.hpp and
/// scenario_events.hpp. Each function gives keys that are read back as an equal value, if the value
/// came from a scenario or was drawn for one; what no scenario can say is lost.
#pragma once

#include <string>
#include <vector>

#include "simulator/input.hpp"
#include "simulator/scenario_keys.hpp"
#include "simulator/shared_replicas.hpp"

namespace capstan::simulator {

keys::Pods keys_of(const PodBatch& batch);
keys::Node keys_of(const engine::snapshot::NodeObject& node);
keys::DaemonSet keys_of(const engine::snapshot::DaemonSetObject& set);
keys::Service keys_of(const engine::snapshot::ServiceObject& service);
keys::Budget keys_of(const Budget& budget);
keys::Balancer keys_of(const SharedReplicas& shared);
keys::NodeEdit keys_of(const NodeEdit& edit);
keys::Joining keys_of(const Registration& registration);
keys::Fault keys_of(const Fault& fault);
keys::Judge keys_of(const Judge& judge);
keys::Expected keys_of(const Expectations& expected);
std::vector<config::DefaultSpread> keys_of(
    const std::vector<engine::snapshot::DefaultSpread>& spread);

}  // namespace capstan::simulator
