/// Ports of the node that a pod takes for itself.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include <capstan/pod.hpp>
#include <capstan/resources.hpp>

#include "engine/snapshot/objects.hpp"
#include "engine/snapshot/pod_spec.hpp"
#include "kubernetes/json_cursor.hpp"

namespace capstan::kubernetes {

/// From a Pod's `spec`: the host ports of its containers and its sidecars, as NodePorts counts
/// them. In the node's own network every port of a container is one; the API server writes that
/// into pods but not into the templates of DaemonSets, so it is done here, too.
std::vector<engine::snapshot::HostPort> decode_host_ports(const JsonCursor& spec);

// What a pod's volumes mean to where it may run.

/// Those that would be lost with their node, by name, ascending: every hostPath, and every emptyDir
/// that is not kept in memory.
std::vector<std::string> decode_local_volumes(const JsonCursor& volumes);

/// The PersistentVolumeClaims by name, in the order of the volumes. A generic ephemeral volume
/// makes one of the name "<pod>-<volume>".
std::vector<std::string> decode_claims(const JsonCursor& volumes, std::string_view pod);

// What a pod says about being near or far from other pods.

/// The required terms of `podAffinity` or `podAntiAffinity`.
std::vector<engine::snapshot::PodTerm> decode_pod_terms(const JsonCursor& affinity);

/// From `spec.topologySpreadConstraints`: those that keep pods off nodes (DoNotSchedule).
std::vector<engine::snapshot::SpreadConstraint> decode_spread(const JsonCursor& constraints);

// What one pod asks of its node, as the scheduler counts it.

/// From a Pod's `spec`: the sum of the containers, or what its init containers need at most when
/// that is more; sidecars (init containers that restart always) stay and are counted beside
/// everything that starts after them. Then requests of the pod as a whole replace cpu, memory and
/// huge pages, and the overhead of its runtime class is added. Sums are exact and rounded up once
/// at the end. A limit without a request counts as the request, which is what the API server writes
/// into every pod.
///     containers 500m + 500m, sidecar 100m, init container 2  ->  2100m, for the sidecar runs
///     beside the init container
Resources decode_pod_requests(const JsonCursor& spec);

/// Whether an init container is a sidecar: one that restarts always, so that it runs as long as the
/// pod does.
bool is_sidecar(const JsonCursor& init_container);

// The `spec` of a Pod, or of a DaemonSet's template.

struct DecodedPodSpec {
    engine::snapshot::PodSpec spec;
    /// False: something could not be read without which the pod would seem to need less than it
    /// does, or to fit where it does not.
    bool is_complete = true;
};

/// What is wrong is complained about and left out. Without that a pod is rather kept off a node
/// than let on it where the two differ: a toleration that cannot be read tolerates nothing, a term
/// of node affinity that cannot be read holds for no node. Where leaving out would do the contrary,
/// the answer says that it is not complete.
DecodedPodSpec decode_pod_spec(const JsonCursor& spec);

// A Pod of the Kubernetes API, as an object and as the class it belongs to.

struct DecodedPod {
    engine::snapshot::PodObject pod;
    /// False: what the pod needs, or what selects it, could not be read in full; to count with what
    /// was read would be to count wrong.
    bool is_complete = true;
};

/// Members that are not known are ignored; what is known and wrong is complained about and left
/// out, so the answer is of use even then. Without a namespace: "default".
DecodedPod decode_pod_object(const JsonCursor& pod);

/// A class with this pod alone (`count` 1).
PodEquivalenceGroup decode_pod(const JsonCursor& pod);

}  // namespace capstan::kubernetes
