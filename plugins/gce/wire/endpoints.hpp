/// Where Google's services are.
#pragma once

#include <map>
#include <string>

#include "service.hpp"

namespace capstan::gce {

struct EndpointConfig {
    /// By name of the service; "" is for all of them. Without a path: "http://127.0.0.1:8080".
    std::map<std::string, std::string> overrides{};
    std::string universe = "googleapis.com";  ///< the universe domain of Trusted Partner Clouds
};

/// The root below which its paths are, without a slash at the end:
///     compute           ->  "https://compute.googleapis.com/compute/v1"
///     resource_manager  ->  "https://cloudresourcemanager.googleapis.com/v3"
///     iam_credentials   ->  "https://iamcredentials.googleapis.com/v1"
///     sts, oauth2       ->  "https://sts.googleapis.com/v1", "https://oauth2.googleapis.com"
/// An override replaces scheme and host alone: "http://127.0.0.1:8080/compute/v1".
std::string base_url_of(Service service, const EndpointConfig& config);

}  // namespace capstan::gce
