/// How quickly the parts of a control plane go about their work, and what its scheduler is told.
#pragma once

#include <string_view>

#include <cstdint>

#include <vector>

#include <capstan/time.hpp>

#include "engine/snapshot/default_spread.hpp"

namespace capstan::simulation::control_plane {

/// Annotations of pods, in templates too; durations are written "90s", "1m30s".
/// How long from the pod's node until it is ready.
inline constexpr std::string_view start_up_annotation = "simulation.capstan.io/start-up";
/// How long it then runs until it ends by itself, where its restartPolicy lets it.
inline constexpr std::string_view run_for_annotation = "simulation.capstan.io/run-for";
/// With which code it ends; anything but 0 is a failure.
inline constexpr std::string_view exit_code_annotation = "simulation.capstan.io/exit-code";
/// Of nodes: "stopped" lets its kubelet fall silent, until the annotation goes.
inline constexpr std::string_view kubelet_annotation = "simulation.capstan.io/kubelet";

/// Delays are those of a real cluster at speed 1, and are divided by `speed`; so are the seconds
/// that objects speak of: graces, deadlines, tolerations.
struct ControlPlaneOptions {
    double speed = 1;  ///< above 0
    /// From a pod's node until it is ready, unless it is annotated.
    Duration pod_start_up = std::chrono::seconds(2);
    /// From a Job's pod's start until it has succeeded, unless it is annotated.
    Duration job_run_time = std::chrono::seconds(10);
    /// From a node's registration until it is ready, where it does not come ready.
    Duration node_start_up = std::chrono::seconds(1);
    /// The part of its grace that a pod takes to stop, from 0 to 1.
    double grace_share = 0.1;
    std::uint64_t seed = 1;  ///< of when each node's heartbeats come
    /// What the scheduler spreads pods over that have no constraints of their own.
    std::vector<engine::snapshot::DefaultSpread> default_spread{};
};

}  // namespace capstan::simulation::control_plane
