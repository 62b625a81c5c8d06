/// The pods of a DaemonSet: which nodes take one, and what each looks like.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "engine/snapshot/pod_spec.hpp"
#include "simulation/control_plane/workloads/pod_control.hpp"

namespace capstan::simulation::control_plane {

/// What its template says, with what every daemon bears.
engine::snapshot::PodSpec daemon_spec(const json::object& set);

enum class DaemonVerdict {
    runs,   ///< the node is to have one
    stays,  ///< it is to have no new one, and may keep what it has
    goes,   ///< selector, affinity or a NoExecute taint are against it
};
DaemonVerdict judge_daemon(const engine::snapshot::PodSpec& spec, const json::object& node);

json::object make_daemon_pod(const Workload& set, std::string_view node,
                             std::string_view revision_hash);
/// The node that a daemon's pod is on, or asks for; empty: neither.
std::string daemon_node(const json::object& pod);

// DaemonSets: one pod on every node that takes it.

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

}  // namespace capstan::simulation::control_plane
