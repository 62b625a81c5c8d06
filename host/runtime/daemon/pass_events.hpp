/// What a pass tells the users of a cluster: upstream's Events.
#pragma once

#include <string>
#include <vector>

#include "kubernetes/client/writes/event_correlator.hpp"
#include "runtime/daemon/pass_report.hpp"

namespace capstan::runtime {

/// Those of the cluster as a whole are about `cluster`, the status ConfigMap; `unhealthy_because`
/// is engine::Health's. What pods without a node are told is in pod_events.hpp. A dry run and a
/// dropped pass tell of nothing.
std::vector<kubernetes::EventNote> events_of(const PassReport& pass,
                                             const kubernetes::ObjectReference& cluster,
                                             const std::string& unhealthy_because = {});

}  // namespace capstan::runtime
