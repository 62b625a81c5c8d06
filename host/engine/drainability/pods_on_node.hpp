/// What becomes of the pods of a node that is to go.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "engine/drainability/drain_rules/drain_rules.hpp"

namespace capstan::engine::drainability {

/// Pods by namespace and name. Those that rules skip are in none of it.
struct NodePods {
    std::vector<snapshot::PodIndex> moving{};                     ///< need another place
    std::vector<snapshot::PodIndex> daemons{};                    ///< go with the node
    std::optional<snapshot::PodIndex> waits_for{}, blocked_by{};  ///< the first of such pods
    std::optional<Time>
        changes_at{};  ///< when time alone makes something of it otherwise, by `now`
};

/// judge() for many pods. What holds for all pods of a class is found out once.
/// Borrows what the context does. [engine thread]
class DrainJudge {
public:
    explicit DrainJudge(const DrainContext& context);

    Drain judge(snapshot::PodIndex pod);
    /// While the node is blocked, `moving` and `daemons` are empty.
    NodePods sort(snapshot::NodeIndex node);
    const DrainContext& context() const noexcept { return context_; }

private:
    enum class Known : std::uint8_t { nothing, same, differs };
    struct OfClass {
        Known known = Known::nothing;
        Drain drain = Drain::move;
    };
    const OfClass& of_class(snapshot::PodIndex pod);

    DrainContext context_;
    std::vector<OfClass> classes_;
};

/// "namespace/name"
std::string full_name(const snapshot::Cluster& cluster, snapshot::PodIndex pod);

}  // namespace capstan::engine::drainability
