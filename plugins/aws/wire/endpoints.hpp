/// Where services are reached.
#pragma once

#include <map>
#include <string>
#include <string_view>

#include "service.hpp"

namespace capstan::aws {

struct EndpointConfig {
    /// By service name ("autoscaling"), or under "" for all: a URL in place of AWS's.
    std::map<std::string, std::string, std::less<>> overrides{};
    bool fips = false, dual_stack = false;
};

/// "https://autoscaling.eu-central-1.amazonaws.com", without a path or a slash at its end. An
/// override keeps its path, and loses the slash.
std::string endpoint_of(Service service, std::string_view region, const EndpointConfig& config);

/// The region that a signature for the service names: another one where the service is one for all
/// regions, as IAM is.
std::string signing_region_of(Service service, std::string_view region,
                              const EndpointConfig& config);

/// "aws", "aws-cn", "aws-us-gov" and the others, by the region's name: what ARNs begin with.
std::string_view partition_of(std::string_view region) noexcept;

}  // namespace capstan::aws
