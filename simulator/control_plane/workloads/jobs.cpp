#include "simulator/control_plane/workloads/jobs.hpp"

#include <algorithm>
#include <charconv>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include <capstan/time_text.hpp>

#include "simulator/control_plane/context/object_fields.hpp"
#include "simulator/control_plane/workloads/pod_control.hpp"
#include "simulator/control_plane/workloads/replica_sets.hpp"
#include "simulator/control_plane/workloads/workload_controllers.hpp"

namespace capstan::simulator::control_plane {
namespace {

/// The finalizer of a Job's pod until the Job's status counts the pod.
constexpr std::string_view job_finalizer = "batch.kubernetes.io/job-tracking";

constexpr std::string_view index_key = "batch.kubernetes.io/job-completion-index";
constexpr std::string_view uid_key = "batch.kubernetes.io/controller-uid";

bool is_indexed(const json::object& job) {
    return text_at(job, "spec.completionMode") == "Indexed";
}

/// Gives a Job without a selector one by its uid, and the labels for that to its pod template.
void set_job_selector(ControlContext& context, const json::object& job) {
    if (find_object(job, "spec.selector") != nullptr) return;
    const std::string_view uid = uid_of(job);
    const std::string_view name = name_of(job);
    context.edit("jobs.batch", job, [&](json::object& fresh) {
        json::object& spec = make_object(fresh, "spec");
        make_object(make_object(spec, "selector"), "matchLabels")[json_view(uid_key)] =
            json_view(uid);
        json::object& pod = make_object(spec, "template");
        for (const std::string_view key : {uid_key, std::string_view("controller-uid")})
            set_label(pod, key, uid);
        for (const char* key : {"batch.kubernetes.io/job-name", "job-name"})
            set_label(pod, key, name);
    });
}

/// `index`: the completion index; absent: the Job is not Indexed.
json::object make_job_pod(const Workload& job, std::optional<std::int64_t> index) {
    json::object pod = make_pod(job);
    json::object& metadata = make_object(pod, "metadata");
    json::value& finalizers = metadata["finalizers"];
    if (!finalizers.is_array()) finalizers.emplace_array();
    finalizers.get_array().push_back(json_view(job_finalizer));
    if (!index) return pod;
    const std::string number = std::to_string(*index);
    const std::string name = std::string(name_of(*job.object)) + "-" + number;
    metadata["generateName"] = name + "-";
    set_annotation(pod, index_key, number);
    set_label(pod, index_key, number);
    make_object(pod, "spec")["hostname"] = name;
    return pod;
}

/// The completion index of a pod; absent: the pod's Job is not Indexed.
std::optional<std::int64_t> find_index(const json::object& pod) {
    const auto indexes = parse_indexes(annotation_of(pod, index_key));
    return indexes.size() == 1 ? std::optional(indexes.front()) : std::nullopt;
}

std::optional<std::int64_t> parse_index(std::string_view text) {
    std::int64_t out = 0;
    const auto read = std::from_chars(text.data(), text.data() + text.size(), out);
    if (read.ec != std::errc() || read.ptr != text.data() + text.size()) return std::nullopt;
    return out;
}

/// The progress by spec and status, without `active` and `is_too_late`, which they do not have.
JobProgress progress_of(const json::object& job) {
    return {.completions = integer_at(job, "spec.completions"),
            .parallelism = number_or(job, "spec.parallelism", 1),
            .succeeded = number_or(job, "status.succeeded", 0),
            .failed = number_or(job, "status.failed", 0),
            .backoff_limit = number_or(job, "spec.backoffLimit", 6),
            .is_suspended = is_true_at(job, "spec.suspend")};
}

/// The back-off after the first failure doubles with each further failure, up to the maximum.
constexpr Duration backoff_min = std::chrono::seconds(10);
constexpr Duration backoff_max = std::chrono::minutes(6);

/// The most pods that one reconciliation of a Job makes.
constexpr std::int64_t pods_per_sync = 500;

bool is_over(const json::object& job) {
    return has_condition(job, "Complete") || has_condition(job, "Failed");
}

/// Whether the pod has ended, or was deleted before it got a node.
bool is_finished(const json::object& pod) {
    return has_ended(pod) || (is_terminating(pod) && text_at(pod, "spec.nodeName").empty());
}

class Jobs final : public QueuedController {
public:
    explicit Jobs(ControlContext& context) : QueuedController(context) {
        watch_workloads(context, "jobs.batch", "pods", queue_);
        context.feed().listen("pods", [this](const Change& change) {
            if (is_terminating(*change.object) && has_finalizer(*change.object, job_finalizer) &&
                !is_counted_by_job(*change.object))
                release(*change.object);
        });
    }

private:
    /// The failed pods of a Job, for the back-off before the next pods.
    struct Failure {
        std::int64_t count = 0;
        Duration when{};  ///< of the last failure, in the loop's monotonic time
    };
    /// A Job during one reconciliation.
    struct SyncState {
        Workload job{};
        JobProgress progress{};
        std::vector<ApiObject> active{};
        /// Pods that lose their finalizers once the counts are written.
        std::vector<ApiObject> finished{};
        std::set<std::int64_t> done{};  ///< indexes that have succeeded
        bool was_over = false;          ///< before this reconciliation
        std::optional<JobEnd> end{};    ///< the Job ends in this reconciliation
    };

