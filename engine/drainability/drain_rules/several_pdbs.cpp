#include <capstan/sentence.hpp>

#include "engine/drainability/drain_rules/drain_rules.hpp"

namespace capstan::engine::drainability {

// The API server refuses to evict a pod with several budgets, whatever the budgets allow.
Opinion judge_several_pdbs(const snapshot::PodRow& pod, const snapshot::PodGroupRow& row,
                           const DrainContext& context) {
    if (pod.deleted) return std::nullopt;
    const std::vector<std::string> names = context.budgets.names_of(pod.equivalence_group);
    if (names.size() < 2) return std::nullopt;
    return block(pod, row, context, "NotEnoughPdb",
                 " cannot be evicted: it is in more than one budget, which the API refuses: " +
                     listed(names, [](const std::string& name) { return name; }));
}

}  // namespace capstan::engine::drainability
