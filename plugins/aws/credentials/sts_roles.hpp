/// Credentials of a role, from STS. Each call uses an AwsClient of its own.
#pragma once

#include <optional>
#include <string>

#include "sources.hpp"

namespace capstan::aws {

struct RoleRequest {
    std::string role_arn{};
    std::string external_id{};   ///< empty: none
    std::string session_name{};  ///< empty: that of CredentialsConfig
    std::optional<int> duration_seconds{};
    std::string source{};  ///< for messages: what asks for the role
};

/// sts:AssumeRole, signed with `base`.
Task<Credentials> assume_role(SharedLookup lookup, Credentials base, RoleRequest request);
/// sts:AssumeRoleWithWebIdentity with the token in `token_file`, unsigned.
Task<Credentials> assume_role_by_token(SharedLookup lookup, std::string token_file,
                                       RoleRequest request);

}  // namespace capstan::aws
