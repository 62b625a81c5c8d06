/// Objects of the Kubernetes API, described.
#pragma once

#include "engine/snapshot/objects.hpp"
#include "runtime/record/described_nouns.hpp"

namespace capstan::engine {

BOOST_DESCRIBE_ENUM(PodPhase, pending, running, succeeded, failed, unknown)

BOOST_DESCRIBE_STRUCT(HostPort, (), (ip, protocol, port))
BOOST_DESCRIBE_STRUCT(PodTerm, (),
                      (selector, namespaces, namespace_selector, topology_key, match_label_keys,
                       mismatch_label_keys))
BOOST_DESCRIBE_STRUCT(SpreadConstraint, (),
                      (max_skew, topology_key, selector, min_domains, honor_affinity, honor_taints,
                       match_label_keys))
BOOST_DESCRIBE_STRUCT(PodSpec, (),
                      (requests, node_selector, affinity_required, affinity_preferred, tolerations,
                       pod_affinity, pod_anti_affinity, spread, has_soft_spread, ports, priority,
                       priority_class, scheduler, uses_resource_claims, uses_local_storage,
                       local_volumes, termination_grace))
BOOST_DESCRIBE_STRUCT(PodOwner, (), (kind, api_group, name, uid, job_among_owners))

BOOST_DESCRIBE_STRUCT(NodeObject, (),
                      (name, provider_id, labels, annotations, taints, capacity, allocatable,
                       unschedulable, ready, ready_since, suspended, created))
BOOST_DESCRIBE_STRUCT(DaemonSetObject, (), (ns, name, uid, spec, labels, annotations))
BOOST_DESCRIBE_STRUCT(DisruptionBudgetObject, (),
                      (ns, name, selector, disruptions_allowed, is_observed))
BOOST_DESCRIBE_STRUCT(ControllerObject, (), (kind, ns, name, uid, replicas, selector))
BOOST_DESCRIBE_STRUCT(ClaimObject, (),
                      (ns, name, volume, storage_class, selected_node, requested_bytes,
                       access_modes, block, selector))
BOOST_DESCRIBE_STRUCT(VolumeObject, (),
                      (name, node_affinity, labels, storage_class, driver, handle, capacity_bytes,
                       access_modes, claim_ns, claim_name, block))
BOOST_DESCRIBE_STRUCT(StorageClassObject, (),
                      (name, provisioner, waits_for_consumer, allowed_topologies))
BOOST_DESCRIBE_STRUCT(CsiNodeObject, (), (name, limits))
BOOST_DESCRIBE_STRUCT(CsiDriverObject, (), (name, storage_capacity))
BOOST_DESCRIBE_STRUCT(CsiCapacityObject, (), (ns, name, storage_class, topology, capacity_bytes))
BOOST_DESCRIBE_STRUCT(NamespaceObject, (), (name, labels))
BOOST_DESCRIBE_STRUCT(ServiceObject, (), (ns, name, selector))

}  // namespace capstan::engine
