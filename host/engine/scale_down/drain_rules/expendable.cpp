#include "engine/scale_down/drain_rules/rules.hpp"
#include "engine/scale_up/nominated.hpp"

namespace capstan::engine {

// Nobody starts a node for such a pod, so nobody keeps one for it either.
Opinion judge_expendable(const PodRow&, const ClassRow& row, const DrainContext& context) {
    if (!is_expendable(*row.spec, context.settings)) return std::nullopt;
    return DrainVerdict{.drain = Drain::skip};
}

}  // namespace capstan::engine
