/// What Google says where it refuses, as an Error.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include <capstan/attempts.hpp>
#include <capstan/error.hpp>
#include <capstan/http.hpp>

namespace capstan::gce {

/// An error as Google writes it: {"error": {"code", "message", "status", "errors": [{"reason",
/// "domain", "message"}], "details": [...]}}, and the form of the token endpoints: {"error":
/// "invalid_grant", "error_description": "..."}.
struct GceErrorText {
    std::string
        reason{};  ///< "rateLimitExceeded", of `details` or the first of `errors`; may be empty
    std::string status{};   ///< "PERMISSION_DENIED"; may be empty
    std::string message{};  ///< of a page in HTML its title, of anything else its beginning
    bool operator==(const GceErrorText&) const = default;
};
GceErrorText read_gce_error(const HttpReply& reply);

/// What the host does about a refused call, and whether it is repeated. `provider_code` is the
/// reason, or else the status. Quotas of calls (403 and 429 with rateLimitExceeded,
/// userRateLimitExceeded, quotaExceeded of a method; RATE_LIMIT_EXCEEDED) are `throttled`, quotas
/// of resources (QUOTA_EXCEEDED, LIMIT_EXCEEDED) `quota`. `permission` names the permission that is
/// missing and the resource, where the message has them; a disabled API (SERVICE_DISABLED,
/// accessNotConfigured) and scopes that are too narrow (ACCESS_TOKEN_SCOPE_INSUFFICIENT) are
/// `permission`, and say what to do. conditionNotMet is `conflict`.
FailedAttempt judge_refusal(const std::string& action, const HttpReply& reply, Time now);

/// Why a machine or an operation failed, by Google's code and words: the one table of both.
///     ZONE_RESOURCE_POOL_EXHAUSTED*, *_RESOURCE_POOL_EXHAUSTED*, "does not have enough resources"
///                                                              ->  out_of_capacity
///     QUOTA_EXCEEDED, *quota*, IP_SPACE_EXHAUSTED*             ->  quota
///     PERMISSIONS_ERROR, SERVICE_ACCOUNT_*                     ->  permission
///     reservations that do not fit (INVALID_RESERVATION, ...)  ->  invalid_config, or
///                                                                  out_of_capacity where full
///     VM_EXTERNAL_IP_ACCESS_POLICY_CONSTRAINT, CONDITION_NOT_MET by an organization's policy,
///     anything of the template                                 ->  invalid_config
///     else                                                     ->  unavailable
/// `provider_code` is Google's own code; `message` is cleaned and cut.
Error classify_failure(std::string_view code, std::string_view message);

/// Whether this failure says that its zone has no such machines left.
/// A reservation that is full is none: another zone does not have it.
bool is_stock_out(const Error& error) noexcept;

}  // namespace capstan::gce
