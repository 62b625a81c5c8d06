#include "engine/drainability/drain_rules/drain_rules.hpp"

namespace capstan::engine::drainability {

Opinion judge_on_completion(const snapshot::PodRow& pod, const snapshot::PodGroupRow& row,
                            const DrainContext& context) {
    if (safe_to_evict(row, context.cluster) != "on-completion") return std::nullopt;
    return DrainVerdict{.drain = Drain::wait,
                        .sentence = pod_name(pod, row, context.cluster) +
                                    " is waited for: annotation safe-to-evict is on-completion"};
}

}  // namespace capstan::engine::drainability
