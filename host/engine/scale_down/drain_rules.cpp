#include "engine/scale_down/drain_rules.hpp"

namespace capstan::engine {

std::span<const DrainRule> drain_rules() noexcept { return {}; }

DrainVerdict judge(PodIndex, const DrainContext&) { return {}; }

}  // namespace capstan::engine
