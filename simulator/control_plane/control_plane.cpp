#include "simulator/control_plane/control_plane.hpp"

#include <boost/assert.hpp>

#include "simulator/control_plane/context/control_context.hpp"
#include "simulator/control_plane/context/object_fields.hpp"
#include "simulator/control_plane/disruption/disruption_controller.hpp"
#include "simulator/control_plane/garbage_collector.hpp"
#include "simulator/control_plane/nodes/node_health.hpp"
#include "simulator/control_plane/nodes/node_lifecycle.hpp"
#include "simulator/control_plane/nodes/pod_garbage_collector.hpp"
#include "simulator/control_plane/nodes/pod_lifecycle.hpp"
#include "simulator/control_plane/nodes/taint_evictions.hpp"
#include "simulator/control_plane/scheduling/pod_scheduler.hpp"
#include "simulator/control_plane/volume_claims.hpp"
#include "simulator/control_plane/workloads/daemon_sets.hpp"
#include "simulator/control_plane/workloads/deployments.hpp"
#include "simulator/control_plane/workloads/jobs.hpp"
#include "simulator/control_plane/workloads/replica_sets.hpp"
#include "simulator/control_plane/workloads/stateful_sets.hpp"

namespace capstan::simulator::control_plane {

struct ControlPlane::Parts {
    Parts(api_server::ObjectStore& store, const Options& options) : context(store, options) {}

    ControlContext context;
    NamespaceContents namespace_contents{context};
    NodeLifecycle node_lives{context};
    NodeHealth node_health{context};
    TaintEvictions taint_evictions{context};
    PodGarbageCollector lost_pods{context};
    PodLifecycle pod_lives{context};
    VolumeClaims volume_claims{context};
    PodPriorities priorities{context};
    PodScheduler scheduler{context};
    ReplicaSets replica_sets{context, "replicasets.apps", "replicaset-controller"};
    ReplicaSets replication_controllers{context, "replicationcontrollers",
                                        "replication-controller"};
    Deployments deployments{context};
    StatefulSets stateful_sets{context};
    DaemonSets daemon_sets{context};
    Jobs jobs{context};
    DisruptionController disruption_budgets{context};
    GarbageCollector garbage_collector{context};
};

ControlPlane::ControlPlane(api_server::ObjectStore& store, const Options& options) {
    BOOST_ASSERT(options.speed > 0);
    parts_ = std::make_unique<Parts>(store, options);
}

ControlPlane::~ControlPlane() = default;

void ControlPlane::start() {
    parts_->priorities.start();
    parts_->volume_claims.start();
    parts_->context.feed().start();
}

namespace {

constexpr std::string_view priority_classes_resource = "priorityclasses.scheduling.k8s.io";

struct Builtin {
    std::string_view name;
    std::int64_t value;
};

constexpr Builtin builtins[] = {{"system-cluster-critical", 2'000'000'000},
                                {"system-node-critical", 2'000'001'000}};

}  // namespace

PodPriorities::PodPriorities(ControlContext& context) : context_(context) {
    context.feed().listen("pods", [this](const api_server::Change& change) { admit(change); });
}

void PodPriorities::start() {
    for (const Builtin& builtin : builtins)
        context_.create(priority_classes_resource, "",
                        {{"metadata", json::object{{"name", api_server::json_view(builtin.name)}}},
                         {"value", builtin.value},
                         {"globalDefault", false}});
}

void PodPriorities::admit(const api_server::Change& change) {
    const std::string_view name = api_server::text_at(*change.object, "spec.priorityClassName");
    if (change.type != api_server::ChangeType::added || name.empty()) return;
    const api_server::ApiObject found =
        context_.find(priority_classes_resource, api_server::object_key("", name));
    if (found == nullptr) return;
    const std::int64_t value = number_or(*found, "value", 0);
    const std::string policy(api_server::text_at(*found, "preemptionPolicy"));
    const bool has_policy =
        policy.empty() || api_server::text_at(*change.object, "spec.preemptionPolicy") == policy;
    if (has_policy && number_or(*change.object, "spec.priority", 0) == value) return;
    context_.edit("pods", *change.object, [&](json::object& pod) {
        api_server::set_value(pod, "spec.priority", value);
        if (!policy.empty())
            api_server::set_value(pod, "spec.preemptionPolicy", api_server::json_view(policy));
    });
}

}  // namespace capstan::simulator::control_plane
