#include "engine/scale_down/drain_rules/rules.hpp"
#include "engine/templates/daemons.hpp"

namespace capstan::engine {

Opinion judge_mirror(const PodRow&, const ClassRow& row, const DrainContext& context) {
    if (!is_mirror(context.cluster, row)) return std::nullopt;
    return DrainVerdict{.drain = Drain::skip};
}

}  // namespace capstan::engine
