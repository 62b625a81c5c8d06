/// Pods, workloads and Balancers as objects of the Kubernetes API, for plugins.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include <boost/json/object.hpp>

#include <capstan/time.hpp>

#include "simulator/input.hpp"
#include "simulator/shared_replicas.hpp"
#include "simulator/simulated_cluster.hpp"

namespace capstan::simulator {

/// The label by which the selector of a workload matches its pods and no others. The cluster does
/// not know the selectors of Deployments.
inline constexpr const char* workload_label = "simulation.capstan.io/workload";

/// With phase, node, and the conditions PodScheduled and Ready.
boost::json::object make_pod_object(const PodState& pod, Time wall);
/// With replicas and selector; its pod template is empty.
boost::json::object make_workload_object(const WorkloadState& workload);
/// Sets spec.replicas and the status.
void set_replicas(const WorkloadState& workload, boost::json::object& object);

/// A Balancer. `kind_of`: the kind of the object that a target names: "Deployment". `timed` makes
/// its times faster; NULL: they are kept.
boost::json::object make_balancer_object(
    const SharedReplicas& shared, const std::function<std::string(const std::string&)>& kind_of,
    const std::function<Duration(Duration)>& timed = {});
/// Adds the Balancers of a scenario to the objects for plugins.
void add_balancers(const std::vector<SharedReplicas>& balancers, Input& input);
/// Without the members that come from the workloads.
BalancerState read_balancer_state(const boost::json::object& balancer);

}  // namespace capstan::simulator
