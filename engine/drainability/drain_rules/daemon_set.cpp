#include "engine/drainability/drain_rules/drain_rules.hpp"
#include "engine/templates/daemons.hpp"

namespace capstan::engine::drainability {

Opinion judge_daemon_set(const snapshot::PodRow&, const snapshot::PodGroupRow& row,
                         const DrainContext& context) {
    if (!templates::is_of_daemon_set(context.cluster, row)) return std::nullopt;
    return DrainVerdict{.drain = Drain::daemon};
}

}  // namespace capstan::engine::drainability
