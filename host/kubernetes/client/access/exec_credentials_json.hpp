/// What an exec plugin is told and what it answers: ExecCredential objects as JSON.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include <capstan/result.hpp>
#include <capstan/time.hpp>

#include "kubernetes/client/access/exec_credentials_plugin.hpp"

namespace capstan::kubernetes {

/// For the variable KUBERNETES_EXEC_INFO.
std::string exec_info(const ExecPlugin& plugin, const ExecCluster& cluster);

struct ExecAnswer {
    std::string token{};                       ///< empty: none
    std::string certificate_pem{}, key_pem{};  ///< both or neither
    std::optional<Time> expires{};             ///< nothing: never
};

/// `invalid_config`: the answer is of another version; `unauthenticated`: it is none, or holds
/// neither a token nor a certificate with its key. Tells nothing of what it says.
Result<ExecAnswer> parse_exec_answer(const std::string& api_version, std::string_view output);

}  // namespace capstan::kubernetes
