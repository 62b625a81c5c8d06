/// Decodes pods: requests, ports, volumes, affinity and spread constraints.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include <capstan/pod.hpp>
#include <capstan/resources.hpp>

#include "engine/snapshot/objects.hpp"
#include "engine/snapshot/pod_spec.hpp"
#include "kubernetes/json_cursor.hpp"

namespace capstan::kubernetes::objects {

// Owners.

/// From `metadata.ownerReferences`.
engine::snapshot::PodOwner decode_owner(const JsonCursor& references);

// Host ports.

/// From a Pod's `spec`: the host ports of its containers and its sidecars, as the scheduler's
/// plugin NodePorts counts them. With hostNetwork each container port is a host port. The API
/// server writes that into pods but not into the templates of DaemonSets, so the decoder does it,
/// too.
std::vector<engine::snapshot::HostPort> decode_host_ports(const JsonCursor& spec);

// Volumes.

/// The names, ascending, of the volumes that are lost with their node: each hostPath, and each
/// emptyDir with a medium other than Memory.
std::vector<std::string> decode_local_volumes(const JsonCursor& volumes);

/// The names of the PersistentVolumeClaims, in the order of the volumes. The claim of a generic
/// ephemeral volume is called "<pod>-<volume>".
std::vector<std::string> decode_claims(const JsonCursor& volumes, std::string_view pod);

// Inter-pod affinity and topology spread.

/// The required terms of `podAffinity` or `podAntiAffinity`.
std::vector<engine::snapshot::PodTerm> decode_pod_terms(const JsonCursor& affinity);

/// The DoNotSchedule constraints of `spec.topologySpreadConstraints`.
std::vector<engine::snapshot::SpreadConstraint> decode_spread(const JsonCursor& constraints);

// Requests, as the scheduler counts them.

/// From a Pod's `spec`. The requests are, per resource, the larger one of two amounts: the sum over
/// all containers and sidecars, and the peak while the init containers run one after the other. A
/// sidecar (an init container with restartPolicy Always) keeps running, so its request counts
/// next to each init container after it. Then the pod-level requests replace cpu, memory and huge
/// pages, and the overhead of the runtime class is added. Sums are exact and rounded up once at the
/// end. A limit without a request counts as the request, because the API server writes that into
/// each pod.
///     containers 500m + 500m, sidecar 100m, init container 2
///     ->  2100m: the sidecar runs next to the init container
Resources decode_pod_requests(const JsonCursor& spec);

/// Whether an init container is a sidecar: its restartPolicy is Always, and it runs as long as the
/// pod.
bool is_sidecar(const JsonCursor& init_container);

// The `spec` of a Pod, or of a DaemonSet's template.

struct DecodedPodSpec {
    engine::snapshot::PodSpec spec;
    /// False: a malformed part was left out, and without this part the pod seems to need less than
    /// it does, or to fit on nodes where it does not.
    bool is_complete = true;
};

/// A malformed part is a problem and is left out. Where possible this errs towards keeping the pod
/// off nodes: a malformed toleration tolerates nothing, and a malformed term of node affinity
/// matches no node. If the pod would fit on more nodes without the part, `is_complete` is false.
DecodedPodSpec decode_pod_spec(const JsonCursor& spec);

// A Pod of the Kubernetes API, as an object and as the pod equivalence group it belongs to.

struct DecodedPod {
    engine::snapshot::PodObject pod;
    /// False: the pod's needs, or the labels and names that selectors match, could not be read in
    /// full, so a decision must not use the pod.
    bool is_complete = true;
};

/// Unknown members are ignored. A malformed member is a problem and is left out; the pod is
/// returned all the same. A missing namespace is "default".
DecodedPod decode_pod_object(const JsonCursor& pod);

/// A group with this pod alone (`count` 1).
PodEquivalenceGroup decode_pod(const JsonCursor& pod);

}  // namespace capstan::kubernetes::objects
