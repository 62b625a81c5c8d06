#include "engine/drainability/drain_rules/drain_rules.hpp"
#include "engine/templates/daemons.hpp"

namespace capstan::engine {

Opinion judge_mirror(const PodRow&, const PodGroupRow& row, const DrainContext& context) {
    if (!is_mirror(context.cluster, row)) return std::nullopt;
    return DrainVerdict{.drain = Drain::skip};
}

}  // namespace capstan::engine
