#include "simulation/control_plane/workloads/jobs.hpp"

#include <algorithm>
#include <set>
#include <utility>
#include <vector>

#include "simulation/control_plane/conditions.hpp"
#include "simulation/control_plane/finalizers.hpp"
#include "simulation/control_plane/owners.hpp"
#include "simulation/control_plane/pod_facts.hpp"
#include "simulation/control_plane/workloads/job_pods.hpp"
#include "simulation/control_plane/workloads/job_progress.hpp"
#include "simulation/control_plane/workloads/removal_order.hpp"

namespace capstan::simulation {
namespace {

/// After the first failure; doubles with each further one, up to the most.
constexpr Duration first_pause = std::chrono::seconds(10);
constexpr Duration longest_pause = std::chrono::minutes(6);
/// Pods that one look at a Job makes.
constexpr std::int64_t pods_per_look = 500;

bool is_over(const json::object& job) {
    return has_condition(job, "Complete") || has_condition(job, "Failed");
}

/// Ended, or removed before it could.
bool is_finished(const json::object& pod) {
    return has_ended(pod) || (is_leaving(pod) && text_at(pod, "spec.nodeName").empty());
}

}  // namespace

/// A Job as it is looked at.
struct Jobs::Look {
    Workload job{};
    JobProgress progress{};
    std::vector<ApiObject> active{};
    std::vector<ApiObject> finished{};  ///< whose finalizers may go, once the counts are written
    std::set<std::int64_t> done{};      ///< indexes that have succeeded
    bool was_over = false;
    std::optional<JobEnd> end{};  ///< it is over as of now
};

Jobs::Jobs(ControlContext& context)
    : context_(context),
      queue_(context.loop(), [this](const std::string& key) { reconcile(key); }) {
    watch_workloads(context, "jobs.batch", "pods", queue_);
    context.feed().listen("pods", [this](const Change& change) {
        if (is_leaving(*change.object) && has_finalizer(*change.object, job_finalizer) &&
            !is_counted_by_job(*change.object))
            release(*change.object);
    });
}

/// Nobody counts the pods of a Job that is gone, or going.
bool Jobs::is_counted_by_job(const json::object& pod) const {
    const json::object* controller = find_controller(pod);
    if (controller == nullptr) return false;
    const ApiObject job = context_.find(
        "jobs.batch", object_key(text_at(pod, "metadata.namespace"), text_at(*controller, "name")));
    return job != nullptr && !is_leaving(*job);
}

void Jobs::reconcile(const std::string& key) {
    const ApiObject found = context_.find("jobs.batch", key);
    if (found == nullptr) {
        failures_.erase(key);
        return;
    }
    complete_job(context_, *found);
    Look look{
        .job = {&context_.kind("jobs.batch"), context_.find("jobs.batch", key), "job-controller"}};
    if (look.job.object == nullptr) return;
    look.was_over = is_over(*look.job.object);
    count(key, look);
    if (!look.was_over && !is_leaving(*look.job.object)) {
        decide_end(key, look);
        if (look.end) {
            for (const ApiObject& pod : look.active) delete_pod(context_, look.job, *pod);
        } else {
            staff(key, look);
        }
    }
    write_counts(look);
    for (const ApiObject& pod : look.finished) release(*pod);
    if (look.was_over) expire(key, *look.job.object);
}

void Jobs::count(const std::string& key, Look& look) {
    const json::object& job = *look.job.object;
    look.progress = progress_of(job);
    for (const std::int64_t index : parse_indexes(text_at(job, "status.completedIndexes")))
        look.done.insert(index);
    std::int64_t failed = 0;
    for (const ApiObject& pod : claim(context_, look.job, "pods")) {
        if (is_active(*pod)) look.active.push_back(pod);
        if (!is_finished(*pod) || !has_finalizer(*pod, job_finalizer)) continue;
        look.finished.push_back(pod);
        if (look.was_over) continue;
        const auto index = find_index(*pod);
        if (text_at(*pod, "status.phase") != "Succeeded") {
            ++failed;
        } else if (!index || look.done.insert(*index).second) {
            ++look.progress.succeeded;
        }
    }
    look.progress.failed += failed;
    look.progress.active = static_cast<std::int64_t>(look.active.size());
    if (failed > 0) failures_[key] = {look.progress.failed, context_.loop().monotonic()};
}

void Jobs::decide_end(const std::string& key, Look& look) {
    const json::object& job = *look.job.object;
    const auto deadline = integer_at(job, "spec.activeDeadlineSeconds");
    const auto started = parse_timestamp_text(text_at(job, "status.startTime"));
    if (deadline && started) {
        const Duration left = *started + context_.paced_s(*deadline) - context_.now();
        look.progress.is_too_late = left <= Duration::zero();
        if (left > Duration::zero()) queue_.add_after(key, left);
    }
    look.end = find_end(look.progress);
    if (!look.end) return;
    const bool is_good = look.end->type == "Complete";
    context_.events().record(
        *look.job.kind, job,
        {look.job.component, is_good ? "Completed" : look.end->reason,
         is_good ? "Job completed" : std::string(look.end->message), !is_good});
}

Duration Jobs::pause_left(const std::string& key) const {
    const auto failure = failures_.find(key);
    if (failure == failures_.end()) return Duration::zero();
    Duration pause = first_pause;
    for (std::int64_t i = 1; i < failure->second.count && pause < longest_pause; ++i) pause *= 2;
    return failure->second.when + context_.paced(std::min(pause, longest_pause)) -
           context_.loop().monotonic();
}

void Jobs::staff(const std::string& key, const Look& look) {
    const std::int64_t missing = wanted_pods(look.progress) - look.progress.active;
    if (missing < 0) return shed(look, -missing);
    if (missing == 0) return;
    const Duration pause = pause_left(key);
    if (pause > Duration::zero()) return queue_.add_after(key, pause);
    hire(look, std::min(missing, pods_per_look));
    if (missing > pods_per_look) queue_.add(key);
}

void Jobs::shed(const Look& look, std::int64_t surplus) {
    const std::vector<ApiObject> order = in_removal_order(look.active);
    for (std::int64_t i = 0; i < surplus; ++i)
        delete_pod(context_, look.job, *order[static_cast<std::size_t>(i)]);
}

void Jobs::hire(const Look& look, std::int64_t missing) {
    if (!is_indexed(*look.job.object)) {
        for (std::int64_t i = 0; i < missing; ++i)
            if (create_pod(context_, look.job, make_job_pod(look.job, std::nullopt)) == nullptr)
                return;
        return;
    }
    std::set<std::int64_t> taken = look.done;
    for (const ApiObject& pod : look.active)
        if (const auto index = find_index(*pod)) taken.insert(*index);
    const std::int64_t end = look.progress.completions.value_or(0);
    for (std::int64_t index = 0; index < end && missing > 0; ++index) {
        if (taken.contains(index)) continue;
        if (create_pod(context_, look.job, make_job_pod(look.job, index)) == nullptr) return;
        --missing;
    }
}

void Jobs::write_counts(const Look& look) {
    const Time now = context_.now();
    std::int64_t active = 0, ready = 0;
    for (const ApiObject& pod :
         context_.index().controlled_by(text_at(*look.job.object, "metadata.uid"), "pods")) {
        active += is_active(*pod) ? 1 : 0;
        ready += is_active(*pod) && is_ready(*pod) ? 1 : 0;
    }
    write_status(context_, look.job, [&](json::object& whole) {
        json::object& status = make_object(whole, "status");
        status["active"] = active;
        status["ready"] = ready;
        status["succeeded"] = look.progress.succeeded;
        status["failed"] = look.progress.failed;
        if (is_indexed(whole))
            status["completedIndexes"] = index_text({look.done.begin(), look.done.end()});
        if (!look.progress.is_suspended)
            set_default(status, "startTime", json_view(timestamp_text(now)));
        if (!look.end) return;
        set_condition(
            whole, {look.end->type, "True", look.end->reason, std::string(look.end->message)}, now);
        if (look.end->type == "Complete")
            make_object(whole, "status")["completionTime"] = timestamp_text(now);
    });
}

void Jobs::release(const json::object& pod) {
    context_.edit("pods", pod, [](json::object& fresh) { remove_finalizer(fresh, job_finalizer); });
}

void Jobs::expire(const std::string& key, const json::object& job) {
    const auto kept = integer_at(job, "spec.ttlSecondsAfterFinished");
    if (!kept) return;
    const auto ended = condition_since(job, has_condition(job, "Complete") ? "Complete" : "Failed");
    const Duration left = ended.value_or(context_.now()) + context_.paced_s(*kept) - context_.now();
    if (left > Duration::zero()) return queue_.add_after(key, left);
    context_.remove("jobs.batch", job);
}

}  // namespace capstan::simulation
