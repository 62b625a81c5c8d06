/// The services of Google that the plugin calls.
#pragma once

#include <cstdint>
#include <string_view>

namespace capstan::gce {

enum class Service : std::uint8_t {
    compute,           ///< compute v1
    resource_manager,  ///< cloudresourcemanager v3: projects.testIamPermissions
    iam_credentials,   ///< iamcredentials v1: impersonation
    sts,               ///< sts v1: workload identity federation
    oauth2,            ///< oauth2.googleapis.com/token
};

inline constexpr Service all_services[] = {Service::compute, Service::resource_manager,
                                           Service::iam_credentials, Service::sts, Service::oauth2};

/// The name in the settings' endpoints and in Google's host names: "compute",
/// "cloudresourcemanager", "iamcredentials", "sts", "oauth2".
std::string_view name_of(Service service) noexcept;

}  // namespace capstan::gce
