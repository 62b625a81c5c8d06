/// Candidates for scale-down: nodes that are in a group, underutilized, and have no pod that blocks
/// their removal. Whether their pods fit elsewhere is decided later (scale_down/relocation.hpp).
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
    /// Budgets allow the eviction of each pod, but not of all pods at once.
    bool is_risky = false;
    /// When its machine leaves, if the node is vacated (health/leaving_nodes.hpp). Such a node is a
    /// candidate only if it has no pods to move.
    std::optional<Time> leaves_at{};

    bool is_empty() const noexcept { return moving.empty() && !waits_for; }
};

struct Candidates {
    std::vector<Candidate> nodes{};     ///< by NodeIndex
    std::vector<NodeVerdict> others{};  ///< every other node, by name, with the reason to keep it
    /// The next moment at which the result changes although nothing else does; absent: there is
    /// none.
    std::optional<Time> wake_at{};
    /// The equivalence groups of all pods in Candidate::moving, ascending.
    std::vector<PodGroupId> moving_pod_groups() const;
    const snapshot::Cluster* cluster = nullptr;
};

/// `budgets`: before this pass takes any disruption.
Candidates find_candidates(const PassView& view, const health::Health& health,
                           const pods::DisruptionBudgets& budgets);

}  // namespace capstan::engine::drainability
