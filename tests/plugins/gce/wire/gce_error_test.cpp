#include "wire/gce_error.hpp"

#include <gmock/gmock.h>

#include <chrono>

#include <capstan/testing/fake_http.hpp>

namespace capstan::gce {
namespace {

using namespace std::chrono_literals;
using ::testing::HasSubstr;
using testing::reply;

HttpReply refusal(int status, const std::string& reason, const std::string& message = "m",
                  HttpHeaders headers = {}) {
    return reply(status,
                 R"({"error":{"code":)" + std::to_string(status) + R"(,"message":")" + message +
                     R"(","errors":[{"message":"x","domain":"global","reason":")" + reason +
                     R"("}]}})",
                 std::move(headers));
}

FailedAttempt classified(const HttpReply& response) {
    return judge_refusal("compute.instances.list", response, Time());
}

TEST(GceErrors, AreReadInAllForms) {
    EXPECT_EQ(read_gce_error(refusal(404, "notFound", "gone")),
              (GceErrorText{"notFound", "", "gone"}));
    EXPECT_EQ(read_gce_error(
                  reply(403, R"({"error":{"code":403,"message":"no","status":"PERMISSION_DENIED",
                 "errors":[{"reason":"forbidden"}],"details":[{"@type":"x"},{"reason":"SERVICE_DISABLED"}]}})")),
              (GceErrorText{"SERVICE_DISABLED", "PERMISSION_DENIED", "no"}));
    EXPECT_EQ(read_gce_error(reply(400, R"({"error":"invalid_grant","error_description":"Bad"})")),
              (GceErrorText{"invalid_grant", "", "Bad"}));
    EXPECT_EQ(read_gce_error(reply(502, "<html><title>Error 502 (Server Error)!!1</title></html>")),
              (GceErrorText{"", "", "Error 502 (Server Error)!!1"}));
    EXPECT_EQ(read_gce_error(reply(500, "oh\nno")), (GceErrorText{"", "", "oh no"}));
    EXPECT_EQ(read_gce_error(reply(500, "")), GceErrorText());
    EXPECT_EQ(read_gce_error(reply(500, R"({"error":[]})")).reason, "");
}

TEST(GceErrors, MapToErrorCodesAndRetries) {
    struct Case {
        int status;
        const char* reason;
        ErrorCode code;
        RepeatWhen again;
    };
    for (const auto& [status, reason, code, again] : {
             Case{400, "invalid", ErrorCode::invalid_argument, RepeatWhen::never},
             Case{401, "authError", ErrorCode::unauthenticated, RepeatWhen::never},
             Case{403, "forbidden", ErrorCode::permission, RepeatWhen::never},
             Case{403, "rateLimitExceeded", ErrorCode::throttled, RepeatWhen::always},
             Case{403, "userRateLimitExceeded", ErrorCode::throttled, RepeatWhen::always},
             Case{403, "quotaExceeded", ErrorCode::quota, RepeatWhen::never},
             Case{404, "notFound", ErrorCode::not_found, RepeatWhen::never},
             Case{409, "alreadyExists", ErrorCode::conflict, RepeatWhen::never},
             Case{412, "conditionNotMet", ErrorCode::conflict, RepeatWhen::never},
             Case{429, "RATE_LIMIT_EXCEEDED", ErrorCode::throttled, RepeatWhen::always},
             Case{429, "x", ErrorCode::throttled, RepeatWhen::always},
             Case{500, "backendError", ErrorCode::unavailable, RepeatWhen::if_safe},
             Case{502, "", ErrorCode::unavailable, RepeatWhen::if_safe},
             Case{503, "backendError", ErrorCode::unavailable, RepeatWhen::if_safe},
             Case{504, "", ErrorCode::deadline, RepeatWhen::if_safe},
             Case{501, "notImplemented", ErrorCode::unsupported, RepeatWhen::never},
         }) {
        const FailedAttempt failed = classified(refusal(status, reason));
        EXPECT_EQ(failed.error.code, code) << status << " " << reason;
        EXPECT_EQ(failed.again, again) << status << " " << reason;
        EXPECT_EQ(failed.error.provider_code, reason);
    }
}

TEST(GceErrors, TreatExceededRequestQuotasAsThrottling) {
    const FailedAttempt failed = classified(refusal(
        403, "quotaExceeded",
        "Quota exceeded for quota metric 'Queries' and limit 'Queries per minute' of service"));
    EXPECT_EQ(failed.error.code, ErrorCode::throttled);
    EXPECT_EQ(failed.again, RepeatWhen::always);
}

TEST(GceErrors, NameRequestReasonAndRemedy) {
    EXPECT_EQ(classified(refusal(404, "notFound", "The resource 'projects/p' was not found"))
                  .error.message,
              "compute.instances.list: The resource 'projects/p' was not found (notFound)");
    EXPECT_EQ(classified(reply(500, "")).error.message, "compute.instances.list: HTTP status 500");
    EXPECT_THAT(classified(refusal(403, "accessNotConfigured", "off")).error.message,
                HasSubstr("enable this API"));
    EXPECT_THAT(classified(refusal(403, "insufficientPermissions", "x")).error.message,
                HasSubstr("scopes are too narrow"));
}

TEST(GceErrors, KeepRetryAfter) {
    EXPECT_EQ(classified(refusal(429, "x", "m", {{"retry-after", "7"}})).error.retry_after, 7s);
    EXPECT_EQ(classified(refusal(429, "x")).error.retry_after, std::nullopt);
}

TEST(GceErrors, ContainNoControlCharactersAndHaveLimitedLength) {
    const std::string message =
        classified(reply(500, std::string(5000, 'x') + "\x01\xff")).error.message;
    EXPECT_LT(message.size(), 1700U);
    EXPECT_EQ(message.find('\x01'), std::string::npos);
}

