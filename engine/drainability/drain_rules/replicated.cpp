#include <algorithm>
#include <array>

#include "engine/drainability/drain_rules/drain_rules.hpp"

namespace capstan::engine::drainability {

Opinion judge_replicated(const snapshot::PodRow& pod, const snapshot::PodGroupRow& row,
                         const DrainContext& context) {
    constexpr std::array<std::string_view, 4> kinds{"Job", "ReplicaSet", "ReplicationController",
                                                    "StatefulSet"};
    const std::string& kind = row.owner->kind;
    if (kind.empty()) {
        return block(pod, row, context, "NotReplicated",
                     " has no controller that would recreate it");
    }
    if (!context.settings.scale_down.skip_nodes_with_custom_controller_pods ||
        std::ranges::find(kinds, kind) != kinds.end()) {
        return std::nullopt;
    }
    return block(pod, row, context, "NotReplicated",
                 " has a controller that is not built in: " + kind + " " + row.owner->name);
}

}  // namespace capstan::engine::drainability
