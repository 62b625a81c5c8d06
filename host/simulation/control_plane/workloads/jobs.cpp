#include "simulation/control_plane/workloads/jobs.hpp"

#include <algorithm>
#include <charconv>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include <capstan/time_text.hpp>

#include "simulation/control_plane/context/object_fields.hpp"
#include "simulation/control_plane/workloads/replica_sets.hpp"

namespace capstan::simulation::control_plane {
namespace {

constexpr std::string_view index_key = "batch.kubernetes.io/job-completion-index";
constexpr std::string_view uid_key = "batch.kubernetes.io/controller-uid";

}  // namespace

bool is_indexed(const json::object& job) {
    return api_server::text_at(job, "spec.completionMode") == "Indexed";
}

void complete_job(ControlContext& context, const json::object& job) {
    if (api_server::find_object(job, "spec.selector") != nullptr) return;
    const std::string_view uid = api_server::text_at(job, "metadata.uid");
    const std::string_view name = api_server::text_at(job, "metadata.name");
    context.edit("jobs.batch", job, [&](json::object& fresh) {
        json::object& spec = api_server::make_object(fresh, "spec");
        api_server::make_object(api_server::make_object(spec, "selector"),
                                "matchLabels")[api_server::json_view(uid_key)] =
            api_server::json_view(uid);
        json::object& pod = api_server::make_object(spec, "template");
        for (const std::string_view key : {uid_key, std::string_view("controller-uid")})
            set_label(pod, key, uid);
        for (const char* key : {"batch.kubernetes.io/job-name", "job-name"})
            set_label(pod, key, name);
    });
}

json::object make_job_pod(const Workload& job, std::optional<std::int64_t> index) {
    json::object pod = make_pod(job);
    json::object& metadata = api_server::make_object(pod, "metadata");
    json::value& finalizers = metadata["finalizers"];
    if (!finalizers.is_array()) finalizers.emplace_array();
    finalizers.get_array().push_back(api_server::json_view(job_finalizer));
    if (!index) return pod;
    const std::string number = std::to_string(*index);
    const std::string name =
        std::string(api_server::text_at(*job.object, "metadata.name")) + "-" + number;
    metadata["generateName"] = name + "-";
    set_annotation(pod, index_key, number);
    set_label(pod, index_key, number);
    api_server::make_object(pod, "spec")["hostname"] = name;
    return pod;
}

std::optional<std::int64_t> find_index(const json::object& pod) {
    const auto indexes = parse_indexes(api_server::annotation_of(pod, index_key));
    return indexes.size() == 1 ? std::optional(indexes.front()) : std::nullopt;
}

namespace {

std::optional<std::int64_t> parse_index(std::string_view text) {
    std::int64_t out = 0;
    const auto read = std::from_chars(text.data(), text.data() + text.size(), out);
    if (read.ec != std::errc() || read.ptr != text.data() + text.size()) return std::nullopt;
    return out;
}

}  // namespace

JobProgress progress_of(const json::object& job) {
    return {.completions = api_server::integer_at(job, "spec.completions"),
            .parallelism = number_or(job, "spec.parallelism", 1),
            .succeeded = number_or(job, "status.succeeded", 0),
            .failed = number_or(job, "status.failed", 0),
            .backoff_limit = number_or(job, "spec.backoffLimit", 6),
            .is_suspended = api_server::is_true_at(job, "spec.suspend")};
}

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
    // Once one has succeeded by itself, the others may come to their end and no more come.
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

namespace {

/// After the first failure; doubles with each further one, up to the most.
constexpr Duration first_pause = std::chrono::seconds(10);
constexpr Duration longest_pause = std::chrono::minutes(6);
/// Pods that one look at a Job makes.
constexpr std::int64_t pods_per_look = 500;

bool is_over(const json::object& job) {
    return api_server::has_condition(job, "Complete") || api_server::has_condition(job, "Failed");
}

/// Ended, or removed before it could.
bool is_finished(const json::object& pod) {
    return has_ended(pod) || (is_leaving(pod) && api_server::text_at(pod, "spec.nodeName").empty());
}

}  // namespace

/// A Job as it is looked at.
struct Jobs::Look {
    Workload job{};
    JobProgress progress{};
    std::vector<api_server::ApiObject> active{};
    std::vector<api_server::ApiObject>
        finished{};                 ///< whose finalizers may go, once the counts are written
    std::set<std::int64_t> done{};  ///< indexes that have succeeded
    bool was_over = false;
    std::optional<JobEnd> end{};  ///< it is over as of now
};

Jobs::Jobs(ControlContext& context)
    : context_(context),
      queue_(context.loop(), [this](const std::string& key) { reconcile(key); }) {
    watch_workloads(context, "jobs.batch", "pods", queue_);
    context.feed().listen("pods", [this](const api_server::Change& change) {
        if (is_leaving(*change.object) && has_finalizer(*change.object, job_finalizer) &&
            !is_counted_by_job(*change.object))
            release(*change.object);
    });
}

/// The pods of a Job that is gone, or going, are not counted.
bool Jobs::is_counted_by_job(const json::object& pod) const {
    const json::object* controller = find_controller(pod);
    if (controller == nullptr) return false;
    const api_server::ApiObject job = context_.find(
        "jobs.batch", api_server::object_key(api_server::text_at(pod, "metadata.namespace"),
                                             api_server::text_at(*controller, "name")));
    return job != nullptr && !is_leaving(*job);
}

void Jobs::reconcile(const std::string& key) {
    const api_server::ApiObject found = context_.find("jobs.batch", key);
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
            for (const api_server::ApiObject& pod : look.active)
                delete_pod(context_, look.job, *pod);
        } else {
            staff(key, look);
        }
    }
    write_counts(look);
    for (const api_server::ApiObject& pod : look.finished) release(*pod);
    if (look.was_over) expire(key, *look.job.object);
}

