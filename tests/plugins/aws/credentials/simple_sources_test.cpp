#include <gmock/gmock.h>

#include "fake_machine.hpp"

namespace capstan::aws {
namespace {

using namespace std::chrono_literals;
using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

TEST(SettingsSource, ReturnsTheConfiguredKeyAndSecrets) {
    FakeMachine m;
    m.config.access_key_id = "AKIA";
    m.config.secret_access_key = "aws-secret";
    m.config.session_token = "aws-token";
    m.host.secrets()["aws-secret"] = "s";
    m.host.secrets()["aws-token"] = "t";
    const auto response = m.ask(&ask_settings);
    ASSERT_TRUE(response) << response.error().message;
    const Credentials& found = response->credentials.value();
    EXPECT_EQ(found.access_key_id, "AKIA");
    EXPECT_EQ(found.secret_access_key, "s");
    EXPECT_EQ(found.session_token, "t");
    EXPECT_EQ(found.expires, std::nullopt);
    EXPECT_EQ(found.source, "the configuration");
}

TEST(SettingsSource, IsAbsentWithoutAKeyAndFailsWithHalfOfOne) {
    FakeMachine m;
    EXPECT_EQ(m.ask(&ask_settings)->absence, "no access_key_id");
    m.config.access_key_id = "AKIA";
    EXPECT_EQ(m.ask(&ask_settings).error().code, ErrorCode::invalid_config);
}

TEST(SettingsSource, NamesAMissingSecret) {
    FakeMachine m;
    m.config.access_key_id = "AKIA";
    m.config.secret_access_key = "aws-secret";
    const auto response = m.ask(&ask_settings);
    ASSERT_FALSE(response);
    EXPECT_THAT(response.error().message, HasSubstr("aws-secret"));
}

TEST(EnvironmentSource, ReadsThreeVariables) {
    FakeMachine m;
    m.environment.set = {
        {"AWS_ACCESS_KEY_ID", "AKIA"}, {"AWS_SECRET_ACCESS_KEY", "s"}, {"AWS_SESSION_TOKEN", "t"}};
    const Credentials found = m.ask(&ask_environment)->credentials.value();
    EXPECT_EQ(found.access_key_id, "AKIA");
    EXPECT_EQ(found.secret_access_key, "s");
    EXPECT_EQ(found.session_token, "t");
}

TEST(EnvironmentSource, FailsWithHalfOfAKey) {
    FakeMachine m;
    EXPECT_EQ(m.ask(&ask_environment)->absence, "AWS_ACCESS_KEY_ID is not set");
    m.environment.set = {{"AWS_ACCESS_KEY_ID", "AKIA"}};
    EXPECT_EQ(m.ask(&ask_environment).error().code, ErrorCode::invalid_config);
    m.environment.set = {{"AWS_SECRET_ACCESS_KEY", "s"}};
    const auto response = m.ask(&ask_environment);
    ASSERT_FALSE(response);
    EXPECT_THAT(response.error().message, Not(HasSubstr("\"s\"")));
}

struct ServiceAccount : FakeMachine {
    ServiceAccount() {
        environment.set = {{"AWS_WEB_IDENTITY_TOKEN_FILE", "/var/run/token"},
                           {"AWS_ROLE_ARN", "arn:aws:iam::1:role/scaler"}};
        environment.files["/var/run/token"] = "header.claims.signature\n";
        responses[std::string("POST ") + sts_url] =
            sts_response("AssumeRoleWithWebIdentity", "W", host.now() + 1h);
    }
};

TEST(WebIdentitySource, ExchangesTheTokenWithoutASignature) {
    ServiceAccount m;
    const auto response = m.ask(&ask_web_identity);
    ASSERT_TRUE(response) << response.error().message;
    EXPECT_EQ(response->credentials->access_key_id, "ASIAW");
    EXPECT_EQ(response->credentials->session_token, "token-W");
    EXPECT_EQ(response->credentials->expires, m.host.now() + 1h);
    EXPECT_EQ(response->credentials->source,
              "role arn:aws:iam::1:role/scaler through web identity");
    const HttpRequest sent = m.requests_to(sts_url).at(0);
    EXPECT_EQ(sent.body,
              "Action=AssumeRoleWithWebIdentity&Version=2011-06-15&"
              "RoleArn=arn%3Aaws%3Aiam%3A%3A1%3Arole%2Fscaler&RoleSessionName=capstan&"
              "WebIdentityToken=header.claims.signature");
    EXPECT_EQ(header_named(sent, "authorization"), "");
}

TEST(WebIdentitySource, UsesTheConfiguredSessionName) {
    ServiceAccount m;
    m.environment.set["AWS_ROLE_SESSION_NAME"] = "from the environment";
    ASSERT_TRUE(m.ask(&ask_web_identity));
    m.config.session_name = "from-settings";
    ASSERT_TRUE(m.ask(&ask_web_identity));
    const auto sent = m.requests_to(sts_url);
    EXPECT_THAT(sent.at(0).body, HasSubstr("RoleSessionName=from-the-environment&"));
    EXPECT_THAT(sent.at(1).body, HasSubstr("RoleSessionName=from-settings&"));
}

TEST(WebIdentitySource, ReadsTheTokenForEachRequest) {
    ServiceAccount m;
    ASSERT_TRUE(m.ask(&ask_web_identity));
    m.environment.files["/var/run/token"] = "rotated";
    ASSERT_TRUE(m.ask(&ask_web_identity));
    EXPECT_THAT(m.requests_to(sts_url).at(1).body, HasSubstr("WebIdentityToken=rotated"));
}

TEST(WebIdentitySource, IsAbsentWithoutATokenFileAndFailsWithoutARole) {
    FakeMachine m;
    EXPECT_EQ(m.ask(&ask_web_identity)->absence, "AWS_WEB_IDENTITY_TOKEN_FILE is not set");
    m.environment.set = {{"AWS_WEB_IDENTITY_TOKEN_FILE", "/var/run/token"}};
    EXPECT_EQ(m.ask(&ask_web_identity).error().code, ErrorCode::invalid_config);
}

TEST(WebIdentitySource, ReportsAMissingOrEmptyTokenFile) {
    ServiceAccount m;
    m.environment.files["/var/run/token"] = "\n";
    const auto empty = m.ask(&ask_web_identity);
    ASSERT_FALSE(empty);
    EXPECT_THAT(empty.error().message, HasSubstr("\"/var/run/token\" is empty"));
    m.environment.files.clear();
    EXPECT_THAT(m.ask(&ask_web_identity).error().message, HasSubstr("no such file"));
    EXPECT_TRUE(m.host.http().requests().empty());
}

TEST(WebIdentitySource, NamesRoleAndActionOfAnStsRefusal) {
    ServiceAccount m;
    m.responses[std::string("POST ") + sts_url] = testing::reply(
        403,
        "<ErrorResponse><Error><Code>AccessDenied</Code><Message>Not authorized to perform "
        "sts:AssumeRoleWithWebIdentity</Message></Error></ErrorResponse>");
    const auto response = m.ask(&ask_web_identity);
    ASSERT_FALSE(response);
    EXPECT_EQ(response.error().code, ErrorCode::permission);
    EXPECT_THAT(response.error().message,
                AllOf(HasSubstr("role arn:aws:iam::1:role/scaler"),
                      HasSubstr("sts:AssumeRoleWithWebIdentity: AccessDenied"),
                      Not(HasSubstr("header.claims"))));
}

TEST(WebIdentitySource, RejectsAResponseWithoutKeys) {
    ServiceAccount m;
    m.responses[std::string("POST ") + sts_url] =
        testing::reply(200,
                       "<AssumeRoleWithWebIdentityResponse><AssumeRoleWithWebIdentityResult/>"
                       "</AssumeRoleWithWebIdentityResponse>");
    EXPECT_EQ(m.ask(&ask_web_identity).error().code, ErrorCode::unavailable);
}

}  // namespace
}  // namespace capstan::aws
