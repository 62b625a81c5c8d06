#include "engine/drainability/drain_rules/drain_rules.hpp"
#include "engine/templates/daemons.hpp"

namespace capstan::engine {

Opinion judge_daemon_set(const PodRow&, const PodGroupRow& row, const DrainContext& context) {
    if (!is_of_daemon_set(context.cluster, row)) return std::nullopt;
    return DrainVerdict{.drain = Drain::daemon};
}

}  // namespace capstan::engine
