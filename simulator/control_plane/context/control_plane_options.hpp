/// The delays of a control plane, the annotations of pods and nodes that change them, and the
/// configuration of its scheduler.
#pragma once

#include <string_view>

#include <cstdint>

#include <vector>

#include <capstan/time.hpp>

#include "engine/snapshot/default_spread.hpp"

namespace capstan::simulator::control_plane {

// Annotations of pods, also in templates; durations are written "90s", "1m30s".

/// The time from a pod's binding until it is ready.
inline constexpr std::string_view start_up_annotation = "simulation.capstan.io/start-up";
/// The time for which the containers of a pod then run until they end by themselves.
inline constexpr std::string_view run_for_annotation = "simulation.capstan.io/run-for";
/// The exit code of the containers; any other than 0 is a failure.
inline constexpr std::string_view exit_code_annotation = "simulation.capstan.io/exit-code";
/// An annotation of nodes: with the value "stopped" the node's kubelet stops, until the annotation
/// is removed.
inline constexpr std::string_view kubelet_annotation = "simulation.capstan.io/kubelet";

/// The delays are those at speed 1 and are divided by `speed`. So are the seconds in objects: grace
/// periods, deadlines, tolerations.
struct ControlPlaneOptions {
    double speed = 1;  ///< above 0
    /// From a pod's binding until it is ready, without an annotation.
    Duration pod_start_up = std::chrono::seconds(2);
    /// From the start of a Job's pod until it succeeds, without an annotation.
    Duration job_run_time = std::chrono::seconds(10);
    /// From a node's registration until it is ready, if it is not ready from the start.
    Duration node_start_up = std::chrono::seconds(1);
    /// How often each kubelet renews the Lease of its node, by the clock, whatever the speed. Zero:
    /// nodes have no Leases, which saves most of the work for a large cluster that is idle.
    Duration heartbeat = std::chrono::seconds(20);
    /// The part of its grace period that a pod takes to stop, from 0 to 1.
    double grace_share = 0.1;
    std::uint64_t seed = 1;  ///< of the times of heartbeats
    /// The scheduler's default constraints, for pods without spread constraints of their own.
    std::vector<engine::snapshot::DefaultSpread> default_spread{};
};

}  // namespace capstan::simulator::control_plane
