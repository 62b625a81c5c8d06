/// Labels, taints, extended resources and the number of pods that kube-env gives a node.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include <capstan/labels.hpp>
#include <capstan/resources.hpp>
#include <capstan/taints.hpp>

#include "kube_env.hpp"

namespace capstan::gce {

/// `node_labels` of AUTOSCALER_ENV_VARS, or NODE_LABELS. An invalid label is left out with a
/// warning.
Labels read_node_labels(const KubeEnv& env, std::vector<std::string>& warnings);
/// `node_taints`, or NODE_TAINTS: "dedicated=ml:NoSchedule,gpu=present:NoExecute". An invalid taint
/// is left out with a warning.
std::vector<Taint> read_node_taints(const KubeEnv& env, std::vector<std::string>& warnings);
/// `extended_resources`, and labels with the prefix "clusterautoscaler-nodetemplate-resources.", as
/// upstream does.
Resources read_extended_resources(const KubeEnv& env, const Labels& labels,
                                  std::vector<std::string>& warnings);
/// MAX_PODS_PER_NODE of kube-env, or kubelet's argument --max-pods; absent if neither is set.
std::optional<int> find_max_pods(const KubeEnv& env);

}  // namespace capstan::gce
