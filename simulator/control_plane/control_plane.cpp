#include "simulator/control_plane/control_plane.hpp"

#include <array>
#include <vector>

#include <boost/assert.hpp>

#include "simulator/control_plane/cluster_controllers.hpp"
#include "simulator/control_plane/context/object_fields.hpp"
#include "simulator/control_plane/nodes/node_controllers.hpp"
#include "simulator/control_plane/scheduling/pod_scheduler.hpp"
#include "simulator/control_plane/workloads/workload_controllers.hpp"

namespace capstan::simulator::control_plane {
namespace {

constexpr std::string_view priority_classes_resource = "priorityclasses.scheduling.k8s.io";

struct Builtin {
    std::string_view name;
    std::int64_t value;
};

constexpr Builtin builtins[] = {{"system-cluster-critical", 2'000'000'000},
                                {"system-node-critical", 2'000'001'000}};

/// Gives a pod that names a PriorityClass the priority and the preemptionPolicy of the class, as
/// the admission of an API server does. [the loop's thread]
class PodPriorities final : public Controller {
public:
    explicit PodPriorities(ControlContext& context) : Controller(context) {
        context.feed().listen("pods", [this](const Change& change) { admit(change); });
    }
    void make_defaults() override {
        for (const Builtin& builtin : builtins)
            context_.create(priority_classes_resource, "",
                            {{"metadata", json::object{{"name", json_view(builtin.name)}}},
                             {"value", builtin.value},
                             {"globalDefault", false}});
    }

private:
    void admit(const Change& change) {
        const std::string_view name = text_at(*change.object, "spec.priorityClassName");
        if (change.type != ChangeType::added || name.empty()) return;
        const ApiObject found = context_.find(priority_classes_resource, object_key("", name));
        if (found == nullptr) return;
        const std::int64_t value = number_or(*found, "value", 0);
        const std::string policy(text_at(*found, "preemptionPolicy"));
        const bool has_policy =
            policy.empty() || text_at(*change.object, "spec.preemptionPolicy") == policy;
        if (has_policy && number_or(*change.object, "spec.priority", 0) == value) return;
        context_.edit("pods", *change.object, [&](json::object& pod) {
            set_value(pod, "spec.priority", value);
            if (!policy.empty()) set_value(pod, "spec.preemptionPolicy", json_view(policy));
        });
    }
};

std::unique_ptr<Controller> make_pod_priorities(ControlContext& context) {
    return std::make_unique<PodPriorities>(context);
}

/// In the order in which their controllers see a change. PodPriorities comes before the scheduler.
constexpr std::array makers{make_namespace_contents,
                            make_node_lifecycle,
                            make_node_health,
                            make_taint_evictions,
                            make_pod_garbage_collector,
                            make_pod_lifecycle,
                            make_pod_priorities,
                            make_volume_claims,
                            make_pod_scheduler,
                            make_replica_sets,
                            make_replication_controllers,
                            make_deployments,
                            make_stateful_sets,
                            make_daemon_sets,
                            make_jobs,
                            make_disruption_controller,
                            make_garbage_collector};

}  // namespace

struct ControlPlane::Parts {
    Parts(api_server::ObjectStore& store, const Options& options) : context(store, options) {
        for (const auto make : makers) controllers.push_back(make(context));
    }

    ControlContext context;
    std::vector<std::unique_ptr<Controller>> controllers;
};

ControlPlane::ControlPlane(api_server::ObjectStore& store, const Options& options) {
    BOOST_ASSERT(options.speed > 0);
    parts_ = std::make_unique<Parts>(store, options);
}

ControlPlane::~ControlPlane() = default;

void ControlPlane::start() {
    for (const auto& controller : parts_->controllers) controller->make_defaults();
    parts_->context.feed().start();
}

}  // namespace capstan::simulator::control_plane
