#include "engine/drainability/drain_rules/drain_rules.hpp"

namespace capstan::engine::drainability {

Opinion judge_safe_to_evict(const snapshot::PodRow&, const snapshot::PodGroupRow& row,
                            const DrainContext& context) {
    if (safe_to_evict(row, context.cluster) != "true") return std::nullopt;
    return DrainVerdict{.drain = Drain::move};
}

}  // namespace capstan::engine::drainability
