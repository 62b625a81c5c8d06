/// The drain rules applied to all pods of a node.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "engine/drainability/drain_rules/drain_rules.hpp"

namespace capstan::engine::drainability {

/// The pods of a node by Drain, each list by namespace and name. Skipped pods are left out.
struct NodePods {
    std::vector<PodIndex> moving{};        ///< Drain::move
    std::vector<PodIndex> daemons{};       ///< Drain::daemon
    std::optional<PodIndex> waits_for{};   ///< the first pod with Drain::wait
    std::optional<PodIndex> blocked_by{};  ///< the first pod with Drain::block
    /// The next moment on the clock of PassTime::now at which the result changes although nothing
    /// else does; absent: there is none.
    std::optional<Time> changes_at{};
};

/// judge() for many pods. If a verdict holds for all pods of an equivalence group, the rules are
/// not evaluated for each of these pods. Borrows what the context borrows. [engine thread]
class DrainJudge {
public:
    explicit DrainJudge(const DrainContext& context);

    Drain judge(PodIndex pod);
    /// The pods of the node. If a pod blocks it, `moving` and `daemons` are empty.
    NodePods sort(NodeIndex node);
    const DrainContext& context() const noexcept { return context_; }

private:
    /// `same`: the verdict holds for all pods of the equivalence group that are not being deleted.
    enum class Cached : std::uint8_t { nothing, same, differs };
    struct CachedVerdict {
        Cached cached = Cached::nothing;
        Drain drain = Drain::move;  ///< only for `same`
    };
    const CachedVerdict& cached_verdict(PodIndex pod);

    DrainContext context_;
    std::vector<CachedVerdict> verdicts_;  // by PodGroupId
};

/// "namespace/name"
std::string full_name(const snapshot::Cluster& cluster, PodIndex pod);

}  // namespace capstan::engine::drainability
