/// All nodes and pods that a pass saw, in upstream's form: what /snapshotz answers.
#pragma once

#include <string>

#include "runtime/daemon/pass_report.hpp"

namespace capstan::runtime {

/// {"NodeList":[{"Node":{..},"Pods":[..]},..],
///  "UnscheduledPodsCanBeScheduled":[..],
///  "StartTimestamp":"..","EndTimestamp":"..",
///  "TemplateNodes":{"GROUP":{"Node":{..},"Pods":[]},..}}
///
/// Nodes by name, and of pods what the host keeps of them: enough for `capstan simulate`. The pods
/// that can be scheduled are those that wait and have room on nodes that are there or on their way;
/// of equal ones the first by name.
std::string snapshot_json(const PassReport& pass, Time start, Time end);
/// Nothing could be gathered.
std::string failed_snapshot_json(const std::string& why, Time start, Time end);

}  // namespace capstan::runtime
