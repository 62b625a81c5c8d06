#include "environment.hpp"

namespace capstan::gce {
namespace {

constexpr const char* names_of_google[] = {"GOOGLE_APPLICATION_CREDENTIALS",
                                           "GOOGLE_CLOUD_PROJECT",
                                           "GOOGLE_CLOUD_QUOTA_PROJECT",
                                           "GOOGLE_CLOUD_UNIVERSE_DOMAIN",
                                           "GCE_METADATA_HOST",
                                           "CLOUDSDK_CONFIG",
                                           "HOME"};

}  // namespace

std::span<const char* const> variable_names() noexcept { return names_of_google; }

}  // namespace capstan::gce
