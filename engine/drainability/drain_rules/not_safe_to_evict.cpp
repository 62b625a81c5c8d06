#include "engine/drainability/drain_rules/drain_rules.hpp"

namespace capstan::engine::drainability {

Opinion judge_not_safe_to_evict(const snapshot::PodRow& pod, const snapshot::PodGroupRow& row,
                                const DrainContext& context) {
    if (safe_to_evict(row, context.cluster) != "false") return std::nullopt;
    return block(pod, row, context, "NotSafeToEvictAnnotation",
                 " must not be evicted: annotation safe-to-evict is false");
}

}  // namespace capstan::engine::drainability
