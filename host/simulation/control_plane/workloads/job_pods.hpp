/// The pods of a Job, and what the API server writes into Jobs for them.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "simulation/control_plane/workloads/pod_control.hpp"

namespace capstan::simulation {

/// Kept on a pod until it is counted.
inline constexpr std::string_view job_finalizer = "batch.kubernetes.io/job-tracking";

bool is_indexed(const json::object& job);
/// Gives a Job that has no selector one of its own uid, and its template the labels for it.
void complete_job(ControlContext& context, const json::object& job);
/// `index`: of its completion, in an Indexed Job.
json::object make_job_pod(const Workload& job, std::optional<std::int64_t> index);
/// Nothing: its Job is not Indexed.
std::optional<std::int64_t> find_index(const json::object& pod);

}  // namespace capstan::simulation
