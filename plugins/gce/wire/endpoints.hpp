/// The endpoints of Google's services.
#pragma once

#include <map>
#include <string>

#include "service.hpp"

namespace capstan::gce {

struct EndpointConfig {
    /// URLs that replace Google's, by service name; the key "" is for all services. Without a path:
    /// "http://127.0.0.1:8080".
    std::map<std::string, std::string> overrides{};
    /// The universe domain; Trusted Partner Clouds have their own.
    std::string universe = "googleapis.com";
};

/// The base URL of a service's paths, without a trailing slash:
///     compute           ->  "https://compute.googleapis.com/compute/v1"
///     resource_manager  ->  "https://cloudresourcemanager.googleapis.com/v3"
///     iam_credentials   ->  "https://iamcredentials.googleapis.com/v1"
///     sts, oauth2       ->  "https://sts.googleapis.com/v1", "https://oauth2.googleapis.com"
/// An override replaces only scheme and host: "http://127.0.0.1:8080/compute/v1".
std::string base_url_of(Service service, const EndpointConfig& config);

}  // namespace capstan::gce
