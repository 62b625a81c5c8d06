/// Candidates for scale-down: nodes of groups that have no pod that blocks their removal, and are
/// underutilized, or vacated (health/leaving_nodes.hpp) and without pods to move. Whether their
/// pods fit elsewhere is decided later (scale_down/relocation.hpp).
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "engine/decision.hpp"
#include "engine/health/health.hpp"
#include "engine/pass_view.hpp"
#include "engine/pods/disruption_budgets.hpp"

namespace capstan::engine::drainability {

/// A node that could be removed.
struct Candidate {
    NodeIndex node = 0;
    std::uint32_t group = 0;  ///< index into Snapshot::groups
    double utilization = 0;
    bool ready = true;
    std::vector<PodIndex> moving{};   ///< pods to evict, by namespace and name
    std::vector<PodIndex> daemons{};  ///< DaemonSet pods, likewise
    /// A pod that has to end by itself before the node is removed; absent: there is no such pod.
    std::optional<PodIndex> waits_for{};
    std::string waits_because{};
    /// Budgets do not allow the eviction of all pods at once.
    bool is_risky = false;
    /// When its machine leaves, if the node is vacated and ScaleDownSettings::drain_leaving_nodes
    /// is on.
    std::optional<Time> leaves_at{};

    bool is_empty() const noexcept { return moving.empty() && !waits_for; }
};

struct Candidates {
    std::vector<Candidate> nodes{};     ///< by NodeIndex
    std::vector<NodeVerdict> others{};  ///< all other nodes, by name, each with the reason
    /// Those of `others` that would be candidates if a disruption budget allowed it.
    std::vector<NodeIndex> short_of_budget{};
    /// The next moment at which the result changes although nothing else does; absent: there is
    /// none.
    std::optional<Time> wake_at{};
    /// The equivalence groups of all pods in Candidate::moving, ascending.
    std::vector<PodGroupId> moving_pod_groups() const;
    const snapshot::Cluster* cluster = nullptr;
};

/// `budgets`: before this pass takes any disruption off them.
Candidates find_candidates(const PassView& view, const health::Health& health,
                           const pods::DisruptionBudgets& budgets);

}  // namespace capstan::engine::drainability
