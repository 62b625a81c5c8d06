/// The ControllerRevisions of StatefulSets and DaemonSets: every template that they had.
#pragma once

#include <set>
#include <string>
#include <vector>

#include "simulation/control_plane/workloads/pod_control.hpp"

namespace capstan::simulation {

inline constexpr std::string_view revision_label = "controller-revision-hash";

/// The revision of the present template, made where there is none; it has the highest number.
/// NULL: refused.
ApiObject present_revision(ControlContext& context, const Workload& workload);
/// The one of that name; NULL: none.
ApiObject find_revision(ControlContext& context, const Workload& workload, std::string_view name);
/// The workload as it was at a revision: with its template.
Workload at_revision(const Workload& workload, const json::object& revision);
/// Removes the eldest beyond spec.revisionHistoryLimit, but none that is in use.
void forget_old_revisions(ControlContext& context, const Workload& workload,
                          const std::set<std::string, std::less<>>& used);

}  // namespace capstan::simulation
