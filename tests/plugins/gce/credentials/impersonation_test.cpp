#include <gmock/gmock.h>

#include <capstan/time_text.hpp>

#include "fake_machine.hpp"

namespace capstan::gce {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using testing::reply;

const std::string url =
    "https://iamcredentials.googleapis.com/v1/projects/-/serviceAccounts/"
    "scaler%40shop.iam:generateAccessToken";
const HttpReply good = reply(200, R"({"accessToken":"other","expireTime":"2027-01-01T00:00:00Z"})");

TEST(Impersonation, RequestsTheTokenOfAnotherAccount) {
    FakeMachine machine;
    machine.config.impersonate = "scaler@shop.iam";
    machine.responses[std::string("GET ") + metadata_token_url] =
        metadata_response(R"({"access_token":"base","expires_in":300})");
    machine.responses["POST " + url] = good;
    const auto token = machine.find();
    ASSERT_TRUE(token) << token.error().message;
    EXPECT_EQ(token->text, "other");
    EXPECT_EQ(token->expires, *parse_rfc3339("2027-01-01T00:00:00Z"));
    const HttpRequest request = machine.requests_to(url).at(0);
    EXPECT_EQ(header_named(request, "authorization"), "Bearer base");
    EXPECT_THAT(request.body, AllOf(HasSubstr(R"("lifetime":"3600s")"), HasSubstr("auth/compute")));
    EXPECT_EQ(token->source, "account scaler%40shop.iam, through the metadata server");
}

TEST(Impersonation, IsUnauthenticatedWithAReasonIfNotAllowed) {
    FakeMachine machine;
    machine.config.impersonate = "scaler@shop.iam";
    machine.responses[std::string("GET ") + metadata_token_url] =
        metadata_response(R"({"access_token":"base","expires_in":300})");
    machine.responses["POST " + url] = reply(
        403,
        R"({"error":{"code":403,"message":"Permission 'iam.serviceAccounts.getAccessToken' denied",
                 "status":"PERMISSION_DENIED"}})");
    const auto refused = machine.find();
    ASSERT_FALSE(refused);
    EXPECT_EQ(refused.error().code, ErrorCode::unauthenticated);
    EXPECT_THAT(refused.error().message, HasSubstr("getAccessToken"));
}

TEST(Impersonation, UsesTheDelegatesOfAFile) {
    FakeMachine machine;
    machine.responses[std::string("POST ") + oauth_url] = token_response("user");
    machine.responses["POST " + url] = good;
    const auto token = machine.ask(
        R"({"type":"impersonated_service_account","service_account_impersonation_url":")" + url +
        R"(","delegates":["projects/-/serviceAccounts/d"],"source_credentials":{"type":"authorized_user",)"
        R"("client_id":"c","client_secret":"s","refresh_token":"r"}})");
    ASSERT_TRUE(token) << token.error().message;
    EXPECT_THAT(machine.requests_to(url).at(0).body,
                HasSubstr(R"("delegates":["projects/-/serviceAccounts/d"])"));
}

TEST(Impersonation, RejectsANestedImpersonation) {
    FakeMachine machine;
    EXPECT_THAT(
        machine
            .ask(
                R"({"type":"impersonated_service_account","service_account_impersonation_url":"https://x/y",)"
                R"("source_credentials":{"type":"impersonated_service_account"}})")
            .error()
            .message,
        HasSubstr("are impersonated too"));
}

TEST(Impersonation, RejectsAResponseWithoutAToken) {
    FakeMachine machine;
    machine.config.impersonate = "scaler@shop.iam";
    machine.responses[std::string("GET ") + metadata_token_url] =
        metadata_response(R"({"access_token":"base","expires_in":300})");
    machine.responses["POST " + url] = reply(200, R"({"accessToken":"other"})");
    EXPECT_EQ(machine.find().error().code, ErrorCode::unauthenticated);
}

}  // namespace
}  // namespace capstan::gce
