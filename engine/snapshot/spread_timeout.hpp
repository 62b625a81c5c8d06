/// Spread constraints over zones that hold only for some time after the creation of their pod. An
/// annotation of the pod has that time. A scheduler that does not know the annotation leaves such a
/// pod pending.
#pragma once

#include <optional>
#include <string_view>

#include <capstan/time.hpp>

#include "engine/snapshot/cluster.hpp"
#include "engine/snapshot/objects.hpp"

namespace capstan::engine::snapshot {

inline constexpr std::string_view default_spread_timeout_annotation =
    "zalando.org/topology-spread-timeout";

/// How long after the pod's creation its spread over zones holds; zero or less: not at all.
/// Absent: there is no time limit, since the pod has no constraint over zones or no such
/// annotation, or the annotation is not a duration in Go's format.
std::optional<Duration> find_spread_timeout(const PodObject& pod, std::string_view annotation);

/// The pod as it is after the timeout: without its spread constraints over zones.
PodObject without_zone_spread(const PodObject& pod);

/// Whether the spread of a pod that was `created` at that time has timed out at `wall`. All times
/// are by the clock of PassTime::wall. A pod that is exactly `timeout` old has not timed out yet,
/// unless `timeout` is zero.
bool has_lapsed(Time created, Duration timeout, Time wall) noexcept;
/// The first moment at which the spread has timed out; absent: later than a Time can be.
std::optional<Time> lapse_of(Time created, Duration timeout) noexcept;

/// The equivalence group of the pod at `wall`: its own, or after the timeout PodGroupRow::lapsed,
/// without spread constraints over zones.
PodGroupId equivalence_group_at(const Cluster& cluster, const PodRow& pod, Time wall) noexcept;

}  // namespace capstan::engine::snapshot
