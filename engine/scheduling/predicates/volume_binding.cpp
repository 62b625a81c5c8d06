#include "engine/scheduling/predicates/volume_binding.hpp"

#include <capstan/labels.hpp>

namespace capstan::engine::scheduling {

bool holds(const VolumeCondition& condition, const NodeFacts& node) noexcept {
    return matches_any(condition.any_of, node.labels, node.name);
}

std::optional<Refusal> check_volume_binding(const VolumeNeeds& needs, const NodeFacts& node) {
    if (needs.refusal) return needs.refusal;
    for (const VolumeCondition& condition : needs.conditions) {
        if (!holds(condition, node)) return Refusal{condition.predicate, condition.sentence};
    }
    return std::nullopt;
}

}  // namespace capstan::engine::scheduling
