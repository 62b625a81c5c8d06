#include "engine/drainability/drain_rules/drain_rules.hpp"

namespace capstan::engine::drainability {

// A Job's pod loses its work when it is evicted. The annotation safe-to-evict of the pod does not
// change the verdict unless the setting safe_to_evict_frees_jobs is on.
Opinion judge_job(const snapshot::PodRow& pod, const snapshot::PodGroupRow& row,
                  const DrainContext& context) {
    const ScaleDownSettings& settings = context.settings.scale_down;
    if (!settings.job_pods_unmovable || !row.owner->job_among_owners) return std::nullopt;
    if (settings.safe_to_evict_frees_jobs && safe_to_evict(row, context.cluster) == "true") {
        return std::nullopt;
    }
    return block(pod, row, context, "NotReplicated", " belongs to a Job and would lose its work");
}

}  // namespace capstan::engine::drainability
