/// Generates Kubernetes JSON as an API server writes it.
#pragma once

#include <string>

namespace capstan::bench {

/// The beginning of a list: `{"kind":"PodList", ... "items":[`. Items follow, separated by commas,
/// then list_tail().
std::string list_head();
/// A pod of ReplicaSet number / 30 on node number % 15000. It also has members of a real pod that
/// no decision reads: managed fields, environment, probes, status. About 7.8 KB.
std::string pod_text(int number);
/// The same pod on the given node.
std::string pod_text(int number, int node);
/// Node "node-<number>" with 32 CPUs and a list of images. About 12 KB.
std::string node_text(int number);
/// ReplicaSet "service-<number>" of 30 pods.
std::string replica_set_text(int number);
inline std::string list_tail() { return "]}"; }

}  // namespace capstan::bench
