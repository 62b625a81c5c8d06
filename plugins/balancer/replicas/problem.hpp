/// What goes wrong with one Balancer while all else goes on.
#pragma once

#include <string>
#include <string_view>

namespace capstan::replicas {

/// Where; upstream's phases, in their order, and one of our own for what is written in the object.
enum class Phase { spec, scale_polling, pod_listing, pod_labels, policy, writing };

/// As conditions name it.
constexpr std::string_view name_of(Phase phase) noexcept {
    switch (phase) {
        case Phase::spec: return "SpecChecking";
        case Phase::scale_polling: return "ScaleSubresourcePolling";
        case Phase::pod_listing: return "PodListing";
        case Phase::pod_labels: return "PodLabelsChecking";
        case Phase::policy: return "ApplyingBalancerPolicy";
        case Phase::writing: return "ReplicaCountSetting";
    }
    return "Unknown";
}

struct Problem {
    Phase phase = Phase::spec;
    std::string message{};
    bool operator==(const Problem&) const = default;
};

}  // namespace capstan::replicas
