#include "simulator/control_plane/workloads/workload_controllers.hpp"

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include <capstan/time_text.hpp>

#include "simulator/control_plane/context/object_fields.hpp"
#include "simulator/control_plane/workloads/pod_control.hpp"

namespace capstan::simulator::control_plane {
namespace {

constexpr std::string_view revision_annotation = "deployment.kubernetes.io/revision";
/// Annotations of a ReplicaSet: the replicas of its Deployment when the ReplicaSet was last scaled,
/// and the pods that the Deployment could have at most then.
constexpr std::string_view desired_annotation = "deployment.kubernetes.io/desired-replicas";
constexpr std::string_view limit_annotation = "deployment.kubernetes.io/max-replicas";
constexpr std::string_view hash_label = "pod-template-hash";
constexpr std::string_view applied_annotation = "kubectl.kubernetes.io/last-applied-configuration";

struct DeploymentSets {
    ApiObject fresh{};             ///< of the current template; NULL: none yet
    std::vector<ApiObject> old{};  ///< the oldest first

    /// The old ReplicaSets, then the fresh one if there is one.
    std::vector<ApiObject> all() const {
        std::vector<ApiObject> out = old;
        if (fresh != nullptr) out.push_back(fresh);
        return out;
    }
};

// The ReplicaSets of a Deployment, one for each template that it had.

/// The pod template without the label that a Deployment adds to those of its ReplicaSets.
json::object plain_template(const json::object& object) {
    const json::object* found = find_object(object, "spec.template");
    if (found == nullptr) return {};
    json::object out = *found;
    if (json::value* labels = make_object(out, "metadata").if_contains("labels"))
        if (labels->is_object()) labels->get_object().erase(json_view(hash_label));
    return out;
}

/// The number in an annotation; `otherwise` if there is none.
std::int64_t annotated_number(const json::object& set, std::string_view annotation,
                              std::int64_t otherwise = -1) {
    const std::string_view written = annotation_of(set, annotation);
    std::from_chars(written.data(), written.data() + written.size(), otherwise);
    return otherwise;
}

std::int64_t revision_of(const json::object& set) {
    return annotated_number(set, revision_annotation, 0);
}

/// Order by age; ReplicaSets that were created in the same second are ordered by revision.
bool is_older(const ApiObject& a, const ApiObject& b) {
    const auto age = [](const json::object& set) {
        return std::tuple(text_at(set, "metadata.creationTimestamp"), revision_of(set),
                          name_of(set));
    };
    return age(*a) < age(*b);
}

std::int64_t next_revision(const DeploymentSets& sets) {
    std::int64_t out = 0;
    for (const ApiObject& set : sets.old) out = std::max(out, revision_of(*set));
    return out + 1;
}

/// Copies the annotations of the Deployment's author, such as "kubernetes.io/change-cause".
void copy_annotations(const json::object& deployment, json::object& set) {
    const json::object* from = find_object(deployment, "metadata.annotations");
    if (from == nullptr) return;
    for (const auto& [key, value] : *from)
        if (api_server::view(key) != applied_annotation &&
            !api_server::view(key).starts_with("deployment.kubernetes.io/"))
            make_object(make_object(set, "metadata"), "annotations")[key] = value;
}

json::object with_hash(const json::object& labels, std::string_view hash) {
    json::object out = labels;
    out[json_view(hash_label)] = json_view(hash);
    return out;
}

/// The hash of a template, such that no ReplicaSet has the name with that hash yet.
std::string free_hash(ControlContext& context, const json::object& deployment,
                      const json::object& plain) {
    const std::string name(name_of(deployment));
    for (std::int64_t collisions = 0;; ++collisions) {
        const std::string hash = template_hash(plain, collisions);
        if (context.find("replicasets.apps",
                         object_key(namespace_of(deployment), name + "-" + hash)) == nullptr)
            return hash;
    }
}

/// Claims the ReplicaSets that the Deployment selects, and returns them.
DeploymentSets sets_of(ControlContext& context, const Workload& deployment) {
    DeploymentSets out;
    const json::object plain = plain_template(*deployment.object);
    out.old = claim(context, deployment, "replicasets.apps");
    std::ranges::sort(out.old, is_older);
    const auto found = std::ranges::find_if(
        out.old, [&](const ApiObject& set) { return plain_template(*set) == plain; });
    if (found == out.old.end()) return out;
    out.fresh = *found;
    out.old.erase(found);
    return out;
}

/// Gives the fresh ReplicaSet the highest revision, and writes the revision into the Deployment.
void set_revision(ControlContext& context, const Workload& deployment, DeploymentSets& sets) {
    const std::int64_t revision = std::max(revision_of(*sets.fresh), next_revision(sets));
    const auto set = [&](json::object& fresh) {
        set_annotation(fresh, revision_annotation, std::to_string(revision));
    };
    sets.fresh = context.edit("replicasets.apps", *sets.fresh, [&](json::object& fresh) {
        copy_annotations(*deployment.object, fresh);
        set(fresh);
    });
    context.edit("deployments.apps", *deployment.object, set);
}

/// Creates the ReplicaSet of the current template with that many replicas. NULL: the store refused.
ApiObject make_set(ControlContext& context, const Workload& deployment, const DeploymentSets& sets,
                   std::int64_t replicas, std::int64_t limit) {
    const json::object& object = *deployment.object;
    json::object pod_template = plain_template(object);
    const std::string hash = free_hash(context, object, pod_template);
    json::object& labels = make_object(make_object(pod_template, "metadata"), "labels");
    labels[json_view(hash_label)] = hash;
    json::object selector = *find_object(object, "spec.selector");
    selector["matchLabels"] = with_hash(make_object(selector, "matchLabels"), hash);
    json::object set{
        {"metadata",
         json::object{{"name", std::string(name_of(object)) + "-" + hash}, {"labels", labels}}},
        {"spec", json::object{{"replicas", replicas},
                              {"minReadySeconds", number_or(object, "spec.minReadySeconds", 0)},
                              {"selector", std::move(selector)},
                              {"template", std::move(pod_template)}}}};
    copy_annotations(object, set);
    set_annotation(set, revision_annotation, std::to_string(next_revision(sets)));
    set_annotation(set, desired_annotation, std::to_string(number_or(object, "spec.replicas", 1)));
    set_annotation(set, limit_annotation, std::to_string(limit));
    add_owner(set, make_controller_reference(*deployment.kind, object));
    return context.create("replicasets.apps", namespace_of(object), std::move(set));
}

/// Deletes the oldest ReplicaSets without pods, beyond spec.revisionHistoryLimit.
void delete_old_sets(ControlContext& context, const Workload& deployment,
                     const DeploymentSets& sets) {
    std::vector<ApiObject> idle;
    for (const ApiObject& set : sets.old)
        if (number_or(*set, "spec.replicas", 0) == 0 &&
            number_or(*set, "status.replicas", 0) == 0 && !is_terminating(*set))
            idle.push_back(set);
    std::ranges::sort(idle, {}, [](const ApiObject& set) { return revision_of(*set); });
    const auto keep = number_or(*deployment.object, "spec.revisionHistoryLimit", 10);
    for (std::size_t i = 0; i + static_cast<std::size_t>(keep) < idle.size(); ++i)
        context.remove("replicasets.apps", *idle[i]);
}

// The status of a Deployment.

struct Counts {
    std::int64_t all = 0, updated = 0, ready = 0, available = 0;
    bool operator==(const Counts&) const = default;
};

Counts counts_of(const DeploymentSets& sets) {
    Counts out;
    for (const ApiObject& set : sets.all()) {
        out.all += number_or(*set, "status.replicas", 0);
        out.ready += number_or(*set, "status.readyReplicas", 0);
        out.available += number_or(*set, "status.availableReplicas", 0);
    }
    if (sets.fresh != nullptr) out.updated = number_or(*sets.fresh, "status.replicas", 0);
    return out;
}

Counts counts_in(const json::object& deployment) {
    return {number_or(deployment, "status.replicas", 0),
            number_or(deployment, "status.updatedReplicas", 0),
            number_or(deployment, "status.readyReplicas", 0),
            number_or(deployment, "status.availableReplicas", 0)};
}

bool has_progressed(const Counts& now, const Counts& before) {
    return now.updated > before.updated || now.all - now.updated < before.all - before.updated ||
           now.ready > before.ready || now.available > before.available;
}

void write_counts(json::object& deployment, const Counts& counts) {
    json::object& status = make_object(deployment, "status");
    status["observedGeneration"] = number_or(deployment, "metadata.generation", 0);
    status["replicas"] = counts.all;
    status["updatedReplicas"] = counts.updated;
    status["readyReplicas"] = counts.ready;
    status["availableReplicas"] = counts.available;
    const std::int64_t wanted = number_or(deployment, "spec.replicas", 1);
    status["unavailableReplicas"] =
        std::max<std::int64_t>(std::max(counts.all, wanted) - counts.available, 0);
}

void set_available(json::object& deployment, bool is_available, Time now) {
    Condition condition{"Available", "True", "MinimumReplicasAvailable",
                        "Deployment has minimum availability."};
    if (!is_available)
        condition = {"Available", "False", "MinimumReplicasUnavailable",
                     "Deployment does not have minimum availability."};
    const bool is_update = !has_condition(deployment, "Available", condition.status);
    json::object& written = set_condition(deployment, condition, now);
    if (is_update) written["lastUpdateTime"] = format_rfc3339(now, 0);
}

/// The progress of a rollout: the status as it was last written, against the current counts.
class RolloutProgress {
public:
    RolloutProgress(const ControlContext& context, const json::object& deployment,
                    const DeploymentSets& sets, const Counts& counts)
        : context_(context), deployment_(deployment), sets_(sets), counts_(counts) {}

