#include "engine/removal/eviction_order.hpp"

#include <algorithm>
#include <chrono>

namespace capstan::engine::removal {
namespace {

constexpr Duration api_default = std::chrono::seconds(30);

Duration granted(const snapshot::PodSpec& spec, const ScaleDownSettings& settings) noexcept {
    return settings.drain_priorities.empty()
               ? settings.max_graceful_termination
               : settings.drain_priorities[turn_of(spec, settings)].grace;
}

}  // namespace

std::size_t turn_of(const snapshot::PodSpec& spec, const ScaleDownSettings& settings) noexcept {
    const auto& groups = settings.drain_priorities;
    const auto above =
        std::ranges::upper_bound(groups, spec.priority.value_or(0), {}, &DrainPriority::priority);
    const auto at = static_cast<std::size_t>(above - groups.begin());
    return at == 0 ? 0 : at - 1;
}

Duration grace_of(const snapshot::PodSpec& spec, const ScaleDownSettings& settings) noexcept {
    return std::min(spec.termination_grace.value_or(api_default), granted(spec, settings));
}

std::optional<Duration> find_shorter_grace(const snapshot::PodSpec& spec,
                                           const ScaleDownSettings& settings) noexcept {
    const Duration most = granted(spec, settings);
    if (most >= spec.termination_grace.value_or(api_default)) return std::nullopt;
    return most;
}

}  // namespace capstan::engine::removal
