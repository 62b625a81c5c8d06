#include "engine/scale_down/drain_rules/rules.hpp"

namespace capstan::engine {

Opinion judge_safe_to_evict(const PodRow&, const ClassRow& row, const DrainContext& context) {
    if (safe_to_evict(row, context.cluster) != "true") return std::nullopt;
    return DrainVerdict{.drain = Drain::move};
}

}  // namespace capstan::engine
