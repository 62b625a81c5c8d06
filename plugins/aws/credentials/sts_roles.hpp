/// Credentials of a role, by STS. The calls have a client of their own.
#pragma once

#include <optional>
#include <string>

#include "sources.hpp"

namespace capstan::aws {

struct RoleRequest {
    std::string role_arn{};
    std::string external_id{};   ///< empty: none
    std::string session_name{};  ///< empty: as CredentialsConfig has it
    std::optional<int> duration_seconds{};
    std::string source{};  ///< for people: what asks for the role
};

/// sts:AssumeRole, signed with `base`.
Task<Credentials> assume_role(SharedLook look, Credentials base, RoleRequest request);
/// sts:AssumeRoleWithWebIdentity with the token in `token_file`, unsigned.
Task<Credentials> assume_role_by_token(SharedLook look, std::string token_file,
                                       RoleRequest request);

}  // namespace capstan::aws
