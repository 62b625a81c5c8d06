/// DaemonSets: one pod on every node that is eligible.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "engine/snapshot/pod_spec.hpp"
#include "simulator/control_plane/workloads/pod_control.hpp"

namespace capstan::simulator::control_plane {

/// The pod spec of the template, with the tolerations that all pods of DaemonSets have.
engine::snapshot::PodSpec daemon_spec(const json::object& set);

enum class DaemonVerdict {
    runs,   ///< the node should run a pod
    stays,  ///< the node gets no new pod, and keeps a pod that it has
    goes,   ///< node selector, affinity or a NoExecute taint exclude the node
};
DaemonVerdict judge_daemon(const engine::snapshot::PodSpec& spec, const json::object& node);

json::object make_daemon_pod(const Workload& set, std::string_view node,
                             std::string_view revision_hash);
/// The node that a pod of a DaemonSet is bound to, or that its affinity names; empty: neither.
std::string daemon_node(const json::object& pod);

/// Makes and deletes the pods of DaemonSets. The affinity of each pod names its node, and the
/// scheduler binds the pod. [the loop's thread]
class DaemonSets {
public:
    explicit DaemonSets(ControlContext& context);

private:
    struct SyncState;
    void reconcile(const std::string& key);
    void place_pods(SyncState& sync);
    void roll(const SyncState& sync);
    void write_counts(const std::string& key, const SyncState& sync);

    ControlContext& context_;
    ReconcileQueue queue_;
};

}  // namespace capstan::simulator::control_plane
