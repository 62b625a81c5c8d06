#include "engine/scale_down/drain_rules/rules.hpp"

namespace capstan::engine {

std::string_view safe_to_evict(const ClassRow& row, const Cluster& cluster) noexcept {
    const auto said =
        find_label(cluster, row.annotations, "cluster-autoscaler.kubernetes.io/safe-to-evict");
    return said ? cluster.text(*said) : std::string_view();
}

std::string pod_name(const PodRow& pod, const ClassRow& row, const Cluster& cluster) {
    std::string out = "pod ";
    out.append(cluster.text(row.ns)).append("/").append(cluster.text(pod.name));
    return out;
}

DrainVerdict block(const PodRow& pod, const ClassRow& row, const DrainContext& context,
                   std::string_view reason, std::string_view sentence) {
    return {.drain = Drain::block,
            .reason = reason,
            .sentence = pod_name(pod, row, context.cluster).append(sentence)};
}

}  // namespace capstan::engine
