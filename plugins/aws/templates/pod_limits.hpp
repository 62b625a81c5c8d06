/// How many pods a node takes: with the VPC CNI each has an address of the node's interfaces.
///
///     m5.large: 3 interfaces of 10 addresses     3 * (10 - 1) + 2  ->  29
///     the same with prefixes of 16 addresses     3 * (10 - 1) * 16 + 2 = 434  ->  110
///
/// One address of each interface is its own, and two pods, the CNI's and kube-proxy, need none.
#pragma once

#include <cstdint>
#include <optional>

#include "../api/instance_type.hpp"

namespace capstan::aws {

/// The kubelet's own limit.
inline constexpr std::int64_t usual_pods = 110;

struct PodLimitSources {
    bool vpc_cni = false;            ///< else the kubelet's own limit holds
    bool prefix_delegation = false;  ///< of the VPC CNI; of types that have it
    bool windows = false;            ///< its pods are limited by a resource of their own
    bool managed = false;            ///< by EKS, with an image of EKS
};

/// By single addresses, as kubelet's reserves are reckoned whatever else is set. Nothing: the type
/// does not tell its interfaces.
std::optional<std::int64_t> count_eni_pods(const InstanceType& type) noexcept;

/// With prefixes, and in node groups that EKS manages in any case, at most 110 up to 30 cores, and
/// 250 above.
std::int64_t count_pods(const InstanceType& type, const PodLimitSources& sources) noexcept;

/// Addresses for pods of a Windows node, whose one interface they share: the resource
/// `vpc.amazonaws.com/PrivateIPv4Address`. Nothing: the type does not tell.
std::optional<std::int64_t> count_windows_addresses(const InstanceType& type,
                                                    bool prefix_delegation) noexcept;

}  // namespace capstan::aws
