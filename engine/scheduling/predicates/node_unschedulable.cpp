#include "engine/scheduling/predicates/node_unschedulable.hpp"

#include <algorithm>

#include <capstan/taints.hpp>
#include <capstan/well_known.hpp>

namespace capstan::engine::scheduling {

bool tolerates_unschedulable(const snapshot::PodSpec& pod) noexcept {
    static const Taint cordon{std::string(well_known::unschedulable_taint), "",
                              Effect::no_schedule};
    return std::any_of(pod.tolerations.begin(), pod.tolerations.end(),
                       [](const Toleration& t) { return tolerates(t, cordon); });
}

std::optional<std::string> check_node_unschedulable(const snapshot::PodSpec& pod,
                                                    const NodeFacts& node) {
    if (!node.unschedulable || tolerates_unschedulable(pod)) return std::nullopt;
    return "node(s) were unschedulable";
}

}  // namespace capstan::engine::scheduling
