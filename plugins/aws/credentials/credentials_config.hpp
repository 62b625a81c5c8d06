/// The settings of credentials.
#pragma once

#include <string>

#include "../wire/endpoints.hpp"

namespace capstan::aws {

struct CredentialsConfig {
    std::string profile{};        ///< of the shared files; empty: by choose_profile
    std::string access_key_id{};  ///< empty: none in the settings
    /// Names of the host's secrets, which are read at each renewal. `session_token` may be empty.
    std::string secret_access_key{}, session_token{};
    /// A role to assume with the credentials that the chain finds; empty: they are used directly.
    std::string role_arn{};
    std::string external_id{};
    std::string session_name{};   ///< empty: AWS_ROLE_SESSION_NAME, or "capstan"
    std::string imds_endpoint{};  ///< "http://169.254.169.254"; empty: by the environment
    std::string region{};         ///< of STS; empty: us-east-1
    EndpointConfig endpoints{};
};

}  // namespace capstan::aws
