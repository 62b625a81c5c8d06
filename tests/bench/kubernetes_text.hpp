/// Kubernetes JSON as an API server writes it, made as it is read.
#pragma once

#include <string>

namespace capstan::bench {

/// `{"kind":"PodList", ... "items":[`, then pods with a comma between them, then `]}`.
std::string list_head();
/// A pod of ReplicaSet number / 30, with what a real one carries and nothing here reads: managed
/// fields, environment, probes, status. About 7.8 KB.
std::string pod_text(int number);
/// The same pod on another node than number % 15000.
std::string pod_text(int number, int node);
/// A node "node-<number>" of 32 cpus, with its images. About 12 KB.
std::string node_text(int number);
/// ReplicaSet "service-<number>" of 30 pods.
std::string replica_set_text(int number);
inline std::string list_tail() { return "]}"; }

}  // namespace capstan::bench
