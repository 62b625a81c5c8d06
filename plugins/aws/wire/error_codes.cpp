#include "error_codes.hpp"

#include <algorithm>
#include <array>
#include <cstddef>

#include <capstan/ascii.hpp>
#include <capstan/http_error.hpp>

namespace capstan::aws {
namespace {

struct CodeRow {
    std::string_view name;
    CodeMeaning meaning;
};

constexpr CodeMeaning code_alone(ErrorCode code) noexcept { return {code, RepeatWhen::never}; }
constexpr CodeMeaning means_throttled{ErrorCode::throttled, RepeatWhen::always};
constexpr CodeMeaning means_failing{ErrorCode::unavailable, RepeatWhen::if_safe};
constexpr CodeMeaning means_contention{ErrorCode::conflict, RepeatWhen::always};
constexpr CodeMeaning means_no_room = code_alone(ErrorCode::out_of_capacity);
constexpr CodeMeaning means_no_quota = code_alone(ErrorCode::quota);
constexpr CodeMeaning means_no_right = code_alone(ErrorCode::permission);
constexpr CodeMeaning means_no_identity = code_alone(ErrorCode::unauthenticated);
constexpr CodeMeaning means_no_object = code_alone(ErrorCode::not_found);
constexpr CodeMeaning means_other_state = code_alone(ErrorCode::conflict);
constexpr CodeMeaning means_bad_argument = code_alone(ErrorCode::invalid_argument);
constexpr CodeMeaning means_bad_config = code_alone(ErrorCode::invalid_config);
constexpr CodeMeaning means_no_call = code_alone(ErrorCode::unsupported);

/// Ascending by code, for the binary search.
constexpr auto code_rows = std::to_array<CodeRow>({
    {"AccessDenied", means_no_right},
    {"AccessDeniedException", means_no_right},
    {"AddressLimitExceeded", means_no_quota},
    {"AlreadyExists", means_other_state},
    {"AlreadyExistsFault", means_other_state},
    {"AttachmentLimitExceeded", means_no_quota},
    {"AuthFailure", means_no_identity},
    {"BadRequestException", means_bad_argument},
    {"BandwidthLimitExceeded", means_throttled},
    {"Blocked", means_no_right},
    {"ClientException", means_bad_argument},
    {"ConcurrentModification", means_other_state},
    {"ConflictException", means_other_state},
    {"DependencyViolation", means_other_state},
    {"DryRunOperation", means_other_state},
    {"EC2ThrottledException", means_throttled},
    {"EntityAlreadyExists", means_other_state},
    {"ExpiredToken", means_no_identity},
    {"ExpiredTokenException", means_no_identity},
    {"FleetCountLimitExceeded", means_no_quota},
    {"ForbiddenException", means_no_right},
    {"HostLimitExceeded", means_no_quota},
    {"IDPCommunicationError", means_failing},
    {"IDPRejectedClaim", means_no_identity},
    {"IncompleteSignature", means_no_identity},
    {"IncompleteSignatureException", means_no_identity},
    {"IncorrectInstanceState", means_other_state},
    {"IncorrectState", means_other_state},
    {"InstanceLimitExceeded", means_no_quota},
    {"InstanceRefreshInProgress", means_other_state},
    {"InsufficientCapacity", means_no_room},
    {"InsufficientCapacityOnHost", means_no_room},
    {"InsufficientFreeAddressesInSubnet", means_no_room},
    {"InsufficientHostCapacity", means_no_room},
    {"InsufficientInstanceCapacity", means_no_room},
    {"InsufficientReservedInstanceCapacity", means_no_room},
    {"InsufficientVolumeCapacity", means_no_room},
    {"InternalError", means_failing},
    {"InternalFailure", means_failing},
    {"InternalServerError", means_failing},
    {"InternalServerException", means_failing},
    {"InvalidAMIID.Unavailable", means_bad_config},
    {"InvalidAccessKeyId", means_no_identity},
    {"InvalidAction", means_no_call},
    {"InvalidBlockDeviceMapping", means_bad_config},
    {"InvalidClientTokenId", means_no_identity},
    {"InvalidIdentityToken", means_no_identity},
    {"InvalidInstanceType", means_bad_config},
    {"InvalidKMSKey.InvalidState", means_bad_config},
    {"InvalidLaunchTemplate", means_bad_config},
    {"InvalidNextToken", means_failing},
    {"InvalidPaginationToken", means_failing},
    {"InvalidParameter", means_bad_argument},
    {"InvalidParameterCombination", means_bad_argument},
    {"InvalidParameterException", means_bad_argument},
    {"InvalidParameterValue", means_bad_argument},
    {"InvalidQueryParameter", means_bad_argument},
    {"InvalidRequest", means_bad_argument},
    {"InvalidRequestException", means_bad_argument},
    {"InvalidSignatureException", means_no_identity},
    {"InvalidToken", means_no_identity},
    {"KmsAccessDenied", means_no_right},
    {"KmsThrottled", means_throttled},
    {"LaunchTemplateLimitExceeded", means_no_quota},
    {"LimitExceeded", means_no_quota},
    {"LimitExceededException", means_throttled},
    {"LimitExceededFault", means_no_quota},
    {"MalformedQueryString", means_bad_argument},
    {"MaxFleetCountExceeded", means_no_quota},
    {"MaxIOPSLimitExceeded", means_no_quota},
    {"MaxSpotFleetRequestCountExceeded", means_no_quota},
    {"MaxSpotInstanceCountExceeded", means_no_quota},
    {"MissingAction", means_bad_argument},
    {"MissingAuthenticationToken", means_no_identity},
    {"MissingAuthenticationTokenException", means_no_identity},
    {"MissingParameter", means_bad_argument},
    {"NetworkInterfaceLimitExceeded", means_no_quota},
    {"NoSuchEntity", means_no_object},
    {"NotAuthorized", means_no_right},
    {"NotAuthorizedException", means_no_right},
    {"NotImplemented", means_no_call},
    {"NotSignedIn", means_no_identity},
    {"OperationNotPermitted", means_other_state},
    {"OptInRequired", means_no_right},
    {"OverLimit", means_throttled},
    {"PendingVerification", means_no_quota},
    {"PriorRequestNotComplete", means_throttled},
    {"ProvisionedThroughputExceededException", means_throttled},
    {"QueueDoesNotExist", means_no_object},
    {"ReceiptHandleIsInvalid", means_bad_argument},
    {"RegionDisabledException", means_bad_config},
    {"RequestExpired", means_no_identity},
    {"RequestLimitExceeded", means_throttled},
    {"RequestThrottled", means_throttled},
    {"RequestThrottledException", means_throttled},
    {"RequestTimeTooSkewed", means_no_identity},
    {"RequestTimeout", means_failing},
    {"RequestTimeoutException", means_failing},
    {"ReservationCapacityExceeded", means_no_room},
    {"ResourceContention", means_contention},
    {"ResourceCountExceeded", means_no_quota},
    {"ResourceCountLimitExceeded", means_no_quota},
    {"ResourceInUse", means_other_state},
    {"ResourceInUseException", means_other_state},
    {"ResourceInUseFault", means_other_state},
    {"ResourceLimitExceeded", means_no_quota},
    {"ResourceLimitExceededException", means_no_quota},
    {"ScalingActivityInProgress", means_other_state},
    {"ScalingActivityInProgressFault", means_other_state},
    {"ServerException", means_failing},
    {"ServiceException", means_failing},
    {"ServiceLinkedRoleFailure", means_failing},
    {"ServiceQuotaExceededException", means_no_quota},
    {"ServiceUnavailable", means_failing},
    {"ServiceUnavailableException", means_failing},
    {"SignatureDoesNotMatch", means_no_identity},
    {"SlowDown", means_throttled},
    {"SnapshotLimitExceeded", means_no_quota},
    {"SpotMaxPriceTooLow", means_no_room},
    {"TagLimitExceeded", means_no_quota},
    {"ThrottledException", means_throttled},
    {"Throttling", means_throttled},
    {"ThrottlingException", means_throttled},
    {"TooManyRequestsException", means_throttled},
    {"TransactionInProgressException", means_throttled},
    {"Unauthorized", means_no_right},
    {"UnauthorizedAccess", means_no_right},
    {"UnauthorizedOperation", means_no_right},
    {"Unavailable", means_failing},
    {"UnfulfillableCapacity", means_no_room},
    {"UnknownOperationException", means_no_call},
    {"UnknownParameter", means_bad_argument},
    {"UnrecognizedClientException", means_no_identity},
    {"Unsupported", means_no_room},
    {"UnsupportedOperation", means_bad_config},
    {"ValidationError", means_bad_argument},
    {"ValidationException", means_bad_argument},
    {"VcpuLimitExceeded", means_no_quota},
    {"VersionLimitExceeded", means_no_quota},
    {"VolumeLimitExceeded", means_no_quota},
    {"VolumeTypeNotAvailableInZone", means_no_room},
});

constexpr bool is_sorted_by_name() noexcept {
    for (std::size_t i = 1; i < code_rows.size(); ++i) {
        if (!(code_rows[i - 1].name < code_rows[i].name)) return false;
    }
    return true;
}
static_assert(is_sorted_by_name());

/// Auto Scaling has one code for most of its refusals; only the text of the message differs.
struct WordingRow {
    std::string_view words;
    CodeMeaning meaning;
};
constexpr auto wording_rows = std::to_array<WordingRow>({
    {"is above max value", means_other_state},
    {"is below min value", means_other_state},
    {"violate group's min size", means_other_state},
    {"pending delete", means_other_state},
    {"being deleted", means_other_state},
    {"already exists", means_other_state},
    {"launch template", means_bad_config},
    {"launch configuration", means_bad_config},
    {"not authorized", means_no_right},
    {"not found", means_no_object},
    {"does not exist", means_no_object},
    {"no managed instance", means_no_object},
});

std::string_view without_side(std::string_view code) noexcept {
    for (const std::string_view side : {"Client.", "Server."}) {
        if (code.starts_with(side)) return code.substr(side.size());
    }
    return code;
}

std::optional<CodeMeaning> find_by_wording(std::string_view message) noexcept {
    for (const WordingRow& row : wording_rows) {
        if (contains_words(message, row.words)) return row.meaning;
    }
    return std::nullopt;
}

/// Codes that are not in the table, by the patterns that AWS uses for names of codes.
std::optional<CodeMeaning> find_by_part(std::string_view code) noexcept {
    const auto has = [code](std::string_view part) {
        return code.find(part) != std::string_view::npos;
    };
    if (has("NotFound") || has("NonExistent") || has("DoesNotExist")) return means_no_object;
    if (has("AlreadyExists") || code.ends_with(".Duplicate")) return means_other_state;
    if (code.ends_with(".Malformed")) return means_bad_argument;
    if (code.ends_with("LimitExceeded")) return means_no_quota;
    if (code.starts_with("Insufficient") && has("Capacity")) return means_no_room;
    return std::nullopt;
}

/// The meaning of a reply without a known code. After a 5xx of a proxy or of AWS's front end it is
/// unknown whether the request was carried out.
CodeMeaning meaning_of_status(int status) noexcept {
    const ErrorCode code = http_error_code(status);
    if (status == 429 || status == 509) return means_throttled;
    // A server that redirects is not an AWS endpoint.
    if (status < 400) return code_alone(ErrorCode::unavailable);
    if (status == 408 || status == 425 || status >= 500) return {code, RepeatWhen::if_safe};
    return code_alone(code);
}

}  // namespace

bool contains_words(std::string_view text, std::string_view words) noexcept {
    return std::search(text.begin(), text.end(), words.begin(), words.end(), [](char a, char b) {
               return ascii_lower(a) == ascii_lower(b);
           }) != text.end();
}

std::optional<CodeMeaning> find_meaning(std::string_view code, std::string_view message) {
    code = without_side(code);
    if (code == "ValidationError" || code == "ValidationException") {
        if (const auto by_wording = find_by_wording(message)) return by_wording;
    }
    const auto row =
        std::lower_bound(code_rows.begin(), code_rows.end(), code,
                         [](const CodeRow& one, std::string_view name) { return one.name < name; });
    if (row != code_rows.end() && row->name == code) return row->meaning;
    return find_by_part(code);
}

CodeMeaning meaning_of(int status, std::string_view code, std::string_view message) {
    if (!code.empty()) {
        if (const auto known = find_meaning(code, message)) return *known;
    }
    return meaning_of_status(status);
}

ErrorScope scope_of(std::string_view code) noexcept {
    struct ScopeRow {
        std::string_view code;
        ErrorScope scope;
    };
    constexpr ScopeRow rows[] = {{"Blocked", ErrorScope::account},
                                 {"InstanceLimitExceeded", ErrorScope::machine_type},
                                 {"InsufficientCapacityOnHost", ErrorScope::group},
                                 {"InsufficientFreeAddressesInSubnet", ErrorScope::group},
                                 {"InsufficientHostCapacity", ErrorScope::group},
                                 {"MaxSpotInstanceCountExceeded", ErrorScope::machine_type},
                                 {"PendingVerification", ErrorScope::account},
                                 {"ReservationCapacityExceeded", ErrorScope::group},
                                 {"SpotMaxPriceTooLow", ErrorScope::group},
                                 {"VcpuLimitExceeded", ErrorScope::machine_type}};
    code = without_side(code);
    const auto row = std::find_if(std::begin(rows), std::end(rows),
                                  [code](const ScopeRow& one) { return one.code == code; });
    return row == std::end(rows) ? ErrorScope::unknown : row->scope;
}

bool is_refused_identity(std::string_view code) noexcept {
    constexpr std::string_view names[] = {
        "AuthFailure",          "ExpiredToken", "ExpiredTokenException",      "InvalidAccessKeyId",
        "InvalidClientTokenId", "InvalidToken", "UnrecognizedClientException"};
    return std::find(std::begin(names), std::end(names), code) != std::end(names);
}

bool is_refused_time(std::string_view code) noexcept {
    constexpr std::string_view names[] = {"AuthFailure", "InvalidSignatureException",
                                          "RequestExpired", "RequestTimeTooSkewed",
                                          "SignatureDoesNotMatch"};
    return std::find(std::begin(names), std::end(names), code) != std::end(names);
}

}  // namespace capstan::aws
