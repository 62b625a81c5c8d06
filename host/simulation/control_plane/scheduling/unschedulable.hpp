/// Why a pod runs nowhere, in kube-scheduler's words.
#pragma once

#include <map>
#include <set>
#include <string>

#include "engine/snapshot/cluster.hpp"

namespace capstan::simulation {

/// "0/3 nodes are available: 1 Insufficient cpu, 2 node(s) had untolerated taint {a: b}."
std::map<engine::ClassId, std::string> explain_unschedulable(
    const engine::Cluster& cluster, const std::set<engine::ClassId>& classes);

}  // namespace capstan::simulation
