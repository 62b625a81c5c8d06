/// The pods that DaemonSets run on nodes, as their controller makes them.
#pragma once

#include <optional>
#include <string>

#include <capstan/resources.hpp>

#include "engine/snapshot/objects.hpp"

namespace capstan::autoscaler::dump {

/// A pod of the DaemonSet, under its name and without a node.
engine::snapshot::PodObject pod_of(const engine::snapshot::DaemonSetObject& set);

/// Whether both pods are of one DaemonSet; to be asked if one of them is.
bool is_of_one_daemon_set(const engine::snapshot::PodObject& a,
                          const engine::snapshot::PodObject& b);

/// Whether the node takes the pod of a DaemonSet. `requested`: by the pods on the node.
bool runs_on(const engine::snapshot::PodObject& daemon, const engine::snapshot::NodeObject& node,
             const Resources& requested);

/// The node that a DaemonSet's pod is made for; absent: the pod is of no DaemonSet, or names no
/// node.
std::optional<std::string> node_of_daemon(const engine::snapshot::PodObject& pod);

}  // namespace capstan::autoscaler::dump
