#include "engine/scheduling/predicates/taint_toleration.hpp"

#include <algorithm>

namespace capstan::engine::scheduling {

const Taint* find_untolerated_taint(const snapshot::PodSpec& pod,
                                    std::span<const Taint> taints) noexcept {
    for (const Taint& taint : taints) {
        if (taint.effect == Effect::prefer_no_schedule) continue;
        if (std::none_of(pod.tolerations.begin(), pod.tolerations.end(),
                         [&](const Toleration& t) { return tolerates(t, taint); })) {
            return &taint;
        }
    }
    return nullptr;
}

std::optional<std::string> check_taint_toleration(const snapshot::PodSpec& pod,
                                                  const NodeFacts& node) {
    const Taint* taint = find_untolerated_taint(pod, node.taints);
    if (!taint) return std::nullopt;
    return "node(s) had untolerated taint {" + taint->key + ": " + taint->value + "}";
}

}  // namespace capstan::engine::scheduling
