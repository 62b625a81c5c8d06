/// Kubernetes JSON as an API server writes it, made as it is read.
#pragma once

#include <string>

namespace capstan::bench {

/// `{"kind":"PodList", ... "items":[`, then pods with a comma between them, then `]}`.
std::string list_head();
/// A pod of ReplicaSet number / 30, with what a real one carries and nobody here reads: managed
/// fields, environment, probes, status. About 7.8 KB.
std::string pod_text(int number);
inline std::string list_tail() { return "]}"; }

}  // namespace capstan::bench
