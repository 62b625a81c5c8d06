#include "simulator/control_plane/workloads/workload_controllers.hpp"

#include <algorithm>
#include <charconv>

#include "simulator/control_plane/context/object_fields.hpp"
#include "simulator/control_plane/workloads/deployment_sets.hpp"

namespace capstan::simulator::control_plane {
namespace {

/// The number in an annotation; -1: there is none.
std::int64_t annotated_number(const json::object& set, std::string_view annotation) {
    const std::string_view written = annotation_of(set, annotation);
    std::int64_t out = -1;
    std::from_chars(written.data(), written.data() + written.size(), out);
    return out;
}

bool recreates(const json::object& deployment) {
    return text_at(deployment, "spec.strategy.type") == "Recreate";
}

SetSize set_size(const ApiObject& set) {
    if (set == nullptr) return {};
    return {.wanted = number_or(*set, "spec.replicas", 0),
            .available = number_or(*set, "status.availableReplicas", 0),
            .limit = annotated_number(*set, limit_annotation)};
}

Rollout rollout_of(const json::object& deployment, const DeploymentSets& sets) {
    Rollout out{.replicas = number_or(deployment, "spec.replicas", 1)};
    const auto portion = [&](std::string_view path, Rounding rounding) {
        return recreates(deployment)
                   ? 0
                   : portion_at(deployment, path, out.replicas, rounding).value_or(0);
    };
    out.max_surge = portion("spec.strategy.rollingUpdate.maxSurge", Rounding::up);
    out.max_unavailable = std::min(
        portion("spec.strategy.rollingUpdate.maxUnavailable", Rounding::down), out.replicas);
    // Both may round to zero, and then no step would be possible.
    if (out.max_surge == 0 && out.max_unavailable == 0) out.max_unavailable = 1;
    out.fresh = set_size(sets.fresh);
    for (const ApiObject& set : sets.old) out.old.push_back(set_size(set));
    return out;
}

std::int64_t limit_of(const Rollout& rollout) { return rollout.replicas + rollout.max_surge; }

/// Whether a ReplicaSet with pods was last scaled for another number of replicas.
bool was_scaled(const DeploymentSets& sets, std::int64_t replicas) {
    return std::ranges::any_of(sets.all(), [&](const ApiObject& set) {
        const std::int64_t before = annotated_number(*set, desired_annotation);
        return number_or(*set, "spec.replicas", 0) > 0 && before >= 0 && before != replicas;
    });
}

std::size_t sets_with_pods(const DeploymentSets& sets) {
    return static_cast<std::size_t>(std::ranges::count_if(
        sets.all(), [](const ApiObject& set) { return number_or(*set, "spec.replicas", 0) > 0; }));
}

/// The sizes after the Deployment was scaled. Outside a rollout the only ReplicaSet with pods gets
/// all replicas.
SetSizes scaled_sizes(const DeploymentSets& sets, const Rollout& rollout) {
    if (sets_with_pods(sets) > 1) return plan_scaling(rollout);
    SetSizes out{.fresh = rollout.fresh.wanted};
    for (const SetSize& set : rollout.old) out.old.push_back(set.wanted > 0 ? rollout.replicas : 0);
    if (rollout.fresh.wanted > 0) out.fresh = rollout.replicas;
    return out;
}

class Deployments final : public QueuedController {
public:
    explicit Deployments(ControlContext& context) : QueuedController(context) {
        watch_workloads(context, "deployments.apps", "replicasets.apps", queue_);
        // The strategy Recreate waits until old pods are gone, not only until ReplicaSets want
        // none.
        context.feed().listen("pods", [this](const Change& change) {
            if (change.type != ChangeType::deleted && !has_ended(*change.object)) return;
            const json::object* controller = find_controller(*change.object);
            if (controller == nullptr || text_at(*controller, "kind") != "ReplicaSet") return;
            const std::string_view space = namespace_of(*change.object);
            const ApiObject set =
                context_.find("replicasets.apps", object_key(space, text_at(*controller, "name")));
            const json::object* above = set == nullptr ? nullptr : find_controller(*set);
            if (above != nullptr) queue_.add(object_key(space, text_at(*above, "name")));
        });
    }

private:
    void reconcile(const std::string& key) override {
        Workload deployment{&context_.kind("deployments.apps"),
                            context_.find("deployments.apps", key), "deployment-controller"};
        if (deployment.object == nullptr ||
            find_object(*deployment.object, "spec.selector") == nullptr)
            return;
        DeploymentSets sets = sets_of(context_, deployment);
        if (!is_terminating(*deployment.object)) {
            if (sets.fresh != nullptr) set_revision(context_, deployment, sets);
            const Rollout rollout = rollout_of(*deployment.object, sets);
            if (is_true_at(*deployment.object, "spec.paused") ||
                was_scaled(sets, rollout.replicas)) {
                apply(deployment, sets, rollout, scaled_sizes(sets, rollout));
            } else if (recreates(*deployment.object)) {
                recreate(deployment, sets, rollout);
            } else {
                roll(deployment, sets, rollout);
            }
            delete_old_sets(context_, deployment, sets);
        }
        deployment.object = context_.find("deployments.apps", key);
        if (deployment.object == nullptr) return;
        const Rollout rollout = rollout_of(*deployment.object, sets);
        const auto again =
            write_deployment_status(context_, deployment, sets_of(context_, deployment),
                                    rollout.replicas - rollout.max_unavailable);
        if (again && *again > Duration::zero()) queue_.add_after(key, *again);
    }

