/// The nodes, workloads and other objects of a scenario as manifests, as kubectl would apply them.
#pragma once

#include <string>
#include <string_view>

#include <boost/json/object.hpp>

#include "engine/snapshot/objects.hpp"
#include "simulator/external_events.hpp"

namespace capstan::simulator::live {

struct Manifest {
    std::string resource{};  ///< "pods", "deployments.apps"
    std::string ns{};        ///< empty: the object is not namespaced
    boost::json::object object{};
};

inline constexpr std::string_view balancers_resource = "balancers.balancer.x-k8s.io";

/// The node is ready from the start.
Manifest make_manifest(const engine::snapshot::NodeObject& node);
Manifest make_manifest(const engine::snapshot::DaemonSetObject& set);
Manifest make_manifest(const Budget& budget);
Manifest make_manifest(const engine::snapshot::ServiceObject& service);
/// The Deployment, StatefulSet or Job of the batch's pods; pods that end by themselves belong to a
/// Job. For a batch without a controller make_pod() makes one manifest for each pod.
Manifest make_manifest(const PodBatch& batch);
Manifest make_pod(const PodBatch& batch, const std::string& name);

/// The resource of the batch's controller: "deployments.apps", "statefulsets.apps" or "jobs.batch";
/// empty: the batch has no controller.
std::string workload_of(const PodBatch& batch);

}  // namespace capstan::simulator::live
