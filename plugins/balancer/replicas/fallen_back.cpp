#include "fallen_back.hpp"

#include "conditions.hpp"

namespace capstan::replicas {

std::optional<Time> hold_end(const Balancer& balancer, std::int64_t fallback, Duration hold,
                             Time now) {
    if (fallback > 0 || hold <= Duration::zero()) return std::nullopt;
    const auto condition = find_condition(balancer.status, fallen_back);
    if (!condition || condition->observed_generation != balancer.generation) return std::nullopt;
    const Time since = condition->is_true ? now : condition->since.value_or(now - hold);
    if (now - since >= hold) return std::nullopt;
    return since + hold;
}

}  // namespace capstan::replicas
