/// In which order the pods of a node are evicted, and how long each gets to end.
#pragma once

#include <cstddef>
#include <optional>

#include <capstan/time.hpp>

#include "engine/settings.hpp"
#include "engine/snapshot/pod_spec.hpp"

namespace capstan::engine::removal {

/// The place of its group among ScaleDownSettings::drain_priorities: the last that asks for no
/// higher priority than the pod has, the first if all do.
std::size_t turn_of(const snapshot::PodSpec& spec, const ScaleDownSettings& settings) noexcept;
/// The shorter of what the pod asks for and what it is granted.
Duration grace_of(const snapshot::PodSpec& spec, const ScaleDownSettings& settings) noexcept;
/// What it is granted, where that is less than it asks for.
std::optional<Duration> find_shorter_grace(const snapshot::PodSpec& spec,
                                           const ScaleDownSettings& settings) noexcept;

}  // namespace capstan::engine::removal
