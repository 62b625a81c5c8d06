#include "engine/snapshot/spread_timeout.hpp"

#include <algorithm>

#include <capstan/duration.hpp>
#include <capstan/well_known.hpp>

namespace capstan::engine::snapshot {
namespace {

bool is_over_zones(const SpreadConstraint& constraint) {
    return constraint.topology_key == well_known::zone_label;
}

}  // namespace

std::optional<Duration> find_spread_timeout(const PodObject& pod, std::string_view annotation) {
    if (annotation.empty() || std::ranges::none_of(pod.spec.spread, is_over_zones)) return {};
    const auto at = pod.annotations.find(annotation);
    // parse_duration knows days, but Go's format does not, and so neither does the scheduler.
    if (at == pod.annotations.end() || at->second.find('d') != std::string::npos) return {};
    const Result<Duration> timeout = parse_duration(at->second);
    return timeout ? std::optional(*timeout) : std::nullopt;
}

PodObject without_zone_spread(const PodObject& pod) {
    PodObject out = pod;
    if (std::erase_if(out.spec.spread, is_over_zones) > 0) out.spec.has_soft_spread = true;
    return out;
}

std::optional<Time> lapse_of(Time created, Duration timeout) noexcept {
    const Duration age = std::max(timeout, Duration(0));
    constexpr Time last = Time::max() - Duration(1);
    if (created > Time() && age > last - created) return std::nullopt;
    return created + age + Duration(1);
}

bool has_lapsed(Time created, Duration timeout, Time wall) noexcept {
    // The spread never holds, not even for a pod that was created at this very moment.
    if (timeout <= Duration(0)) return true;
    const std::optional<Time> lapse = lapse_of(created, timeout);
    return lapse && *lapse <= wall;
}

PodGroupId equivalence_group_at(const Cluster& cluster, const PodRow& pod, Time wall) noexcept {
    const PodGroupRow& row = cluster.equivalence_group(pod.equivalence_group);
    const bool is_over = row.spread_timeout && has_lapsed(pod.created, *row.spread_timeout, wall);
    return is_over ? row.lapsed : pod.equivalence_group;
}

}  // namespace capstan::engine::snapshot
