/// Environment variables that Google's own tools read.
#pragma once

#include <span>

#include <capstan/environment.hpp>

namespace capstan::gce {

/// GOOGLE_APPLICATION_CREDENTIALS, GOOGLE_CLOUD_PROJECT, GOOGLE_CLOUD_QUOTA_PROJECT,
/// GCE_METADATA_HOST, GCE_METADATA_IP, NO_GCE_CHECK, CLOUDSDK_CONFIG, GOOGLE_CLOUD_UNIVERSE_DOMAIN,
/// HOME.
std::span<const char* const> variable_names() noexcept;

}  // namespace capstan::gce
