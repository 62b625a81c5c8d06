/// The number of pods that fit on a node. With the VPC CNI each pod needs an IP address of one of
/// the node's network interfaces, so the interfaces limit the number.
///
///     m5.large: 3 interfaces of 10 addresses     3 * (10 - 1) + 2  ->  29
///     m5.large with prefixes of 16 addresses     3 * (10 - 1) * 16 + 2 = 434  ->  110
///
/// The primary address of each interface is not for pods. Two pods, the CNI's and kube-proxy, use
/// the host's network and need no address.
#pragma once

#include <cstdint>
#include <optional>

#include "../api/instance_type.hpp"

namespace capstan::aws {

/// Kubelet's default limit.
inline constexpr std::int64_t default_max_pods = 110;

struct PodLimitSources {
    bool vpc_cni = false;            ///< false: default_max_pods is the limit
    bool prefix_delegation = false;  ///< used by types that support it
    bool windows = false;  ///< default_max_pods is the limit; count_windows_addresses limits, too
    bool managed = false;  ///< in a managed node group with an image of EKS
};

/// The number of pods by single addresses, without prefixes. Kubelet's reserves are computed from
/// it, except those of Bottlerocket. Absent if the interfaces of the type are unknown.
std::optional<std::int64_t> count_eni_pods(const InstanceType& type) noexcept;

/// With prefixes, and in managed node groups, the result is capped: 110 for up to 30 cores, and 250
/// above.
std::int64_t count_pods(const InstanceType& type, const PodLimitSources& sources) noexcept;

/// The addresses for pods of a Windows node, which uses one interface: the resource
/// `vpc.amazonaws.com/PrivateIPv4Address`. Absent if the interfaces of the type are unknown.
std::optional<std::int64_t> count_windows_addresses(const InstanceType& type,
                                                    bool prefix_delegation) noexcept;

}  // namespace capstan::aws
