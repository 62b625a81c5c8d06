#include "pod_limits.hpp"

#include <algorithm>

namespace capstan::aws {
namespace {

constexpr std::int64_t addresses_of_prefix = 16;
constexpr std::int64_t pods_without_address = 2;

std::int64_t most_pods(const InstanceType& type) noexcept { return type.vcpus > 30 ? 250 : 110; }

std::int64_t addresses_for_pods(const InstanceType& type, bool by_prefixes) noexcept {
    const std::int64_t single = type.ipv4_per_interface - 1;
    return by_prefixes && type.has_prefix_delegation ? single * addresses_of_prefix : single;
}

bool tells_interfaces(const InstanceType& type) noexcept {
    return type.network_interfaces > 0 && type.ipv4_per_interface > 0;
}

}  // namespace

std::optional<std::int64_t> count_eni_pods(const InstanceType& type) noexcept {
    if (!tells_interfaces(type)) return std::nullopt;
    return type.network_interfaces * addresses_for_pods(type, false) + pods_without_address;
}

std::int64_t count_pods(const InstanceType& type, const PodLimitSources& sources) noexcept {
    if (!sources.vpc_cni || sources.windows || !tells_interfaces(type)) return default_max_pods;
    const bool by_prefixes = sources.prefix_delegation && type.has_prefix_delegation;
    const std::int64_t pods =
        type.network_interfaces * addresses_for_pods(type, by_prefixes) + pods_without_address;
    return by_prefixes || sources.managed ? std::min(pods, most_pods(type)) : pods;
}

std::optional<std::int64_t> count_windows_addresses(const InstanceType& type,
                                                    bool prefix_delegation) noexcept {
    if (!tells_interfaces(type)) return std::nullopt;
    return addresses_for_pods(type, prefix_delegation);
}

}  // namespace capstan::aws
