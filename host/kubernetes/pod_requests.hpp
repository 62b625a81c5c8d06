/// What one pod asks of its node, as the scheduler counts it.
#pragma once

#include <capstan/resources.hpp>

#include "kubernetes/json_place.hpp"

namespace capstan::kubernetes {

/// From a Pod's `spec`: the sum of the containers, or what its init containers need at most when
/// that is more; sidecars (init containers that restart always) stay and are counted beside
/// everything that starts after them. Then requests of the pod as a whole replace cpu, memory and
/// huge pages, and the overhead of its runtime class is added. Sums are exact and rounded up once
/// at the end. A limit without a request counts as the request, which is what the API server writes
/// into every pod.
///     containers 500m + 500m, sidecar 100m, init container 2  ->  2100m, for the sidecar runs
///     beside the init container
Resources decode_pod_requests(const JsonPlace& spec);

/// Whether an init container is a sidecar: one that restarts always, so that it runs as long as the
/// pod does.
bool is_sidecar(const JsonPlace& init_container);

}  // namespace capstan::kubernetes