    bool is_complete() const {
        const std::int64_t wanted = number_or(deployment_, "spec.replicas", 1);
        return counts_ == Counts{wanted, wanted, counts_.ready, wanted};
    }
    std::string_view reason() const {
        const json::object* before = find_condition(deployment_, "Progressing");
        return before == nullptr ? std::string_view() : text_at(*before, "reason");
    }
    /// The time until the progress deadline; absent: there is no deadline.
    std::optional<Duration> left() const {
        const auto deadline = integer_at(deployment_, "spec.progressDeadlineSeconds");
        const json::object* before = find_condition(deployment_, "Progressing");
        if (!deadline || before == nullptr) return std::nullopt;
        const auto last = find_rfc3339(text_at(*before, "lastUpdateTime"));
        return last.value_or(context_.now()) + context_.paced_s(*deadline) - context_.now();
    }
    /// The condition Progressing to be written; absent: it stays as it is.
    std::optional<Condition> next() const {
        if (is_true_at(deployment_, "spec.paused"))
            return progressing("Unknown", "DeploymentPaused", "Deployment is paused");
        const std::string name = sets_.fresh == nullptr
                                     ? std::string()
                                     : "ReplicaSet \"" + std::string(name_of(*sets_.fresh)) + "\" ";
        const bool is_other = reason() == "DeploymentPaused" || was_of_other_set(name);
        const bool was_complete = reason() == "NewReplicaSetAvailable";
        // Pods that come and go after the rollout is complete do not count as progress.
        if (was_complete && !is_other && counts_.updated == counts_.all) return std::nullopt;
        if (is_complete())
            return progressing("True", "NewReplicaSetAvailable",
                               name + "has successfully progressed.");
        if (reason().empty() || is_other || was_complete ||
            has_progressed(counts_, counts_in(deployment_)))
            return progressing("True", "ReplicaSetUpdated", name + "is progressing.");
        if (const auto remaining = left(); remaining && *remaining <= Duration::zero())
            return progressing("False", "ProgressDeadlineExceeded",
                               name + "has timed out progressing.");
        return std::nullopt;
    }

private:
    static Condition progressing(std::string_view status, std::string_view reason,
                                 std::string message) {
        return {"Progressing", status, reason, std::move(message)};
    }
    bool was_of_other_set(const std::string& name) const {
        const json::object* before = find_condition(deployment_, "Progressing");
        return before != nullptr && !name.empty() &&
               text_at(*before, "message").starts_with("ReplicaSet ") &&
               !text_at(*before, "message").starts_with(name);
    }

