#include "service.hpp"

namespace capstan::gce {

std::string_view name_of(Service service) noexcept {
    switch (service) {
        case Service::compute: return "compute";
        case Service::resource_manager: return "cloudresourcemanager";
        case Service::iam_credentials: return "iamcredentials";
        case Service::sts: return "sts";
        case Service::oauth2: return "oauth2";
    }
    return "compute";
}

}  // namespace capstan::gce
