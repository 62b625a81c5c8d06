/// Nodes that could go as far as they themselves are concerned: of a group, little used, with no
/// pod that has to stay. Where their pods would go is relocation.hpp's question.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "engine/decision.hpp"
#include "engine/health/health.hpp"
#include "engine/memory.hpp"
#include "engine/pods/disruption_budgets.hpp"
#include "engine/settings.hpp"
#include "engine/snapshot.hpp"
#include "engine/templates/membership.hpp"

namespace capstan::engine::drainability {

struct Candidate {
    snapshot::NodeIndex node = 0;
    std::uint32_t group = 0;  ///< by its place in the snapshot
    double utilization = 0;
    bool ready = true;
    std::vector<snapshot::PodIndex>
        moving{};  ///< pods that need another place, by namespace and name
    std::vector<snapshot::PodIndex> daemons{};  ///< pods that go with the node, likewise
    /// A pod that the node waits for; nothing: it need not wait.
    std::optional<snapshot::PodIndex> waits_for{};
    std::string waits_because{};
    /// Budgets allow each pod to go, but not all of them at once.
    bool is_risky = false;

    bool is_empty() const noexcept { return moving.empty() && !waits_for; }
};

struct Candidates {
    std::vector<Candidate> nodes{};     ///< by NodeIndex
    std::vector<NodeVerdict> others{};  ///< every other node, by name, with what keeps it
    /// When time alone makes another node of it; nothing: it does not.
    std::optional<Time> wake_at{};
    /// Classes of pods that would have to move, ascending.
    std::vector<snapshot::PodGroupId> classes() const;
    const snapshot::Cluster* cluster = nullptr;
};

/// `budgets`: as they stand before this pass takes any.
Candidates find_candidates(const Snapshot& snapshot, const templates::Membership& membership,
                           const health::Health& health, const Memory& memory,
                           const pods::DisruptionBudgets& budgets, const Settings& settings,
                           const PassTime& time);

}  // namespace capstan::engine::drainability
