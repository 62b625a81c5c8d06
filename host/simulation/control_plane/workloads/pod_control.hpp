/// What all controllers of pods do: claim their own, make new ones, take some away.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "simulation/api_server/label_query.hpp"
#include "simulation/control_plane/context/control_context.hpp"
#include "simulation/control_plane/context/reconcile_queue.hpp"

namespace capstan::simulation::control_plane {

/// A controller's object, and what is said about it.
struct Workload {
    const api_server::ResourceKind* kind = nullptr;  ///< never NULL
    api_server::ApiObject object{};                  ///< never NULL
    std::string_view component{};  ///< who speaks in events: "replicaset-controller"
};

/// Adds to the queue whatever of `resource` changes, or has a `dependent` that does: one that it
/// controls, or could adopt.
void watch_workloads(ControlContext& context, std::string_view resource, std::string_view dependent,
                     ReconcileQueue& queue);

api_server::LabelQuery selector_of(const Workload& workload);
/// Those of `resource` that it controls and selects, by name. Adopts pods without a controller, and
/// releases pods that it selects no longer.
std::vector<api_server::ApiObject> claim(ControlContext& context, const Workload& workload,
                                         std::string_view resource);

/// A pod as `spec.template` says, owned by the workload, that will get a name of its own.
json::object make_pod(const Workload& workload);
/// Tells of it, too. NULL: refused.
api_server::ApiObject create_pod(ControlContext& context, const Workload& workload,
                                 json::object pod);
void delete_pod(ControlContext& context, const Workload& workload, const json::object& pod);
void tell(ControlContext& context, const Workload& workload, std::string_view reason,
          std::string message);

/// Writes the status, if it is another than before. NULL: the object is gone.
api_server::ApiObject write_status(ControlContext& context, const Workload& workload,
                                   const std::function<void(json::object& whole)>& change);

/// A short word for equal templates, the same in every run.
std::string template_hash(const json::object& pod_template, std::int64_t collisions);

}  // namespace capstan::simulation::control_plane
