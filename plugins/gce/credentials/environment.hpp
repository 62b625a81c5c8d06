/// The environment variables of Google's tools that the plugin reads.
#pragma once

#include <span>

#include <capstan/environment.hpp>

namespace capstan::gce {

/// GOOGLE_APPLICATION_CREDENTIALS, GOOGLE_CLOUD_PROJECT, GOOGLE_CLOUD_QUOTA_PROJECT,
/// GOOGLE_CLOUD_UNIVERSE_DOMAIN, GCE_METADATA_HOST, CLOUDSDK_CONFIG, and HOME.
std::span<const char* const> variable_names() noexcept;

}  // namespace capstan::gce
