/// What a scenario speaks of as objects of the API, the way kubectl would apply them.
#pragma once

#include <string>

#include <boost/json/object.hpp>

#include "engine/snapshot/objects.hpp"
#include "simulation/external_events.hpp"

namespace capstan::simulation::live {

/// An object and where it goes.
struct Manifest {
    std::string resource{};  ///< "pods", "deployments.apps"
    std::string ns{};        ///< empty: has none
    boost::json::object object{};
};

/// Ready from the start, as one that has been there for long.
Manifest make_manifest(const engine::snapshot::NodeObject& node);
Manifest make_manifest(const engine::snapshot::DaemonSetObject& set);
Manifest make_manifest(const Budget& budget);
Manifest make_manifest(const engine::snapshot::ServiceObject& service);
/// The Deployment, StatefulSet or Job that looks after the pods. Pods that end by themselves are a
/// Job's; pods without a controller are no manifest, but many: `make_pod`.
Manifest make_manifest(const PodBatch& batch);
Manifest make_pod(const PodBatch& batch, const std::string& name);

/// The controller of the pods: "deployments.apps", "statefulsets.apps", "jobs.batch"; empty: none.
std::string workload_of(const PodBatch& batch);

}  // namespace capstan::simulation::live
