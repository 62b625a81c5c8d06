/// What a pass tells the users of a cluster: upstream's Events.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "kubernetes/client/writes/event_correlator.hpp"
#include "runtime/daemon/pass_report.hpp"

namespace capstan::runtime {

/// Those of the cluster as a whole are about `cluster`, the status ConfigMap; `unhealthy_because`
/// is engine::Health's. Of pods that stay without room at most so many are told of in one pass; the
/// others are told of by later ones, as far as the recorder's budget goes. A dry run and a dropped
/// pass tell of nothing.
std::vector<kubernetes::EventNote> events_of(const PassReport& pass,
                                             const kubernetes::ObjectReference& cluster,
                                             const std::string& unhealthy_because = {},
                                             std::size_t pods_max = 1000);

}  // namespace capstan::runtime
