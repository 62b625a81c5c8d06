/// Pods that insist on their spread over zones only for a while: an annotation says how long. A
/// scheduler that has not been taught the same rule leaves such a pod waiting.
#pragma once

#include <optional>
#include <string_view>

#include <capstan/time.hpp>

#include "engine/snapshot/cluster.hpp"
#include "engine/snapshot/objects.hpp"

namespace capstan::engine::snapshot {

inline constexpr std::string_view default_spread_timeout_annotation =
    "zalando.org/topology-spread-timeout";

/// How long after its creation the pod insists; zero and less: not at all. Nothing: for ever, for
/// it has no constraint on zones, no such annotation, or one that is no duration as Go writes it.
std::optional<Duration> find_spread_timeout(const PodObject& pod, std::string_view annotation);

/// The pod as it is once its time is up: without its constraints on zones.
PodObject without_zone_spread(const PodObject& pod);

/// Whether the time of a pod created then is up, by the clock of PassTime::wall, as all times here.
/// A pod that is exactly so old still insists.
bool has_lapsed(Time created, Duration timeout, Time wall) noexcept;
/// The first moment at which it is up; nothing: not within the time that can be told.
std::optional<Time> lapse_of(Time created, Duration timeout) noexcept;

/// The class that the pod is of at that moment: its own, or once its time is up the one without
/// constraints on zones.
PodGroupId class_at(const Cluster& cluster, const PodRow& pod, Time wall) noexcept;

}  // namespace capstan::engine::snapshot
