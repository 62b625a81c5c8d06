#include "engine/scale_down/drain_rules/rules.hpp"

namespace capstan::engine {

Opinion judge_not_safe_to_evict(const PodRow& pod, const ClassRow& row,
                                const DrainContext& context) {
    if (safe_to_evict(row, context.cluster) != "false") return std::nullopt;
    return block(pod, row, context, "NotSafeToEvictAnnotation",
                 " is not to be evicted: its safe-to-evict is false");
}

}  // namespace capstan::engine
