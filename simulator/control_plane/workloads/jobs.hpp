/// Jobs: pods run until enough of them have succeeded, or too many have failed.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "simulator/api_server/api_object.hpp"
#include "simulator/control_plane/workloads/pod_control.hpp"

namespace capstan::simulator::control_plane {

/// The finalizer of a Job's pod until the Job's status counts the pod.
inline constexpr std::string_view job_finalizer = "batch.kubernetes.io/job-tracking";

bool is_indexed(const json::object& job);
/// Gives a Job without a selector one by its uid, and the labels for that to its pod template.
void set_job_selector(ControlContext& context, const json::object& job);
/// `index`: the completion index; absent: the Job is not Indexed.
json::object make_job_pod(const Workload& job, std::optional<std::int64_t> index);
/// The completion index of a pod; absent: the pod's Job is not Indexed.
std::optional<std::int64_t> find_index(const json::object& pod);

struct JobProgress {
    std::optional<std::int64_t> completions{};  ///< absent: one success is enough
    std::int64_t parallelism = 1;
    std::int64_t active = 0, succeeded = 0, failed = 0;
    std::int64_t backoff_limit = 6;
    bool is_suspended = false, is_too_late = false;
};

/// The progress by spec and status, without `active` and `is_too_late`, which they do not have.
JobProgress progress_of(const json::object& job);

/// The condition of a Job that is over.
struct JobEnd {
    std::string_view type{}, reason{}, message{};
};
/// The end of a Job with that progress; absent: the Job goes on.
std::optional<JobEnd> find_end(const JobProgress& progress);

/// The number of pods that should run now.
std::int64_t wanted_pods(const JobProgress& progress);
/// Indexes in the form of status.completedIndexes: "0,2-4".
std::string index_text(const std::vector<std::int64_t>& ascending);
/// The indexes of such a text. Malformed parts are left out.
std::vector<std::int64_t> parse_indexes(std::string_view text);

/// Makes, counts and deletes the pods of Jobs. Each pod has a finalizer until the Job's status
/// counts it, so that a pod that is deleted with its node is counted, too. [the loop's thread]
class Jobs {
public:
    explicit Jobs(ControlContext& context);

private:
    struct SyncState;
    /// The failed pods of a Job, for the back-off before the next pods.
    struct Failure {
        std::int64_t count = 0;
        Duration when{};  ///< of the last failure, in the loop's monotonic time
    };
    void reconcile(const std::string& key);
    void count(const std::string& key, SyncState& sync);
    void decide_end(const std::string& key, SyncState& sync);
    void scale(const std::string& key, const SyncState& sync);
    void delete_surplus(const SyncState& sync, std::int64_t surplus);
    void create_pods(const SyncState& sync, std::int64_t missing);
    void write_counts(const SyncState& sync);
    bool is_counted_by_job(const json::object& pod) const;
    void release(const json::object& pod);
    void expire(const std::string& key, const json::object& job);
    Duration backoff_left(const std::string& key) const;

    ControlContext& context_;
    std::map<std::string, Failure> failures_;
    ReconcileQueue queue_;
};

}  // namespace capstan::simulator::control_plane
