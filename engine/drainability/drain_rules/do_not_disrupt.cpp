#include <algorithm>
#include <string>

#include <capstan/duration.hpp>
#include <capstan/well_known.hpp>

#include "engine/drainability/drain_rules/drain_rules.hpp"

namespace capstan::engine::drainability {

/// Karpenter's annotation: "true", or for how long after its creation the pod is protected. Another
/// value counts as absent, as for Karpenter.
Opinion judge_do_not_disrupt(const snapshot::PodRow& pod, const snapshot::PodGroupRow& row,
                             const DrainContext& context) {
    const auto value = snapshot::find_label(context.cluster, row.annotations,
                                            well_known::do_not_disrupt_annotation);
    if (!value) return std::nullopt;
    const std::string text(context.cluster.text(*value));
    constexpr std::string_view reason = "NotSafeToEvictAnnotation";
    if (text == "true")
        return block(pod, row, context, reason,
                     " must not be disrupted: annotation karpenter.sh/do-not-disrupt is true");
    const Result<Duration> length = parse_duration(text);
    if (!length || *length <= Duration(0)) return std::nullopt;
    const Time created = context.time.measured(pod.created);
    if (context.time.now - created > *length) return std::nullopt;
    DrainVerdict out = block(pod, row, context, reason,
                             " must not be disrupted for " + text +
                                 " after its creation: annotation karpenter.sh/do-not-disrupt");
    if (*length < Time::max() - std::max(created, Time()))
        out.until = created + *length + Duration(1);
    return out;
}

}  // namespace capstan::engine::drainability
