#include <algorithm>
#include <chrono>

#include "engine/drainability/drain_rules/drain_rules.hpp"

namespace capstan::engine::drainability {
namespace {

using std::chrono::seconds;

constexpr Duration default_grace = seconds(30), patience = seconds(30);

}  // namespace

std::optional<Time> given_up_after(const snapshot::PodRow& pod,
                                   const snapshot::PodGroupRow& row) noexcept {
    if (!pod.deleted) return std::nullopt;
    const Duration grace =
        std::max(row.spec->termination_grace.value_or(default_grace), Duration(0));
    const Duration left = Time::max() - std::max(pod.deleted_at, Time());
    // A grace period may be longer than a Time can hold.
    return grace > left - patience ? Time::max() : pod.deleted_at + grace + patience;
}

bool is_long_terminating(const snapshot::PodRow& pod, const snapshot::PodGroupRow& row,
                         Time wall) noexcept {
    const std::optional<Time> after = given_up_after(pod, row);
    return after && wall > *after;
}

Opinion judge_long_terminating(const snapshot::PodRow& pod, const snapshot::PodGroupRow& row,
                               const DrainContext& context) {
    if (!is_long_terminating(pod, row, context.time.wall)) return std::nullopt;
    return DrainVerdict{.drain = Drain::skip};
}

}  // namespace capstan::engine::drainability
