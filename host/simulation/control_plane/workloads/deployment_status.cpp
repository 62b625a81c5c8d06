#include "simulation/control_plane/workloads/deployment_status.hpp"

#include <algorithm>

#include "simulation/control_plane/conditions.hpp"
#include "simulation/control_plane/pod_facts.hpp"

namespace capstan::simulation {
namespace {

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
    const bool is_news = !has_condition(deployment, "Available", condition.status);
    json::object& written = set_condition(deployment, condition, now);
    if (is_news) written["lastUpdateTime"] = timestamp_text(now);
}

/// How far it is, as of its last write and of now.
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
    /// Until the deadline; nothing: there is none.
    std::optional<Duration> left() const {
        const auto deadline = integer_at(deployment_, "spec.progressDeadlineSeconds");
        const json::object* before = find_condition(deployment_, "Progressing");
        if (!deadline || before == nullptr) return std::nullopt;
        const auto last = parse_timestamp_text(text_at(*before, "lastUpdateTime"));
        return last.value_or(context_.now()) + context_.paced_s(*deadline) - context_.now();
    }
    /// Nothing: as before.
    std::optional<Condition> next() const {
        if (is_true_at(deployment_, "spec.paused"))
            return said("Unknown", "DeploymentPaused", "Deployment is paused");
        const std::string name =
            sets_.fresh == nullptr
                ? std::string()
                : "ReplicaSet \"" + std::string(text_at(*sets_.fresh, "metadata.name")) + "\" ";
        const bool is_other = reason() == "DeploymentPaused" || was_of_other_set(name);
        const bool was_complete = reason() == "NewReplicaSetAvailable";
        // What comes and goes once it is rolled out is not its progress.
        if (was_complete && !is_other && counts_.updated == counts_.all) return std::nullopt;
        if (is_complete())
            return said("True", "NewReplicaSetAvailable", name + "has successfully progressed.");
        if (reason().empty() || is_other || was_complete ||
            has_progressed(counts_, counts_in(deployment_)))
            return said("True", "ReplicaSetUpdated", name + "is progressing.");
        if (const auto still = left(); still && *still <= Duration::zero())
            return said("False", "ProgressDeadlineExceeded", name + "has timed out progressing.");
        return std::nullopt;
    }

private:
    static Condition said(std::string_view status, std::string_view reason, std::string message) {
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

}  // namespace

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
        const bool is_news = progress.reason() != next->reason || has_moved;
        json::object& condition = set_condition(whole, *next, now);
        if (is_news) condition["lastUpdateTime"] = timestamp_text(now);
    });
    if (written == nullptr || progress.is_complete() || !has_condition(*written, "Progressing"))
        return std::nullopt;
    return RolloutProgress(context, *written, sets, counts).left();
}

}  // namespace capstan::simulation
