/// The settings of credentials.
#pragma once

#include <string>

#include <capstan/duration.hpp>

#include "../wire/endpoints.hpp"

namespace capstan::gce {

struct CredentialsConfig {
    /// A file of credentials in Google's JSON: service_account, external_account, authorized_user,
    /// impersonated_service_account. Empty: GOOGLE_APPLICATION_CREDENTIALS, then
    /// ~/.config/gcloud/application_default_credentials.json, then the metadata server.
    std::string file{};
    /// The name of the host's secret that has such JSON; takes precedence over `file`.
    std::string key_secret{};
    /// A service account to impersonate with the credentials that were found; empty: none.
    std::string impersonate{};
    std::string quota_project{};  ///< empty: GOOGLE_CLOUD_QUOTA_PROJECT, or the file's
    std::string metadata_host{};  ///< empty: GCE_METADATA_HOST, or "metadata.google.internal"
    /// No credentials at all, for simulated servers.
    bool anonymous = false;
    EndpointConfig endpoints{};
};

}  // namespace capstan::gce
