/// Google's services that are asked.
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

/// "compute", "cloudresourcemanager", "iamcredentials", "sts", "oauth2": as the settings' endpoints
/// and Google's host names have it.
std::string_view name_of(Service service) noexcept;

}  // namespace capstan::gce
