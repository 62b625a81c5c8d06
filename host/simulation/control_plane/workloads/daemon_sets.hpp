/// DaemonSets: one pod on every node that takes it.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "simulation/control_plane/workloads/revisions.hpp"

namespace capstan::simulation {

/// Their pods ask for their node by affinity, and the scheduler binds them. [the loop's thread]
class DaemonSets {
public:
    explicit DaemonSets(ControlContext& context);

private:
    struct Look;
    void reconcile(const std::string& key);
    void settle(Look& look);
    void roll(const Look& look);
    void write_counts(const std::string& key, const Look& look);

    ControlContext& context_;
    ReconcileQueue queue_;
};

}  // namespace capstan::simulation
