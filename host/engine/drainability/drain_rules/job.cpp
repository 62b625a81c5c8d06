#include "engine/drainability/drain_rules/drain_rules.hpp"

namespace capstan::engine::drainability {

// What a Job's pod has done so far is lost when it moves. Nothing a pod may carry frees its node,
// unless the operator says that safe-to-evict does.
Opinion judge_job(const snapshot::PodRow& pod, const snapshot::PodGroupRow& row,
                  const DrainContext& context) {
    const ScaleDownSettings& settings = context.settings.scale_down;
    if (!settings.job_pods_unmovable || !row.owner->job_among_owners) return std::nullopt;
    if (settings.safe_to_evict_frees_jobs && safe_to_evict(row, context.cluster) == "true") {
        return std::nullopt;
    }
    return block(pod, row, context, "NotReplicated", " is of a Job, whose work it would lose");
}

}  // namespace capstan::engine::drainability
