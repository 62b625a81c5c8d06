#include "engine/drainability/drain_rules/drain_rules.hpp"
#include "engine/templates/daemons.hpp"

namespace capstan::engine::drainability {

Opinion judge_mirror(const snapshot::PodRow&, const snapshot::PodGroupRow& row,
                     const DrainContext& context) {
    if (!templates::is_mirror(context.cluster, row)) return std::nullopt;
    return DrainVerdict{.drain = Drain::skip};
}

}  // namespace capstan::engine::drainability
