/// The annotations of pods and nodes that an autoscaler reads. Except for
/// ClusterBuilderOptions::spread_timeout_annotation, the snapshot drops all others, which are
/// large, differ from pod to pod and decide nothing.
#pragma once

#include <algorithm>
#include <array>
#include <string_view>

#include <capstan/well_known.hpp>

namespace capstan::engine::snapshot {

inline constexpr std::array<std::string_view, 6> kept_annotation_prefixes = {
    "cluster-autoscaler.kubernetes.io",
    well_known::do_not_disrupt_annotation,
    well_known::delay_deletion_annotation_prefix,
    "kubernetes.io/config.",  // of the kubelet's own (static) pods
    "zalando.org/",
    "capstan.",
};

inline bool is_kept_annotation(std::string_view key) noexcept {
    return std::any_of(kept_annotation_prefixes.begin(), kept_annotation_prefixes.end(),
                       [&](std::string_view prefix) { return key.starts_with(prefix); });
}

}  // namespace capstan::engine::snapshot
