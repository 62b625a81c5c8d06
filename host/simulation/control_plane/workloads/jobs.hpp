/// The pods of a Job, and what the API server writes into Jobs for them.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "simulation/api_server/api_object.hpp"
#include "simulation/control_plane/workloads/pod_control.hpp"

namespace capstan::simulation::control_plane {

/// Kept on a pod until it is counted.
inline constexpr std::string_view job_finalizer = "batch.kubernetes.io/job-tracking";

bool is_indexed(const json::object& job);
/// Gives a Job that has no selector one of its own uid, and its template the labels for it.
void complete_job(ControlContext& context, const json::object& job);
/// `index`: of its completion, in an Indexed Job.
json::object make_job_pod(const Workload& job, std::optional<std::int64_t> index);
/// Nothing: its Job is not Indexed.
std::optional<std::int64_t> find_index(const json::object& pod);

// How far a Job is, and what is to be done about it.

struct JobProgress {
    std::optional<std::int64_t> completions{};  ///< nothing: any success is enough
    std::int64_t parallelism = 1;
    std::int64_t active = 0, succeeded = 0, failed = 0;
    std::int64_t backoff_limit = 6;
    bool is_suspended = false, is_too_late = false;
};

/// As its spec and its status say; how many are active and whether it is too late, they do not.
JobProgress progress_of(const json::object& job);

/// Why it is over: the type and reason of the condition that says so. Nothing: it goes on.
struct JobEnd {
    std::string_view type{}, reason{}, message{};
};
std::optional<JobEnd> find_end(const JobProgress& progress);

/// How many pods are to run now.
std::int64_t wanted_pods(const JobProgress& progress);
/// "0,2-4": indexes, in the form of status.completedIndexes; and back, what is no index left out.
std::string index_text(const std::vector<std::int64_t>& ascending);
std::vector<std::int64_t> parse_indexes(std::string_view text);

// Jobs: pods until enough have succeeded, or too many have failed.

/// Pods carry a finalizer until they are counted, so that none is forgotten with its node.
/// [the loop's thread]
class Jobs {
public:
    explicit Jobs(ControlContext& context);

private:
    struct Look;
    /// When a pod of a Job last failed, as of this control plane's life.
    struct Failure {
        std::int64_t count = 0;
        Duration when{};
    };
    void reconcile(const std::string& key);
    void count(const std::string& key, Look& look);
    void decide_end(const std::string& key, Look& look);
    void staff(const std::string& key, const Look& look);
    void shed(const Look& look, std::int64_t surplus);
    void hire(const Look& look, std::int64_t missing);
    void write_counts(const Look& look);
    bool is_counted_by_job(const json::object& pod) const;
    void release(const json::object& pod);
    void expire(const std::string& key, const json::object& job);
    Duration pause_left(const std::string& key) const;

    ControlContext& context_;
    std::map<std::string, Failure> failures_;
    ReconcileQueue queue_;
};

}  // namespace capstan::simulation::control_plane