    /// Whether the pod's Job exists and is not terminating, so that it counts its pods.
    bool is_counted_by_job(const json::object& pod) const {
        const json::object* controller = find_controller(pod);
        if (controller == nullptr) return false;
        const ApiObject job = context_.find(
            "jobs.batch", object_key(namespace_of(pod), text_at(*controller, "name")));
        return job != nullptr && !is_terminating(*job);
    }

    void reconcile(const std::string& key) override {
        const ApiObject found = context_.find("jobs.batch", key);
        if (found == nullptr) {
            failures_.erase(key);
            return;
        }
        set_job_selector(context_, *found);
        SyncState sync{.job = {&context_.kind("jobs.batch"), context_.find("jobs.batch", key),
                               "job-controller"}};
        if (sync.job.object == nullptr) return;
        sync.was_over = is_over(*sync.job.object);
        count(key, sync);
        if (!sync.was_over && !is_terminating(*sync.job.object)) {
            decide_end(key, sync);
            if (sync.end) {
                for (const ApiObject& pod : sync.active) delete_pod(context_, sync.job, *pod);
            } else {
                scale(key, sync);
            }
        }
        write_counts(sync);
        for (const ApiObject& pod : sync.finished) release(*pod);
        if (sync.was_over) expire(key, *sync.job.object);
    }

    void count(const std::string& key, SyncState& sync) {
        const json::object& job = *sync.job.object;
        sync.progress = progress_of(job);
        for (const std::int64_t index : parse_indexes(text_at(job, "status.completedIndexes")))
            sync.done.insert(index);
        std::int64_t failed = 0;
        for (const ApiObject& pod : claim(context_, sync.job, "pods")) {
            if (is_active(*pod)) sync.active.push_back(pod);
            if (!is_finished(*pod) || !has_finalizer(*pod, job_finalizer)) continue;
            sync.finished.push_back(pod);
            if (sync.was_over) continue;
            const auto index = find_index(*pod);
            if (text_at(*pod, "status.phase") != "Succeeded") {
                ++failed;
            } else if (!index || sync.done.insert(*index).second) {
                ++sync.progress.succeeded;
            }
        }
        sync.progress.failed += failed;
        sync.progress.active = static_cast<std::int64_t>(sync.active.size());
        if (failed > 0) failures_[key] = {sync.progress.failed, context_.loop().monotonic()};
    }

    void decide_end(const std::string& key, SyncState& sync) {
        const json::object& job = *sync.job.object;
        const auto deadline = integer_at(job, "spec.activeDeadlineSeconds");
        const auto started = find_rfc3339(text_at(job, "status.startTime"));
        if (deadline && started) {
            const Duration left = *started + context_.paced_s(*deadline) - context_.now();
            sync.progress.is_too_late = left <= Duration::zero();
            if (left > Duration::zero()) queue_.add_after(key, left);
        }
        sync.end = find_end(sync.progress);
        if (!sync.end) return;
        const bool is_good = sync.end->type == "Complete";
        context_.events().record(
            *sync.job.kind, job,
            {sync.job.component, is_good ? "Completed" : sync.end->reason,
             is_good ? "Job completed" : std::string(sync.end->message), !is_good});
    }

    Duration backoff_left(const std::string& key) const {
        const auto failure = failures_.find(key);
        if (failure == failures_.end()) return Duration::zero();
        Duration backoff = backoff_min;
        for (std::int64_t i = 1; i < failure->second.count && backoff < backoff_max; ++i)
            backoff *= 2;
        return failure->second.when + context_.paced(std::min(backoff, backoff_max)) -
               context_.loop().monotonic();
    }

    void scale(const std::string& key, const SyncState& sync) {
        const std::int64_t missing = wanted_pods(sync.progress) - sync.progress.active;
        if (missing < 0) return delete_surplus(sync, -missing);
        if (missing == 0) return;
        const Duration backoff = backoff_left(key);
        if (backoff > Duration::zero()) return queue_.add_after(key, backoff);
        create_pods(sync, std::min(missing, pods_per_sync));
        if (missing > pods_per_sync) queue_.add(key);
    }

    void delete_surplus(const SyncState& sync, std::int64_t surplus) {
        const std::vector<ApiObject> order = in_removal_order(sync.active);
        for (std::int64_t i = 0; i < surplus; ++i)
            delete_pod(context_, sync.job, *order[static_cast<std::size_t>(i)]);
    }

