#include "engine/drainability/drain_rules/drain_rules.hpp"
#include "engine/pods/nominated.hpp"

namespace capstan::engine {

// Nobody starts a node for such a pod, so nobody keeps one for it either.
Opinion judge_expendable(const PodRow&, const PodGroupRow& row, const DrainContext& context) {
    if (!is_expendable(*row.spec, context.settings)) return std::nullopt;
    return DrainVerdict{.drain = Drain::skip};
}

}  // namespace capstan::engine
