/// What all controllers of pods do: claim their own, make new ones, take some away.
#pragma once

#include <cstdint>
#include <map>
#include <set>
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
    std::string_view component{};  ///< source of its events: "replicaset-controller"
};

// The ControllerRevisions of StatefulSets and DaemonSets: every template that they had.

inline constexpr std::string_view revision_label = "controller-revision-hash";

/// The revision of the present template, made where there is none; it has the highest number.
/// NULL: refused.
api_server::ApiObject present_revision(ControlContext& context, const Workload& workload);
/// The one of that name; NULL: none.
api_server::ApiObject find_revision(ControlContext& context, const Workload& workload,
                                    std::string_view name);
/// The workload as it was at a revision: with its template.
Workload at_revision(const Workload& workload, const json::object& revision);
/// Removes the eldest beyond spec.revisionHistoryLimit, but none that is in use.
void forget_old_revisions(ControlContext& context, const Workload& workload,
                          const std::set<std::string, std::less<>>& used);

// How large each ReplicaSet of a Deployment is to be next.

struct SetSize {
    std::int64_t wanted = 0;     ///< spec.replicas
    std::int64_t available = 0;  ///< pods of it
    std::int64_t limit = 0;      ///< pods its Deployment could have in all when it was last scaled
};

struct Rollout {
    std::int64_t replicas = 0;         ///< of the Deployment
    std::int64_t max_surge = 0;        ///< pods above that while it rolls
    std::int64_t max_unavailable = 0;  ///< pods below that while it rolls
    SetSize fresh{};                   ///< of the present template
    std::vector<SetSize> old{};        ///< the eldest first
};

/// What each is to want now.
struct SetSizes {
    std::int64_t fresh = 0;
    std::vector<std::int64_t> old{};
    bool operator==(const SetSizes&) const = default;
};

/// The next step of rolling: the new one grows as far as the surge allows; once it is as large as
/// it may be now, old ones shrink as far as enough pods stay available, unhealthy pods first.
SetSizes plan_rolling_step(const Rollout& rollout);
/// The Deployment was scaled while it rolls, or is paused: each set keeps its share.
///     5 and 5 of 10, limit 13  ->  10 and 10 of 20, limit 23... the largest takes what is left
SetSizes plan_scaling(const Rollout& rollout);

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