    void create_pods(const SyncState& sync, std::int64_t missing) {
        if (!is_indexed(*sync.job.object)) {
            for (std::int64_t i = 0; i < missing; ++i)
                if (create_pod(context_, sync.job, make_job_pod(sync.job, std::nullopt)) == nullptr)
                    return;
            return;
        }
        std::set<std::int64_t> taken = sync.done;
        for (const ApiObject& pod : sync.active)
            if (const auto index = find_index(*pod)) taken.insert(*index);
        const std::int64_t end = sync.progress.completions.value_or(0);
        for (std::int64_t index = 0; index < end && missing > 0; ++index) {
            if (taken.contains(index)) continue;
            if (create_pod(context_, sync.job, make_job_pod(sync.job, index)) == nullptr) return;
            --missing;
        }
    }

    void write_counts(const SyncState& sync) {
        const Time now = context_.now();
        std::int64_t active = 0, ready = 0;
        for (const ApiObject& pod :
             context_.index().controlled_by(uid_of(*sync.job.object), "pods")) {
            active += is_active(*pod) ? 1 : 0;
            ready += is_active(*pod) && is_ready(*pod) ? 1 : 0;
        }
        write_status(context_, sync.job, [&](json::object& whole) {
            json::object& status = make_object(whole, "status");
            status["active"] = active;
            status["ready"] = ready;
            status["succeeded"] = sync.progress.succeeded;
            status["failed"] = sync.progress.failed;
            if (is_indexed(whole))
                status["completedIndexes"] = index_text({sync.done.begin(), sync.done.end()});
            if (!sync.progress.is_suspended)
                api_server::set_default(status, "startTime", json_view(format_rfc3339(now, 0)));
            if (!sync.end) return;
            set_condition(
                whole, {sync.end->type, "True", sync.end->reason, std::string(sync.end->message)},
                now);
            if (sync.end->type == "Complete")
                make_object(whole, "status")["completionTime"] = format_rfc3339(now, 0);
        });
    }

    void release(const json::object& pod) {
        context_.edit("pods", pod,
                      [](json::object& fresh) { remove_finalizer(fresh, job_finalizer); });
    }

    void expire(const std::string& key, const json::object& job) {
        const auto kept = integer_at(job, "spec.ttlSecondsAfterFinished");
        if (!kept) return;
        const auto ended =
            condition_since(job, has_condition(job, "Complete") ? "Complete" : "Failed");
        const Duration left =
            ended.value_or(context_.now()) + context_.paced_s(*kept) - context_.now();
        if (left > Duration::zero()) return queue_.add_after(key, left);
        context_.remove("jobs.batch", job);
    }

    std::map<std::string, Failure> failures_;
};

}  // namespace

std::optional<JobEnd> find_end(const JobProgress& progress) {
    if (progress.is_too_late)
        return JobEnd{"Failed", "DeadlineExceeded",
                      "Job was active longer than specified deadline"};
    if (progress.failed > progress.backoff_limit)
        return JobEnd{"Failed", "BackoffLimitExceeded",
                      "Job has reached the specified backoff limit"};
    const bool is_enough = progress.completions ? progress.succeeded >= *progress.completions
                                                : progress.succeeded > 0 && progress.active == 0;
    if (is_enough)
        return JobEnd{"Complete", "CompletionsReached",
                      "Reached expected number of succeeded pods"};
    return std::nullopt;
}

std::int64_t wanted_pods(const JobProgress& progress) {
    if (progress.is_suspended) return 0;
    // Without completions: once one pod has succeeded, no new pods are made, and the others end by
    // themselves.
    if (!progress.completions)
        return progress.succeeded > 0 ? std::min(progress.active, progress.parallelism)
                                      : progress.parallelism;
    return std::clamp<std::int64_t>(*progress.completions - progress.succeeded, 0,
                                    progress.parallelism);
}

std::string index_text(const std::vector<std::int64_t>& ascending) {
    std::string out;
    for (std::size_t i = 0; i < ascending.size();) {
        std::size_t last = i;
        while (last + 1 < ascending.size() && ascending[last + 1] == ascending[last] + 1) ++last;
        out += (out.empty() ? "" : ",") + std::to_string(ascending[i]);
        if (last > i) out += (last > i + 1 ? "-" : ",") + std::to_string(ascending[last]);
        i = last + 1;
    }
    return out;
}

std::vector<std::int64_t> parse_indexes(std::string_view text) {
    std::vector<std::int64_t> out;
    while (!text.empty()) {
        const std::string_view part = text.substr(0, text.find(','));
        text.remove_prefix(std::min(part.size() + 1, text.size()));
        const std::size_t dash = part.find('-');
        const auto first = parse_index(part.substr(0, dash));
        const auto last =
            dash == std::string_view::npos ? first : parse_index(part.substr(dash + 1));
        for (std::int64_t i = first.value_or(0); first && last && i <= *last; ++i) out.push_back(i);
    }
    return out;
}

std::unique_ptr<Controller> make_jobs(ControlContext& context) {
    return std::make_unique<Jobs>(context);
}

}  // namespace capstan::simulator::control_plane