void Jobs::count(const std::string& key, Look& look) {
    const json::object& job = *look.job.object;
    look.progress = progress_of(job);
    for (const std::int64_t index :
         parse_indexes(api_server::text_at(job, "status.completedIndexes")))
        look.done.insert(index);
    std::int64_t failed = 0;
    for (const api_server::ApiObject& pod : claim(context_, look.job, "pods")) {
        if (is_active(*pod)) look.active.push_back(pod);
        if (!is_finished(*pod) || !has_finalizer(*pod, job_finalizer)) continue;
        look.finished.push_back(pod);
        if (look.was_over) continue;
        const auto index = find_index(*pod);
        if (api_server::text_at(*pod, "status.phase") != "Succeeded") {
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
    const auto deadline = api_server::integer_at(job, "spec.activeDeadlineSeconds");
    const auto started = find_rfc3339(api_server::text_at(job, "status.startTime"));
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
    const std::vector<api_server::ApiObject> order = in_removal_order(look.active);
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
    for (const api_server::ApiObject& pod : look.active)
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
    for (const api_server::ApiObject& pod : context_.index().controlled_by(
             api_server::text_at(*look.job.object, "metadata.uid"), "pods")) {
        active += is_active(*pod) ? 1 : 0;
        ready += is_active(*pod) && is_ready(*pod) ? 1 : 0;
    }
    write_status(context_, look.job, [&](json::object& whole) {
        json::object& status = api_server::make_object(whole, "status");
        status["active"] = active;
        status["ready"] = ready;
        status["succeeded"] = look.progress.succeeded;
        status["failed"] = look.progress.failed;
        if (is_indexed(whole))
            status["completedIndexes"] = index_text({look.done.begin(), look.done.end()});
        if (!look.progress.is_suspended)
            api_server::set_default(status, "startTime",
                                    api_server::json_view(format_rfc3339(now, 0)));
        if (!look.end) return;
        set_condition(
            whole, {look.end->type, "True", look.end->reason, std::string(look.end->message)}, now);
        if (look.end->type == "Complete")
            api_server::make_object(whole, "status")["completionTime"] = format_rfc3339(now, 0);
    });
}

void Jobs::release(const json::object& pod) {
    context_.edit("pods", pod, [](json::object& fresh) { remove_finalizer(fresh, job_finalizer); });
}

void Jobs::expire(const std::string& key, const json::object& job) {
    const auto kept = api_server::integer_at(job, "spec.ttlSecondsAfterFinished");
    if (!kept) return;
    const auto ended =
        condition_since(job, api_server::has_condition(job, "Complete") ? "Complete" : "Failed");
    const Duration left = ended.value_or(context_.now()) + context_.paced_s(*kept) - context_.now();
    if (left > Duration::zero()) return queue_.add_after(key, left);
    context_.remove("jobs.batch", job);
}

}  // namespace capstan::simulation::control_plane