TEST(GceFailures, AreClassifiedByCodeAndMessage) {
    struct Case {
        const char *code, *message;
        ErrorCode error;
    };
    for (const auto& [code, message, error] : {
             Case{"ZONE_RESOURCE_POOL_EXHAUSTED", "", ErrorCode::out_of_capacity},
             Case{"ZONE_RESOURCE_POOL_EXHAUSTED_WITH_DETAILS", "", ErrorCode::out_of_capacity},
             Case{"RESOURCE_POOL_EXHAUSTED", "", ErrorCode::out_of_capacity},
             Case{"INSUFFICIENT_CAPACITY", "", ErrorCode::out_of_capacity},
             Case{"QUOTA_EXCEEDED", "Quota 'CPUS' exceeded", ErrorCode::quota},
             Case{"GPUS_ALL_REGIONS_QUOTA", "", ErrorCode::quota},
             Case{"IP_SPACE_EXHAUSTED", "", ErrorCode::quota},
             Case{"IP_SPACE_EXHAUSTED_WITH_DETAILS", "", ErrorCode::quota},
             Case{"PERMISSIONS_ERROR", "", ErrorCode::permission},
             Case{"SERVICE_ACCOUNT_ACCESS_DENIED", "", ErrorCode::permission},
             Case{"CONDITION_NOT_MET",
                  "Constraint constraints/compute.vmExternalIpAccess violated for project 1.",
                  ErrorCode::invalid_config},
             Case{"CONDITION_NOT_MET", "Unsupported TPU configuration", ErrorCode::invalid_config},
             Case{"INVALID_USAGE", "Specified reservation 'r' does not exist",
                  ErrorCode::invalid_config},
             Case{"X", "Could not find the given reservation with the following name",
                  ErrorCode::invalid_config},
             Case{"X", "Specified reservation r does not have available resources for the request.",
                  ErrorCode::out_of_capacity},
             Case{"X", "it requires reservation to be in READY state", ErrorCode::unavailable},
             Case{"X",
                  "All automatic reservations in your project, or shared with your project, are "
                  "fully consumed",
                  ErrorCode::out_of_capacity},
             Case{"X",
                  "Zone does not currently have sufficient capacity for the requested resources",
                  ErrorCode::out_of_capacity},
             Case{"ZONE_STOCKOUT", "", ErrorCode::out_of_capacity},
             Case{"X", "The zone does not have enough resources available",
                  ErrorCode::out_of_capacity},
             Case{"RESERVATION_CAPACITY_EXCEEDED", "", ErrorCode::out_of_capacity},
             Case{"RESERVATION_NOT_READY", "", ErrorCode::unavailable},
             Case{"RATE_LIMIT_EXCEEDED", "", ErrorCode::throttled},
             Case{"X", "IP space of the subnetwork is exhausted", ErrorCode::quota},
             Case{"X", "Required 'compute.subnetworks.use' permission", ErrorCode::permission},
             Case{"VM_EXTERNAL_IP_ACCESS_POLICY_CONSTRAINT", "", ErrorCode::invalid_config},
             Case{"UNSUPPORTED_OPERATION", "", ErrorCode::invalid_config},
             Case{"RESOURCE_NOT_FOUND", "", ErrorCode::invalid_config},
             Case{"INTERNAL_ERROR", "", ErrorCode::unavailable},
             Case{"", "", ErrorCode::unavailable},
         }) {
        const Error failure = classify_failure(code, message);
        EXPECT_EQ(failure.code, error) << code << ": " << message;
        EXPECT_EQ(failure.provider_code, code);
        EXPECT_FALSE(failure.message.empty());
    }
}

TEST(GceFailureScopes, AreSetIfTheMessageImpliesOne) {
    const auto scope_of = [](const char* code, const char* message) {
        return classify_failure(code, message).scope;
    };
    EXPECT_EQ(scope_of("QUOTA_EXCEEDED",
                       "Quota 'INSTANCES' exceeded.  Limit: 24.0 in region us-central1."),
              ErrorScope::zone);
    EXPECT_EQ(
        scope_of("QUOTA_EXCEEDED", "Quota 'CPUS_ALL_REGIONS' exceeded.  Limit: 12.0 globally."),
        ErrorScope::machine_type);
    EXPECT_EQ(
        scope_of("QUOTA_EXCEEDED", "Quota 'CPUS' exceeded.  Limit: 24.0 in region us-central1."),
        ErrorScope::unknown)
        << "smaller machines or other families may fit";
    EXPECT_EQ(scope_of("IP_SPACE_EXHAUSTED", "IP space of the subnetwork is exhausted"),
              ErrorScope::group);
    EXPECT_EQ(scope_of("RESERVATION_CAPACITY_EXCEEDED", ""), ErrorScope::group);
    EXPECT_EQ(scope_of("ZONE_RESOURCE_POOL_EXHAUSTED", ""), ErrorScope::unknown);
}

TEST(GceStockOutErrors, ExcludeReservations) {
    EXPECT_TRUE(is_stock_out(classify_failure("ZONE_RESOURCE_POOL_EXHAUSTED", "")));
    EXPECT_FALSE(is_stock_out(classify_failure("RESERVATION_CAPACITY_EXCEEDED", "")));
    for (const char* message :
         {"Specified reservation r does not have available resources for the request.",
          "All automatic reservations in your project, or shared with your project, are fully "
          "consumed"})
        EXPECT_FALSE(is_stock_out(classify_failure("X", message))) << message;
    EXPECT_FALSE(is_stock_out(classify_failure("QUOTA_EXCEEDED", "")));
}

}  // namespace
}  // namespace capstan::gce
