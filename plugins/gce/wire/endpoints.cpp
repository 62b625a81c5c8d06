#include "endpoints.hpp"

namespace capstan::gce {
namespace {

/// The part of the URL between the host and the paths of a service's methods.
const char* version_path_of(Service service) noexcept {
    switch (service) {
        case Service::compute: return "/compute/v1";
        case Service::resource_manager: return "/v3";
        case Service::iam_credentials:
        case Service::sts: return "/v1";
        case Service::oauth2: return "";
    }
    return "";
}

std::string host_of(Service service, const EndpointConfig& config) {
    for (const std::string& key : {std::string(name_of(service)), std::string()}) {
        const auto at = config.overrides.find(key);
        if (at != config.overrides.end() && !at->second.empty()) return at->second;
    }
    return "https://" + std::string(name_of(service)) + "." + config.universe;
}

}  // namespace

std::string base_url_of(Service service, const EndpointConfig& config) {
    std::string out = host_of(service, config);
    while (out.ends_with('/')) out.pop_back();
    return out + version_path_of(service);
}

}  // namespace capstan::gce
