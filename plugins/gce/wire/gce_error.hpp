/// Converts error replies and failures of Google to an Error.
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
    std::string message{};  ///< the title of an HTML page; the beginning of any other text
    bool operator==(const GceErrorText&) const = default;
};
GceErrorText read_gce_error(const HttpReply& reply);

/// The error of an unsuccessful reply, and whether the request may be sent again. `provider_code`
/// is the reason, or else the status. Exceeded rate limits of calls (403 and 429 with
/// rateLimitExceeded, userRateLimitExceeded, quotaExceeded for calls per minute;
/// RATE_LIMIT_EXCEEDED) are `throttled`, exceeded quotas of resources (QUOTA_EXCEEDED,
/// LIMIT_EXCEEDED) `quota`. An error `permission` names the missing permission and the resource, if
/// the message has them. A disabled API (SERVICE_DISABLED, accessNotConfigured) and a too narrow
/// scope (ACCESS_TOKEN_SCOPE_INSUFFICIENT) are `permission`, with advice. conditionNotMet is
/// `conflict`.
FailedAttempt judge_refusal(const std::string& action, const HttpReply& reply, Time now);

/// Why a machine or an operation failed, by Google's code and message:
///     ZONE_RESOURCE_POOL_EXHAUSTED*, *_RESOURCE_POOL_EXHAUSTED*, "does not have enough resources"
///                                                              ->  out_of_capacity
///     RATE_LIMIT*, *RATE_EXCEEDED*                             ->  throttled
///     QUOTA_EXCEEDED, *quota*, IP_SPACE_EXHAUSTED*             ->  quota
///     PERMISSIONS_ERROR, SERVICE_ACCOUNT_*                     ->  permission
///     a reservation that does not fit (INVALID_RESERVATION)    ->  invalid_config
///     a reservation that is full, or not ready                 ->  out_of_capacity, or unavailable
///     VM_EXTERNAL_IP_ACCESS_POLICY_CONSTRAINT, CONDITION_NOT_MET by an organization's policy,
///     anything of the template                                 ->  invalid_config
///     else                                                     ->  unavailable
/// `provider_code` is Google's code; `message` is sanitized and truncated. `scope`: the number of
/// instances is a quota of a region, and so concerns all groups of the zone; CPUS_ALL_REGIONS
/// concerns all machines of the type; addresses and reservations are the group's own.
Error classify_failure(std::string_view code, std::string_view message);

/// Whether the failure says that the zone has no capacity for such machines (a stock-out). A full
/// reservation is not a stock-out, since another zone does not have the reservation.
bool is_stock_out(const Error& error) noexcept;

}  // namespace capstan::gce
