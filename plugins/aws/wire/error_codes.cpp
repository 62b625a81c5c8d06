#include "error_codes.hpp"

#include <algorithm>
#include <array>
#include <cstddef>

#include <capstan/http_error.hpp>

namespace capstan::aws {
namespace {

struct CodeRow {
    std::string_view name;
    CodeMeaning meaning;
};

constexpr CodeMeaning of(ErrorCode code) noexcept { return {code, Again::no}; }
constexpr CodeMeaning refused{ErrorCode::throttled, Again::always};
constexpr CodeMeaning failing{ErrorCode::unavailable, Again::if_safe};
constexpr CodeMeaning busy_resource{ErrorCode::conflict, Again::always};
constexpr CodeMeaning no_room = of(ErrorCode::out_of_capacity);
constexpr CodeMeaning no_quota = of(ErrorCode::quota);
constexpr CodeMeaning no_right = of(ErrorCode::permission);
constexpr CodeMeaning no_identity = of(ErrorCode::unauthenticated);
constexpr CodeMeaning no_object = of(ErrorCode::not_found);
constexpr CodeMeaning other_state = of(ErrorCode::conflict);
constexpr CodeMeaning bad_argument = of(ErrorCode::invalid_argument);
constexpr CodeMeaning bad_config = of(ErrorCode::invalid_config);
constexpr CodeMeaning no_such_call = of(ErrorCode::unsupported);

/// In the order of their names.
constexpr auto code_rows = std::to_array<CodeRow>({
    {"AccessDenied", no_right},
    {"AccessDeniedException", no_right},
    {"AddressLimitExceeded", no_quota},
    {"AlreadyExists", other_state},
    {"AlreadyExistsFault", other_state},
    {"AttachmentLimitExceeded", no_quota},
    {"AuthFailure", no_identity},
    {"BandwidthLimitExceeded", refused},
    {"Blocked", no_right},
    {"ConcurrentModification", other_state},
    {"ConflictException", other_state},
    {"DependencyViolation", other_state},
    {"DryRunOperation", other_state},
    {"EC2ThrottledException", refused},
    {"EntityAlreadyExists", other_state},
    {"ExpiredToken", no_identity},
    {"ExpiredTokenException", no_identity},
    {"FleetCountLimitExceeded", no_quota},
    {"HostLimitExceeded", no_quota},
    {"IDPCommunicationError", failing},
    {"IDPRejectedClaim", no_identity},
    {"IncompleteSignature", no_identity},
    {"IncompleteSignatureException", no_identity},
    {"IncorrectInstanceState", other_state},
    {"IncorrectState", other_state},
    {"InstanceLimitExceeded", no_quota},
    {"InstanceRefreshInProgress", other_state},
    {"InsufficientCapacity", no_room},
    {"InsufficientCapacityOnHost", no_room},
    {"InsufficientFreeAddressesInSubnet", no_room},
    {"InsufficientHostCapacity", no_room},
    {"InsufficientInstanceCapacity", no_room},
    {"InsufficientReservedInstanceCapacity", no_room},
    {"InsufficientVolumeCapacity", no_room},
    {"InternalError", failing},
    {"InternalFailure", failing},
    {"InternalServerError", failing},
    {"InternalServerException", failing},
    {"InvalidAMIID.Unavailable", bad_config},
    {"InvalidAccessKeyId", no_identity},
    {"InvalidAction", no_such_call},
    {"InvalidBlockDeviceMapping", bad_config},
    {"InvalidClientTokenId", no_identity},
    {"InvalidIdentityToken", no_identity},
    {"InvalidInstanceType", bad_config},
    {"InvalidKMSKey.InvalidState", bad_config},
    {"InvalidLaunchTemplate", bad_config},
    {"InvalidNextToken", failing},
    {"InvalidPaginationToken", failing},
    {"InvalidParameter", bad_argument},
    {"InvalidParameterCombination", bad_argument},
    {"InvalidParameterException", bad_argument},
    {"InvalidParameterValue", bad_argument},
    {"InvalidQueryParameter", bad_argument},
    {"InvalidRequest", bad_argument},
    {"InvalidRequestException", bad_argument},
    {"InvalidSignatureException", no_identity},
    {"InvalidToken", no_identity},
    {"LaunchTemplateLimitExceeded", no_quota},
    {"LimitExceeded", no_quota},
    {"LimitExceededException", refused},
    {"LimitExceededFault", no_quota},
    {"MalformedQueryString", bad_argument},
    {"MaxFleetCountExceeded", no_quota},
    {"MaxIOPSLimitExceeded", no_quota},
    {"MaxSpotFleetRequestCountExceeded", no_quota},
    {"MaxSpotInstanceCountExceeded", no_quota},
    {"MissingAction", bad_argument},
    {"MissingAuthenticationToken", no_identity},
    {"MissingAuthenticationTokenException", no_identity},
    {"MissingParameter", bad_argument},
    {"NetworkInterfaceLimitExceeded", no_quota},
    {"NoSuchEntity", no_object},
    {"NotAuthorized", no_right},
    {"NotImplemented", no_such_call},
    {"NotSignedIn", no_identity},
    {"OperationNotPermitted", other_state},
    {"OptInRequired", no_right},
    {"PendingVerification", no_quota},
    {"PriorRequestNotComplete", refused},
    {"ProvisionedThroughputExceededException", refused},
    {"QueueDoesNotExist", no_object},
    {"RequestExpired", no_identity},
    {"RequestLimitExceeded", refused},
    {"RequestThrottled", refused},
    {"RequestThrottledException", refused},
    {"RequestTimeTooSkewed", no_identity},
    {"RequestTimeout", failing},
    {"RequestTimeoutException", failing},
    {"ReservationCapacityExceeded", no_room},
    {"ResourceContention", busy_resource},
    {"ResourceCountExceeded", no_quota},
    {"ResourceCountLimitExceeded", no_quota},
    {"ResourceInUse", other_state},
    {"ResourceInUseException", other_state},
    {"ResourceInUseFault", other_state},
    {"ResourceLimitExceeded", no_quota},
    {"ResourceLimitExceededException", no_quota},
    {"ScalingActivityInProgress", other_state},
    {"ScalingActivityInProgressFault", other_state},
    {"ServerException", failing},
    {"ServiceException", failing},
    {"ServiceLinkedRoleFailure", failing},
    {"ServiceQuotaExceededException", no_quota},
    {"ServiceUnavailable", failing},
    {"ServiceUnavailableException", failing},
    {"SignatureDoesNotMatch", no_identity},
    {"SlowDown", refused},
    {"SnapshotLimitExceeded", no_quota},
    {"SpotMaxPriceTooLow", no_room},
    {"TagLimitExceeded", no_quota},
    {"ThrottledException", refused},
    {"Throttling", refused},
    {"ThrottlingException", refused},
    {"TooManyRequestsException", refused},
    {"TransactionInProgressException", refused},
    {"Unauthorized", no_right},
    {"UnauthorizedAccess", no_right},
    {"UnauthorizedOperation", no_right},
    {"Unavailable", failing},
    {"UnfulfillableCapacity", no_room},
    {"UnknownOperationException", no_such_call},
    {"UnknownParameter", bad_argument},
    {"UnrecognizedClientException", no_identity},
    {"Unsupported", no_room},
    {"UnsupportedOperation", bad_config},
    {"ValidationError", bad_argument},
    {"ValidationException", bad_argument},
    {"VcpuLimitExceeded", no_quota},
    {"VersionLimitExceeded", no_quota},
    {"VolumeLimitExceeded", no_quota},
    {"VolumeTypeNotAvailableInZone", no_room},
});

constexpr bool is_sorted_by_name() noexcept {
    for (std::size_t i = 1; i < code_rows.size(); ++i) {
        if (!(code_rows[i - 1].name < code_rows[i].name)) return false;
    }
    return true;
}
static_assert(is_sorted_by_name());

/// Auto Scaling has one code for most of its refusals; what they are is in the words alone.
struct WordingRow {
    std::string_view words;
    CodeMeaning meaning;
};
constexpr auto wording_rows = std::to_array<WordingRow>({
    {"is above max value", other_state},
    {"is below min value", other_state},
    {"violate group's min size", other_state},
    {"pending delete", other_state},
    {"being deleted", other_state},
    {"already exists", other_state},
    {"launch template", bad_config},
    {"launch configuration", bad_config},
    {"not authorized", no_right},
    {"not found", no_object},
    {"does not exist", no_object},
    {"no managed instance", no_object},
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

/// Codes are made by rules, and are more than a table can have.
std::optional<CodeMeaning> find_by_part(std::string_view code) noexcept {
    const auto has = [code](std::string_view part) {
        return code.find(part) != std::string_view::npos;
    };
    if (has("NotFound") || has("NonExistent") || has("DoesNotExist")) return no_object;
    if (has("AlreadyExists") || code.ends_with(".Duplicate")) return other_state;
    if (code.ends_with(".Malformed")) return bad_argument;
    if (code.ends_with("LimitExceeded")) return no_quota;
    if (code.starts_with("Insufficient") && has("Capacity")) return no_room;
    return std::nullopt;
}

char lower(char c) noexcept { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }

/// A reply without a code that is known. A 5xx of a proxy or of AWS's own gate says little of what
/// came of the request.
CodeMeaning meaning_of_status(int status) noexcept {
    const ErrorCode code = http_error_code(status);
    if (status == 429 || status == 509) return refused;
    if (status == 408 || status == 425 || status >= 500) return {code, Again::if_safe};
    return of(code);
}

}  // namespace

bool contains_words(std::string_view text, std::string_view words) noexcept {
    return std::search(text.begin(), text.end(), words.begin(), words.end(),
                       [](char a, char b) { return lower(a) == lower(b); }) != text.end();
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
