#include "engine/drainability/drain_rules/drain_rules.hpp"
#include "engine/pods/nominated.hpp"

namespace capstan::engine::drainability {

// No node is added for an expendable pod, so no node is kept for it either.
Opinion judge_expendable(const snapshot::PodRow&, const snapshot::PodGroupRow& row,
                         const DrainContext& context) {
    if (!pods::is_expendable(*row.spec, context.settings)) return std::nullopt;
    return DrainVerdict{.drain = Drain::skip};
}

}  // namespace capstan::engine::drainability
