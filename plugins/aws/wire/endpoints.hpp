/// The endpoints of AWS's services.
#pragma once

#include <map>
#include <string>
#include <string_view>

#include "service.hpp"

namespace capstan::aws {

struct EndpointConfig {
    /// URLs that replace AWS's, by service name ("autoscaling"); the key "" is for all services.
    std::map<std::string, std::string, std::less<>> overrides{};
    bool fips = false, dual_stack = false;
};

/// "https://autoscaling.eu-central-1.amazonaws.com", without a path and without a trailing slash.
/// An override keeps its path and loses a trailing slash.
std::string endpoint_of(Service service, std::string_view region, const EndpointConfig& config);

/// The region in signatures for the service. It differs from `region` for a global service (IAM).
std::string signing_region_of(Service service, std::string_view region);

/// The partition of a region, as ARNs contain it: "aws", "aws-cn", "aws-us-gov", ...
std::string_view partition_of(std::string_view region) noexcept;

}  // namespace capstan::aws
