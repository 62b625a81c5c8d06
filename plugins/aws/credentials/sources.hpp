/// Where credentials come from, one function for each place. What is there and does not work is a
/// Failure; what is not there is an answer that says so.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <capstan/task.hpp>

#include "../wire/credentials.hpp"
#include "config.hpp"
#include "environment.hpp"
#include "profiles.hpp"

namespace capstan::aws {

/// One look for credentials. The environment lives as long as the look.
struct Look {
    Host host;
    CredentialsConfig config{};
    Environment* environment = nullptr;
    Variables variables{};

    std::string variable(std::string_view name) const { return find_variable(variables, name); }
};
using SharedLook = std::shared_ptr<const Look>;

struct SourceAnswer {
    std::optional<Credentials> credentials{};
    std::string absence{};  ///< why there are none: "AWS_ACCESS_KEY_ID is not set"
};

/// `access_key_id` of the settings, with the secrets that they name.
Task<SourceAnswer> ask_settings(SharedLook look);
/// AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY, AWS_SESSION_TOKEN.
Task<SourceAnswer> ask_environment(SharedLook look);
/// AWS_WEB_IDENTITY_TOKEN_FILE with AWS_ROLE_ARN: IAM roles for service accounts. The file is read
/// each time.
Task<SourceAnswer> ask_web_identity(SharedLook look);
/// The chosen profile of the shared files: a role over another profile or over a source that it
/// names, a role by web identity, or keys. What would start a process (`credential_process`) and
/// SSO are refused.
Task<SourceAnswer> ask_profile(SharedLook look);
/// EKS Pod Identity and ECS: AWS_CONTAINER_CREDENTIALS_FULL_URI or _RELATIVE_URI. Without TLS only
/// addresses of the machine itself and of the agents are asked.
Task<SourceAnswer> ask_container(SharedLook look);
/// The role of the EC2 instance, by its metadata service (IMDSv2). Credentials that it still serves
/// although they have expired are extended: AWS takes them while the service is impaired.
Task<SourceAnswer> ask_instance_metadata(SharedLook look);

/// What the metadata service says at "/latest/meta-data/PATH"; `absence`: why it does not.
struct MetadataText {
    std::optional<std::string> text{};
    std::string absence{};
    bool may_pass = false;  ///< no answer came, so there may be one later
};
Task<MetadataText> read_metadata(SharedLook look, std::string path);

/// Why a container's URL is not asked; empty: it is.
std::string find_url_mistake(const std::string& url);

}  // namespace capstan::aws
