#include "engine/drainability/drain_rules/drain_rules.hpp"

namespace capstan::engine::drainability {

// The status of the budget already counts a pod that is being deleted, so such a pod takes no
// further disruption.
Opinion judge_pdb(const snapshot::PodRow& pod, const snapshot::PodGroupRow& row,
                  const DrainContext& context) {
    if (pod.deleted) return std::nullopt;
    const std::string shortage = context.budgets.why_none_left(pod.equivalence_group);
    if (shortage.empty()) return std::nullopt;
    return block(pod, row, context, "NotEnoughPdb", " cannot be evicted: " + shortage);
}

}  // namespace capstan::engine::drainability