    void roll(const Workload& deployment, DeploymentSets& sets, const Rollout& rollout) {
        const SetSizes sizes = plan_rolling_step(rollout);
        if (sets.fresh == nullptr) {
            sets.fresh = make_set(context_, deployment, sets, sizes.fresh, limit_of(rollout));
            if (sets.fresh == nullptr) return;
            set_revision(context_, deployment, sets);
            record_event(context_, deployment, "ScalingReplicaSet",
                         "Scaled up replica set " + std::string(name_of(*sets.fresh)) +
                             " from 0 to " + std::to_string(sizes.fresh));
            return;
        }
        apply(deployment, sets, rollout, sizes);
    }

    /// Strategy Recreate: makes the first new pod after all old pods are gone.
    void recreate(const Workload& deployment, DeploymentSets& sets, Rollout rollout) {
        SetSizes none{.fresh = rollout.fresh.wanted,
                      .old = std::vector<std::int64_t>(sets.old.size(), 0)};
        apply(deployment, sets, rollout, none);
        if (has_old_pods(sets)) return;
        for (SetSize& set : rollout.old) set.wanted = 0;
        roll(deployment, sets, rollout);
    }

    bool has_old_pods(const DeploymentSets& sets) const {
        return std::ranges::any_of(sets.old, [&](const ApiObject& set) {
            const auto pods = context_.index().controlled_by(uid_of(*set), "pods");
            return std::ranges::any_of(pods, [](const ApiObject& pod) { return !has_ended(*pod); });
        });
    }

    void apply(const Workload& deployment, DeploymentSets& sets, const Rollout& rollout,
               const SetSizes& sizes) {
        const std::int64_t limit = limit_of(rollout);
        for (std::size_t i = 0; i < sets.old.size(); ++i)
            sets.old[i] = scale_set(deployment, sets.old[i], sizes.old[i], limit);
        if (sets.fresh != nullptr)
            sets.fresh = scale_set(deployment, sets.fresh, sizes.fresh, limit);
        std::erase(sets.old, nullptr);
    }

    ApiObject scale_set(const Workload& deployment, const ApiObject& set, std::int64_t replicas,
                        std::int64_t limit) {
        const std::int64_t before = number_or(*set, "spec.replicas", 0);
        const std::string desired =
            std::to_string(number_or(*deployment.object, "spec.replicas", 1));
        const bool is_annotated = annotation_of(*set, desired_annotation) == desired &&
                                  annotated_number(*set, limit_annotation) == limit;
        if (before == replicas && (is_annotated || replicas == 0)) return set;
        if (before != replicas)
            record_event(context_, deployment, "ScalingReplicaSet",
                         "Scaled " + std::string(replicas > before ? "up" : "down") +
                             " replica set " + std::string(name_of(*set)) + " from " +
                             std::to_string(before) + " to " + std::to_string(replicas));
        return context_.edit("replicasets.apps", *set, [&](json::object& fresh) {
            set_value(fresh, "spec.replicas", replicas);
            set_annotation(fresh, desired_annotation, desired);
            set_annotation(fresh, limit_annotation, std::to_string(limit));
        });
    }
};

}  // namespace

std::unique_ptr<Controller> make_deployments(ControlContext& context) {
    return std::make_unique<Deployments>(context);
}

}  // namespace capstan::simulator::control_plane
