/// A problem of one Balancer. It stops nothing else.
#pragma once

#include <string>
#include <string_view>

namespace capstan::replicas {

/// The phase of a reconcile that met the problem: upstream's phases in their order, after our own
/// `spec` for mistakes in the object, and before our own `overflow` for replicas that no target can
/// take.
enum class Phase { spec, scale_polling, pod_listing, pod_labels, policy, writing, overflow };

/// The reason that a condition gives.
constexpr std::string_view name_of(Phase phase) noexcept {
    switch (phase) {
        case Phase::spec: return "SpecChecking";
        case Phase::scale_polling: return "ScaleSubresourcePolling";
        case Phase::pod_listing: return "PodListing";
        case Phase::pod_labels: return "PodLabelsChecking";
        case Phase::policy: return "ApplyingBalancerPolicy";
        case Phase::writing: return "ReplicaCountSetting";
        case Phase::overflow: return "ReplicasOverflow";
    }
    return "Unknown";
}

struct Problem {
    Phase phase = Phase::spec;
    std::string message{};
    bool operator==(const Problem&) const = default;
};

}  // namespace capstan::replicas
