/// The rules of drain_rules.hpp, one a file, each without the others. What a rule says in one
/// sentence stands in the table in drain_rules.cpp.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "engine/scale_down/drain_rules.hpp"

namespace capstan::engine {

/// What a rule says of one pod; nothing: no opinion.
using Opinion = std::optional<DrainVerdict>;

Opinion judge_expendable(const PodRow& pod, const ClassRow& row, const DrainContext& context);
Opinion judge_job(const PodRow& pod, const ClassRow& row, const DrainContext& context);
Opinion judge_mirror(const PodRow& pod, const ClassRow& row, const DrainContext& context);
Opinion judge_long_terminating(const PodRow& pod, const ClassRow& row, const DrainContext& context);
Opinion judge_replica_count(const PodRow& pod, const ClassRow& row, const DrainContext& context);
Opinion judge_daemon_set(const PodRow& pod, const ClassRow& row, const DrainContext& context);
Opinion judge_safe_to_evict(const PodRow& pod, const ClassRow& row, const DrainContext& context);
Opinion judge_on_completion(const PodRow& pod, const ClassRow& row, const DrainContext& context);
Opinion judge_replicated(const PodRow& pod, const ClassRow& row, const DrainContext& context);
Opinion judge_system(const PodRow& pod, const ClassRow& row, const DrainContext& context);
Opinion judge_not_safe_to_evict(const PodRow& pod, const ClassRow& row,
                                const DrainContext& context);
Opinion judge_local_storage(const PodRow& pod, const ClassRow& row, const DrainContext& context);
Opinion judge_several_pdbs(const PodRow& pod, const ClassRow& row, const DrainContext& context);
Opinion judge_pdb(const PodRow& pod, const ClassRow& row, const DrainContext& context);

/// What the owner of a pod says of its eviction: "true", "false", "on-completion"; empty: nothing.
std::string_view safe_to_evict(const ClassRow& row, const Cluster& cluster) noexcept;

/// "pod web/db-0"
std::string pod_name(const PodRow& pod, const ClassRow& row, const Cluster& cluster);
/// The node stays; `sentence` goes on from the pod's name: " uses local storage".
DrainVerdict block(const PodRow& pod, const ClassRow& row, const DrainContext& context,
                   std::string_view reason, std::string_view sentence);

}  // namespace capstan::engine