    const ControlContext& context_;
    const json::object& deployment_;
    const DeploymentSets& sets_;
    const Counts& counts_;
};

/// Writes the status, for which `kubectl rollout status` waits. `least_available`: the number of
/// available pods that makes the Deployment Available. Returns the time until
/// progressDeadlineSeconds end, when the Deployment has to be reconciled again; absent: no rollout
/// is in progress, or it has no deadline.
std::optional<Duration> write_deployment_status(ControlContext& context, const Workload& deployment,
                                                const DeploymentSets& sets,
                                                std::int64_t least_available) {
    const Counts counts = counts_of(sets);
    const RolloutProgress progress(context, *deployment.object, sets, counts);
    const std::optional<Condition> next = progress.next();
    const Time now = context.now();
    const ApiObject written = write_status(context, deployment, [&](json::object& whole) {
        const bool has_moved = has_progressed(counts, counts_in(whole));
        write_counts(whole, counts);
        set_available(whole, counts.available >= least_available, now);
        if (!next) return;
        const bool is_update = progress.reason() != next->reason || has_moved;
        json::object& condition = set_condition(whole, *next, now);
        if (is_update) condition["lastUpdateTime"] = format_rfc3339(now, 0);
    });
    if (written == nullptr || progress.is_complete() || !has_condition(*written, "Progressing"))
        return std::nullopt;
    return RolloutProgress(context, *written, sets, counts).left();
}

// Rollouts.

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
