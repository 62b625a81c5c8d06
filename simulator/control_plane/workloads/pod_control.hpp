/// Functions that all controllers of pods share: claim, create and delete pods, keep revisions of
/// templates, and plan the sizes of a Deployment's ReplicaSets.
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "simulator/api_server/label_query.hpp"
#include "simulator/control_plane/context/control_context.hpp"
#include "simulator/control_plane/context/reconcile_queue.hpp"

namespace capstan::simulator::control_plane {

/// An object that owns pods, with its kind.
struct Workload {
    const ResourceKind* kind = nullptr;  ///< never NULL
    ApiObject object{};                  ///< never NULL
    std::string_view component{};        ///< source of its Events: "replicaset-controller"
};

// The ControllerRevisions of StatefulSets and DaemonSets: one for each template that they had.

inline constexpr std::string_view revision_label = "controller-revision-hash";

/// The revision of the current template, which gets the highest number; created if there is none.
/// NULL: the store refused a write, or the workload has no template.
ApiObject update_revision_of(ControlContext& context, const Workload& workload);
/// The revision of that name; NULL: there is none.
ApiObject find_revision(ControlContext& context, const Workload& workload, std::string_view name);
/// The workload with the template of a revision.
Workload at_revision(const Workload& workload, const json::object& revision);
/// Deletes the oldest revisions beyond spec.revisionHistoryLimit, except those in `used`.
void delete_old_revisions(ControlContext& context, const Workload& workload,
                          const std::set<std::string, std::less<>>& used);

// The sizes of a Deployment's ReplicaSets.

struct SetSize {
    std::int64_t wanted = 0;     ///< spec.replicas
    std::int64_t available = 0;  ///< status.availableReplicas
    /// The pods that the Deployment could have at most when the ReplicaSet was last scaled.
    std::int64_t limit = 0;
};

struct Rollout {
    std::int64_t replicas = 0;         ///< of the Deployment
    std::int64_t max_surge = 0;        ///< pods above `replicas` during a rollout
    std::int64_t max_unavailable = 0;  ///< pods below `replicas` during a rollout
    SetSize fresh{};                   ///< of the current template
    std::vector<SetSize> old{};        ///< the oldest first
};

/// The new spec.replicas of each ReplicaSet.
struct SetSizes {
    std::int64_t fresh = 0;
    std::vector<std::int64_t> old{};
    bool operator==(const SetSizes&) const = default;
};

/// The next step of a rolling update, which is repeated after each change of the status until the
/// old ReplicaSets are empty. The fresh ReplicaSet grows as far as the surge allows. If it cannot
/// grow now, the old ones shrink as far as enough pods stay available, unavailable pods first. So
/// there are never more pods than the surge allows, and never fewer available ones than required.
SetSizes plan_rolling_step(const Rollout& rollout);
/// The sizes after the Deployment was scaled during a rollout or while it is paused: each
/// ReplicaSet keeps its share, and the largest takes what the rounding leaves.
///     without surge, 6 and 4 of 10  ->  12 and 8 of 20
SetSizes plan_scaling(const Rollout& rollout);

/// Adds an object of `resource` to the queue when the object changes, and when an object of
/// `dependent` changes that it controls or could adopt.
void watch_workloads(ControlContext& context, std::string_view resource, std::string_view dependent,
                     ReconcileQueue& queue);

api_server::LabelQuery selector_of(const Workload& workload);
/// The objects of `resource` that the workload controls and selects, by name. Adopts selected
/// objects without a controller, and releases controlled objects that are not selected.
std::vector<ApiObject> claim(ControlContext& context, const Workload& workload,
                             std::string_view resource);

/// A pod of `spec.template`, owned by the workload, with a generateName.
json::object make_pod(const Workload& workload);
/// Creates a pod, and records an Event. NULL: the store refused.
ApiObject create_pod(ControlContext& context, const Workload& workload, json::object pod);
void delete_pod(ControlContext& context, const Workload& workload, const json::object& pod);
void record_event(ControlContext& context, const Workload& workload, std::string_view reason,
                  std::string message);

/// Writes the status; `change` gets the whole object. NULL: the object does not exist any more.
ApiObject write_status(ControlContext& context, const Workload& workload,
                       const std::function<void(json::object& whole)>& change);

/// A short hash of a template, the same in every run. `collisions` makes another hash if a name
/// with the first one is taken.
std::string template_hash(const json::object& pod_template, std::int64_t collisions);

}  // namespace capstan::simulator::control_plane
