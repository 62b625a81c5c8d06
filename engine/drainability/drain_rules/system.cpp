#include <capstan/duration.hpp>

#include "engine/drainability/drain_rules/drain_rules.hpp"

namespace capstan::engine::drainability {

Opinion judge_system(const snapshot::PodRow& pod, const snapshot::PodGroupRow& row,
                     const DrainContext& context) {
    const ScaleDownSettings& settings = context.settings.scale_down;
    if (context.cluster.text(row.ns) != "kube-system" || !settings.skip_nodes_with_system_pods ||
        context.budgets.cover(pod.equivalence_group)) {
        return std::nullopt;
    }
    const Duration timeout = settings.blocking_system_pod_disruption_timeout;
    const Time created = context.time.measured(pod.created);
    if (context.time.now - created > timeout) {
        // The annotations count for more than the age of the pod.
        const bool has_annotation = safe_to_evict(row, context.cluster) == "false" ||
                                    judge_do_not_disrupt(pod, row, context);
        if (has_annotation) return std::nullopt;
        return DrainVerdict{.drain = Drain::move};
    }
    DrainVerdict out = block(pod, row, context, "UnmovableKubeSystemPod",
                             " is a kube-system pod without a PodDisruptionBudget, younger than " +
                                 format_duration(timeout));
    if (timeout < Time::max() - std::max(created, Time())) {
        out.until = created + timeout + Duration(1);
    }
    return out;
}

}  // namespace capstan::engine::drainability
