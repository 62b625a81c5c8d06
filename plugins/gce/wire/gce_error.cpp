#include "gce_error.hpp"

#include <algorithm>
#include <array>
#include <utility>

#include <capstan/ascii.hpp>
#include <capstan/http_error.hpp>
#include <capstan/json.hpp>
#include <capstan/sentence.hpp>
#include <capstan/utf8.hpp>

namespace capstan::gce {
namespace {

constexpr std::size_t gce_message_size_max = 1500;

std::string error_line_of(std::string_view text) {
    std::string out = clean_utf8(text, gce_message_size_max);
    for (char& c : out) c = static_cast<unsigned char>(c) < ' ' ? ' ' : c;
    const std::size_t end = out.find_last_not_of(' ');
    out.erase(end == std::string::npos ? 0 : end + 1);
    out.erase(0, std::min(out.find_first_not_of(' '), out.size()));
    return out;
}

/// The `reason` of an ErrorInfo in the details.
std::string reason_of_details(const Json& error) {
    const Json* const details = error.find("details");
    if (details == nullptr) return {};
    for (const Json& detail : details->items()) {
        if (const std::string& reason = detail.text_at({"reason"}); !reason.empty()) return reason;
    }
    return {};
}

std::string reason_of_errors(const Json& error) {
    const Json* const errors = error.find("errors");
    if (errors == nullptr) return {};
    for (const Json& one : errors->items()) {
        if (const std::string& reason = one.text_at({"reason"}); !reason.empty()) return reason;
    }
    return {};
}

/// Parses both forms: that of compute, and that of token endpoints, where "error" is a string.
GceErrorText read_json_error(const Json& body) {
    const Json* const error = body.find("error");
    if (error == nullptr) return {};
    if (error->is_text()) return {error->text(), {}, body.text_at({"error_description"})};
    GceErrorText out{reason_of_details(*error), error->text_at({"status"}),
                     error->text_at({"message"})};
    if (out.reason.empty()) out.reason = reason_of_errors(*error);
    return out;
}

std::string title_of_page(std::string_view body) {
    const std::size_t begin = body.find("<title>");
    const std::size_t end = body.find("</title>");
    if (begin == std::string_view::npos || end == std::string_view::npos || end < begin) return {};
    return std::string(body.substr(begin + 7, end - begin - 7));
}

bool contains(std::string_view text, std::string_view words) noexcept {
    return text.find(words) != std::string_view::npos;
}

/// The meaning of a reason, and whether the call may be repeated.
struct ReasonMeaning {
    std::string_view reason;
    ErrorCode code;
    RepeatWhen again;
};
constexpr auto reason_meanings = std::to_array<ReasonMeaning>({
    {"rateLimitExceeded", ErrorCode::throttled, RepeatWhen::always},
    {"userRateLimitExceeded", ErrorCode::throttled, RepeatWhen::always},
    {"concurrentLimitExceeded", ErrorCode::throttled, RepeatWhen::always},
    {"operationRateExceeded", ErrorCode::throttled, RepeatWhen::always},
    {"RATE_LIMIT_EXCEEDED", ErrorCode::throttled, RepeatWhen::always},
    {"RESOURCE_OPERATION_RATE_EXCEEDED", ErrorCode::throttled, RepeatWhen::always},
    {"dailyLimitExceeded", ErrorCode::throttled, RepeatWhen::never},
    {"quotaExceeded", ErrorCode::quota, RepeatWhen::never},
    {"QUOTA_EXCEEDED", ErrorCode::quota, RepeatWhen::never},
    {"limitExceeded", ErrorCode::quota, RepeatWhen::never},
    {"LIMIT_EXCEEDED", ErrorCode::quota, RepeatWhen::never},
    {"conditionNotMet", ErrorCode::conflict, RepeatWhen::never},
    {"fingerprintMismatch", ErrorCode::conflict, RepeatWhen::never},
    {"resourceNotReady", ErrorCode::conflict, RepeatWhen::never},
    {"resourceInUseByAnotherResource", ErrorCode::conflict, RepeatWhen::never},
    {"alreadyExists", ErrorCode::conflict, RepeatWhen::never},
    {"accessNotConfigured", ErrorCode::permission, RepeatWhen::never},
    {"SERVICE_DISABLED", ErrorCode::permission, RepeatWhen::never},
    {"insufficientPermissions", ErrorCode::permission, RepeatWhen::never},
    {"ACCESS_TOKEN_SCOPE_INSUFFICIENT", ErrorCode::permission, RepeatWhen::never},
    {"invalid_grant", ErrorCode::unauthenticated, RepeatWhen::never},
    {"invalid_client", ErrorCode::unauthenticated, RepeatWhen::never},
    {"unauthorized_client", ErrorCode::unauthenticated, RepeatWhen::never},
    {"invalid_target", ErrorCode::unauthenticated, RepeatWhen::never},
    {"temporarily_unavailable", ErrorCode::unavailable, RepeatWhen::always},
});

RepeatWhen again_of_status(int status) noexcept {
    if (status == 429) return RepeatWhen::always;
    const bool is_transient = status == 408 || (status >= 500 && status != 501);
    return is_transient ? RepeatWhen::if_safe : RepeatWhen::never;
}

/// Advice for an operator on reasons that come with no advice in the message.
std::string advice_on(const std::string& reason) {
    if (reason == "SERVICE_DISABLED" || reason == "accessNotConfigured")
        return "; enable this API in the project";
    if (reason == "ACCESS_TOKEN_SCOPE_INSUFFICIENT" || reason == "insufficientPermissions")
        return "; the token's access scopes are too narrow: give the instance the scope "
               "cloud-platform";
    return {};
}

std::string message_of_refusal(const GceErrorText& text, int status) {
    std::string out = text.message.empty() ? "HTTP status " + std::to_string(status) : text.message;
    const std::string& name = text.reason.empty() ? text.status : text.reason;
    if (!name.empty()) out += " (" + name + ")";
    return out + advice_on(text.reason);
}

/// A row of the table of failures of machines and operations. It matches by a part of the code and
/// a part of the message; either may be empty.
struct FailureMeaning {
    std::string_view code, words;
    ErrorCode error;
};
constexpr auto failure_meanings = std::to_array<FailureMeaning>({
    {"", "sufficient capacity for the requested resources", ErrorCode::out_of_capacity},
    {"RESOURCE_POOL_EXHAUSTED", "", ErrorCode::out_of_capacity},
    {"INSUFFICIENT_CAPACITY", "", ErrorCode::out_of_capacity},
    {"STOCKOUT", "", ErrorCode::out_of_capacity},
    {"", "does not have enough resources available", ErrorCode::out_of_capacity},
    {"", "does not have available resources for the request", ErrorCode::out_of_capacity},
    {"", "automatic reservations in your project, or shared with your project, are fully consumed",
     ErrorCode::out_of_capacity},
    {"RESERVATION_CAPACITY_EXCEEDED", "", ErrorCode::out_of_capacity},
    {"AUTOMATIC_RESERVATIONS_NO_CAPACITY", "", ErrorCode::out_of_capacity},
    {"", "requires reservation to be in READY state", ErrorCode::unavailable},
    {"RESERVATION_NOT_READY", "", ErrorCode::unavailable},
    {"RATE_LIMIT", "", ErrorCode::throttled},
    {"RATE_EXCEEDED", "", ErrorCode::throttled},
    {"QUOTA", "", ErrorCode::quota},
    {"LIMIT_EXCEEDED", "", ErrorCode::quota},
    {"IP_SPACE_EXHAUSTED", "", ErrorCode::quota},
    {"", "IP space", ErrorCode::quota},
    {"PERMISSION", "", ErrorCode::permission},
    {"SERVICE_ACCOUNT", "", ErrorCode::permission},
    {"FORBIDDEN", "", ErrorCode::permission},
    {"", "Required '", ErrorCode::permission},
    {"VM_EXTERNAL_IP_ACCESS_POLICY_CONSTRAINT", "", ErrorCode::invalid_config},
    {"", "Constraint constraints/", ErrorCode::invalid_config},
    {"", "Unsupported TPU configuration", ErrorCode::invalid_config},
    {"UNSUPPORTED", "", ErrorCode::invalid_config},
    {"RESERVATION", "", ErrorCode::invalid_config},
    {"", "eservation", ErrorCode::invalid_config},
    {"CONDITION_NOT_MET", "", ErrorCode::invalid_config},
    {"INVALID", "", ErrorCode::invalid_config},
    {"RESOURCE_NOT_FOUND", "", ErrorCode::invalid_config},
    {"NOT_FOUND", "", ErrorCode::invalid_config},
});

/// What else a failure concerns, as far as its text tells. Other quotas are of a region or of a
/// family of machine types, and smaller machines may fit into the rest.
struct FailureScope {
    ErrorCode code;
    std::string_view words;
    ErrorScope scope;
};
constexpr auto failure_scopes = std::to_array<FailureScope>({
    {ErrorCode::quota, "Quota 'INSTANCES'", ErrorScope::zone},
    {ErrorCode::quota, "Quota 'CPUS_ALL_REGIONS'", ErrorScope::machine_type},
    {ErrorCode::quota, "IP_SPACE", ErrorScope::group},
    {ErrorCode::quota, "IP space", ErrorScope::group},
    {ErrorCode::out_of_capacity, "RESERVATION", ErrorScope::group},
    {ErrorCode::out_of_capacity, "reservation", ErrorScope::group},
});

/// `failure` has the code and the message of Google in its message.
ErrorScope scope_of(const Error& failure) {
    const auto row =
        std::find_if(failure_scopes.begin(), failure_scopes.end(), [&](const FailureScope& one) {
            return one.code == failure.code && contains(failure.message, one.words);
        });
    return row == failure_scopes.end() ? ErrorScope::unknown : row->scope;
}

bool contains_in_capitals(std::string_view text, std::string_view capitals) {
    std::string upper(text);
    for (char& c : upper) c = ascii_upper(c);
    return contains(upper, capitals);
}

}  // namespace

GceErrorText read_gce_error(const HttpReply& reply) {
    GceErrorText out;
    if (const Result<Json> body = parse_json(reply.body)) out = read_json_error(*body);
    if (out == GceErrorText()) out.message = title_of_page(reply.body);
    if (out == GceErrorText()) out.message = reply.body;
    for (std::string* part : {&out.reason, &out.status, &out.message}) *part = error_line_of(*part);
    return out;
}

FailedAttempt judge_refusal(const std::string& action, const HttpReply& reply, Time now) {
    const GceErrorText text = read_gce_error(reply);
    FailedAttempt out;
    out.error = {.code = http_error_code(reply.status),
                 .message = message_of_refusal(text, reply.status),
                 .provider_code = text.reason.empty() ? text.status : text.reason,
                 .retry_after = find_retry_after(reply, now)};
    out.again = again_of_status(reply.status);
    const auto meaning = std::find_if(
        reason_meanings.begin(), reason_meanings.end(),
        [&](const ReasonMeaning& row) { return row.reason == out.error.provider_code; });
    if (meaning != reason_meanings.end()) {
        out.error.code = meaning->code;
        // A reason that says nothing against it leaves what the status allows.
        if (out.again == RepeatWhen::never || meaning->again == RepeatWhen::always)
            out.again = meaning->again;
    }
    // Compute tells the quota of calls in the words of one of resources.
    if (out.error.code == ErrorCode::quota && contains(text.message, " per minute"))
        out = {.error = std::move(out.error), .again = RepeatWhen::always};
    if (out.again == RepeatWhen::always && out.error.code == ErrorCode::quota)
        out.error.code = ErrorCode::throttled;
    out.error = within(action, std::move(out.error));
    return out;
}

Error classify_failure(std::string_view code, std::string_view message) {
    Error out{.code = ErrorCode::unavailable,
              .message = error_line_of(message),
              .provider_code = error_line_of(code)};
    const auto meaning = std::find_if(
        failure_meanings.begin(), failure_meanings.end(), [&](const FailureMeaning& row) {
            return row.code.empty() ? contains(message, row.words)
                                    : contains_in_capitals(code, row.code);
        });
    if (meaning != failure_meanings.end()) out.code = meaning->error;
    if (out.message.empty()) out.message = "Google returned no reason";
    if (!out.provider_code.empty()) out.message = out.provider_code + ": " + out.message;
    out.scope = scope_of(out);
    return out;
}

bool is_stock_out(const Error& error) noexcept {
    if (error.code != ErrorCode::out_of_capacity) return false;
    if (contains(error.provider_code, "RESOURCE_POOL_EXHAUSTED")) return true;
    return !contains(error.provider_code, "RESERVATION") && !contains(error.message, "reservation");
}

}  // namespace capstan::gce
