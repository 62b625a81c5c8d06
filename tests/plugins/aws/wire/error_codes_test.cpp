#include "wire/error_codes.hpp"

#include <gmock/gmock.h>

namespace capstan::aws {
namespace {

ErrorCode code_of(std::string_view name, std::string_view message = {}) {
    const auto meaning = find_meaning(name, message);
    EXPECT_TRUE(meaning) << name;
    return meaning.value_or(CodeMeaning{}).code;
}

TEST(ErrorCodes, MapToTheErrorsOfTheHost) {
    const std::pair<const char*, ErrorCode> cases[] = {
        {"InsufficientInstanceCapacity", ErrorCode::out_of_capacity},
        {"InsufficientHostCapacity", ErrorCode::out_of_capacity},
        {"InsufficientFreeAddressesInSubnet", ErrorCode::out_of_capacity},
        {"UnfulfillableCapacity", ErrorCode::out_of_capacity},
        {"ReservationCapacityExceeded", ErrorCode::out_of_capacity},
        {"SpotMaxPriceTooLow", ErrorCode::out_of_capacity},
        {"Server.InsufficientInstanceCapacity", ErrorCode::out_of_capacity},
        {"InsufficientPlutoCapacity", ErrorCode::out_of_capacity},
        {"InstanceLimitExceeded", ErrorCode::quota},
        {"VcpuLimitExceeded", ErrorCode::quota},
        {"MaxSpotInstanceCountExceeded", ErrorCode::quota},
        {"Client.VolumeLimitExceeded", ErrorCode::quota},
        {"LimitExceeded", ErrorCode::quota},
        {"SomethingNewLimitExceeded", ErrorCode::quota},
        {"AccessDenied", ErrorCode::permission},
        {"AccessDeniedException", ErrorCode::permission},
        {"UnauthorizedOperation", ErrorCode::permission},
        {"OptInRequired", ErrorCode::permission},
        {"ExpiredToken", ErrorCode::unauthenticated},
        {"ExpiredTokenException", ErrorCode::unauthenticated},
        {"InvalidClientTokenId", ErrorCode::unauthenticated},
        {"UnrecognizedClientException", ErrorCode::unauthenticated},
        {"AuthFailure", ErrorCode::unauthenticated},
        {"SignatureDoesNotMatch", ErrorCode::unauthenticated},
        {"RequestExpired", ErrorCode::unauthenticated},
        {"ResourceNotFoundException", ErrorCode::not_found},
        {"InvalidInstanceID.NotFound", ErrorCode::not_found},
        {"InvalidLaunchTemplateName.NotFoundException", ErrorCode::not_found},
        {"InvalidLaunchTemplateId.VersionNotFound", ErrorCode::not_found},
        {"AWS.SimpleQueueService.NonExistentQueue", ErrorCode::not_found},
        {"NoSuchEntity", ErrorCode::not_found},
        {"ScalingActivityInProgress", ErrorCode::conflict},
        {"ResourceInUse", ErrorCode::conflict},
        {"ResourceContention", ErrorCode::conflict},
        {"AlreadyExists", ErrorCode::conflict},
        {"InvalidLaunchTemplateName.AlreadyExistsException", ErrorCode::conflict},
        {"InvalidGroup.Duplicate", ErrorCode::conflict},
        {"Throttling", ErrorCode::throttled},
        {"RequestLimitExceeded", ErrorCode::throttled},
        {"InternalFailure", ErrorCode::unavailable},
        {"ServiceUnavailable", ErrorCode::unavailable},
        {"ValidationError", ErrorCode::invalid_argument},
        {"InvalidInstanceID.Malformed", ErrorCode::invalid_argument},
        {"InvalidAction", ErrorCode::unsupported},
        {"InvalidLaunchTemplate", ErrorCode::invalid_config},
    };
    for (const auto& [name, code] : cases) EXPECT_EQ(code_of(name), code) << name;
}

TEST(ErrorCodes, ClassifyAutoScalingValidationErrorsByMessage) {
    const std::pair<const char*, ErrorCode> cases[] = {
        {"AutoScalingGroup name not found - AutoScalingGroup web not found", ErrorCode::not_found},
        {"Group web not found", ErrorCode::not_found},
        {"Instance Id not found - No managed instance found for instance ID: i-1",
         ErrorCode::not_found},
        {"New SetDesiredCapacity value 9 is above max value 5 for the AutoScalingGroup.",
         ErrorCode::conflict},
        {"New SetDesiredCapacity value 0 is below min value 1 for the AutoScalingGroup.",
         ErrorCode::conflict},
        {"Currently, desiredSize equals minSize (1). Terminating instance without replacement will "
         "violate group's min size constraint.",
         ErrorCode::conflict},
        {"AutoScalingGroup web is pending delete", ErrorCode::conflict},
        {"You must use a valid fully-formed launch template. The specified image was not found",
         ErrorCode::invalid_config},
        {"1 validation error detected: Value '' at 'autoScalingGroupName' failed",
         ErrorCode::invalid_argument},
    };
    for (const auto& [message, code] : cases)
        EXPECT_EQ(code_of("ValidationError", message), code) << message;
}

TEST(ErrorCodes, RetryAllCodesThatBotocoreRetries) {
    for (const char* name :
         {"Throttling", "ThrottlingException", "ThrottledException", "RequestThrottled",
          "RequestThrottledException", "TooManyRequestsException", "RequestLimitExceeded",
          "BandwidthLimitExceeded", "LimitExceededException", "SlowDown", "EC2ThrottledException",
          "ProvisionedThroughputExceededException", "TransactionInProgressException",
          "PriorRequestNotComplete"}) {
        EXPECT_EQ(find_meaning(name, {}), (CodeMeaning{ErrorCode::throttled, RepeatWhen::always}))
            << name;
    }
    for (const char* name : {"RequestTimeout", "RequestTimeoutException"})
        EXPECT_EQ(find_meaning(name, {}),
                  (CodeMeaning{ErrorCode::unavailable, RepeatWhen::if_safe}));
    EXPECT_EQ(find_meaning("ResourceContention", {}),
              (CodeMeaning{ErrorCode::conflict, RepeatWhen::always}));
}

TEST(ErrorCodes, FallBackToTheStatus) {
    const std::pair<int, CodeMeaning> cases[] = {
        {302, {ErrorCode::unavailable, RepeatWhen::never}},
        {400, {ErrorCode::invalid_argument, RepeatWhen::never}},
        {403, {ErrorCode::permission, RepeatWhen::never}},
        {404, {ErrorCode::not_found, RepeatWhen::never}},
        {408, {ErrorCode::unavailable, RepeatWhen::if_safe}},
        {429, {ErrorCode::throttled, RepeatWhen::always}},
        {500, {ErrorCode::unavailable, RepeatWhen::if_safe}},
        {502, {ErrorCode::unavailable, RepeatWhen::if_safe}},
        {503, {ErrorCode::unavailable, RepeatWhen::if_safe}},
        {504, {ErrorCode::deadline, RepeatWhen::if_safe}},
        {509, {ErrorCode::throttled, RepeatWhen::always}},
    };
    for (const auto& [status, meaning] : cases) {
        EXPECT_EQ(meaning_of(status, "", ""), meaning) << status;
        EXPECT_EQ(meaning_of(status, "NeverHeardOf", ""), meaning) << status;
    }
    EXPECT_EQ(meaning_of(500, "InsufficientInstanceCapacity", ""),
              (CodeMeaning{ErrorCode::out_of_capacity, RepeatWhen::never}));
}

TEST(ErrorCodes, DoNotMatchOtherSpellings) {
    for (const char* name : {"", "throttling", "Throttling ", "Throttl", "AccessDenie"})
        EXPECT_EQ(find_meaning(name, {}), std::nullopt) << name;
}

TEST(ErrorCodes, DistinguishRefusedCredentialsFromARefusedTime) {
    EXPECT_TRUE(is_refused_identity("ExpiredToken"));
    EXPECT_FALSE(is_refused_identity("SignatureDoesNotMatch"));
    EXPECT_TRUE(is_refused_time("SignatureDoesNotMatch"));
    EXPECT_TRUE(is_refused_time("RequestExpired"));
    EXPECT_FALSE(is_refused_time("ExpiredToken"));
    EXPECT_FALSE(is_refused_identity("AccessDenied"));
}

}  // namespace
}  // namespace capstan::aws
