/// The sources of credentials, one function for each. A source that is configured and fails throws
/// a Failure. A source that is not configured returns `absence`.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <capstan/task.hpp>

#include "../wire/credentials.hpp"
#include "credentials_config.hpp"
#include "environment.hpp"
#include "profiles.hpp"

namespace capstan::aws {

/// The inputs of one search for credentials. The environment has to outlive the search.
struct CredentialLookup {
    Host host;
    CredentialsConfig config{};
    Environment* environment = nullptr;
    Variables variables{};

    std::string variable(std::string_view name) const { return find_variable(variables, name); }
};
using SharedLookup = std::shared_ptr<const CredentialLookup>;

struct SourceAnswer {
    std::optional<Credentials> credentials{};
    std::string absence{};  ///< why there are none: "AWS_ACCESS_KEY_ID is not set"
};

/// `access_key_id` of the settings, and the secrets that the settings name.
Task<SourceAnswer> ask_settings(SharedLookup lookup);
/// AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY, AWS_SESSION_TOKEN.
Task<SourceAnswer> ask_environment(SharedLookup lookup);
/// AWS_WEB_IDENTITY_TOKEN_FILE with AWS_ROLE_ARN: IAM roles for service accounts (IRSA). The file
/// is read each time.
Task<SourceAnswer> ask_web_identity(SharedLookup lookup);
/// The chosen profile of the shared files: a role assumed with another profile (`source_profile`)
/// or source (`credential_source`), a role by web identity, or keys. `credential_process`, which
/// would start a process, and SSO are refused.
Task<SourceAnswer> ask_profile(SharedLookup lookup);
/// EKS Pod Identity and ECS: AWS_CONTAINER_CREDENTIALS_FULL_URI or _RELATIVE_URI. A URL without TLS
/// is used only for loopback addresses and the addresses of the agents.
Task<SourceAnswer> ask_container(SharedLookup lookup);
/// The role of the EC2 instance, from its metadata service (IMDSv2). If the service still serves
/// expired credentials, their expiry is extended: AWS accepts them while the service is impaired.
Task<SourceAnswer> ask_instance_metadata(SharedLookup lookup);

/// The text that the metadata service has at "/latest/meta-data/PATH", or why it has none.
struct MetadataText {
    std::optional<std::string> text{};
    std::string absence{};
    bool is_transient = false;  ///< the service did not answer, and may do so later
};
Task<MetadataText> read_metadata(SharedLookup lookup, std::string path);

/// Why a container's URL may not be used; empty if it may.
std::string find_url_mistake(const std::string& url);

}  // namespace capstan::aws
