/// Two things that failed activities as a group's health, and templates of the cloud, rely on; as
/// Zalando's document asks operators to check them before.
///
/// A group that is backed off at once sends its pods to others, by what their templates say. So
/// labels and taints of nodes have to be in the group's tags, and the containers of DaemonSets need
/// requests, or a new node is taken for another than it is.
#pragma once

#include <string>
#include <vector>

#include <capstan/host.hpp>
#include <capstan/json.hpp>
#include <capstan/node_template.hpp>
#include <capstan/task.hpp>

namespace capstan::aws {

/// A group with its machines.
struct CheckedGroup {
    std::string name{};
    NodeTemplate node{};                      ///< what tags and launch template say
    std::vector<std::string> provider_ids{};  ///< of its machines
};

/// What all nodes of a group carry and its template does not: a sentence for each group. Labels of
/// Kubernetes, of clouds and of autoscalers are left out, and so are taints that come and go.
std::vector<std::string> find_untold_marks(const std::vector<Json>& nodes,
                                           const std::vector<CheckedGroup>& groups);

/// Containers that request no cpu or no memory, limits counting as requests: a sentence for each
/// DaemonSet.
std::vector<std::string> find_missing_requests(const std::vector<Json>& daemon_sets);

/// [strand] Both, of the cluster as it is. What the host does not grant (`nodes:list`,
/// `daemonsets.apps:list`) is a sentence that begins with "not checked".
Task<std::vector<std::string>> check_cluster(Host host, std::vector<CheckedGroup> groups);

}  // namespace capstan::aws
