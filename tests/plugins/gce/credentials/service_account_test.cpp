#include <gmock/gmock.h>

#include <chrono>

#include <capstan/url.hpp>

#include "fake_machine.hpp"

namespace capstan::gce {
namespace {

using namespace std::chrono_literals;
using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;
using testing::reply;

TEST(ServiceAccountKeys, AreExchangedForAToken) {
    FakeMachine machine;
    machine.responses[std::string("POST ") + oauth_url] = token_response("t1");
    const Time before = machine.host.now();
    const auto token = machine.ask(key_file());
    ASSERT_TRUE(token) << token.error().message;
    EXPECT_EQ(token->text, "t1");
    EXPECT_EQ(token->expires, before + 1h);
    EXPECT_EQ(token->source, "the service account of file \"/key.json\"");
    const auto form = parse_query(machine.requests_to(oauth_url).at(0).body);
    ASSERT_TRUE(form);
    EXPECT_EQ(form->at(0).second, "urn:ietf:params:oauth:grant-type:jwt-bearer");
    EXPECT_EQ(std::ranges::count(form->at(1).second, '.'), 2);
}

TEST(ServiceAccountKeys, AreNotSentToOtherHostsWithoutTls) {
    FakeMachine machine;
    const auto refused = machine.ask(key_file(R"(,"token_uri":"http://example.com/token")"));
    ASSERT_FALSE(refused);
    EXPECT_EQ(refused.error().code, ErrorCode::invalid_config);
    EXPECT_THAT(refused.error().message, HasSubstr("without TLS"));
    EXPECT_EQ(machine.count(), 0U);
}

TEST(ServiceAccountKeys, AreSentToLoopbackAndTheConfiguredEndpoint) {
    FakeMachine machine;
    machine.responses["POST http://127.0.0.1:8080/token"] = token_response("local");
    EXPECT_EQ(machine.ask(key_file(R"(,"token_uri":"http://127.0.0.1:8080/token")"))->text,
              "local");
    machine.config.endpoints.overrides["oauth2"] = "http://proxy.example:1/";
    machine.responses["POST http://proxy.example:1/token"] = token_response("own");
    EXPECT_EQ(machine.ask(key_file())->text, "own");
}

TEST(ServiceAccountKeys, AreUnauthenticatedIfRefused) {
    FakeMachine machine;
    machine.responses[std::string("POST ") + oauth_url] =
        reply(400, R"({"error":"invalid_grant","error_description":"Invalid JWT Signature."})");
    const auto refused = machine.ask(key_file());
    ASSERT_FALSE(refused);
    EXPECT_EQ(refused.error().code, ErrorCode::unauthenticated);
    EXPECT_THAT(refused.error().message,
                AllOf(HasSubstr("Invalid JWT Signature."), Not(HasSubstr("PRIVATE"))));
}

TEST(ServiceAccountKeys, AreUnavailableIfTheEndpointDoesNotRespond) {
    FakeMachine machine;
    EXPECT_EQ(machine.ask(key_file()).error().code, ErrorCode::unavailable);
    machine.responses[std::string("POST ") + oauth_url] = reply(503);
    EXPECT_EQ(machine.ask(key_file()).error().code, ErrorCode::unavailable);
}

TEST(ServiceAccountKeys, ReportMissingFields) {
    FakeMachine machine;
    EXPECT_THAT(machine.ask(R"({"type":"service_account","client_email":"a"})").error().message,
                HasSubstr("private_key is missing"));
    EXPECT_THAT(machine.ask(R"({"type":"service_account","private_key":7})").error().message,
                HasSubstr("client_email is missing"));
    const auto refused =
        machine.ask(R"({"type":"service_account","client_email":"a","private_key":["secret"]})");
    EXPECT_EQ(refused.error().message, "file \"/key.json\": private_key is not a string");
    EXPECT_EQ(refused.error().code, ErrorCode::invalid_config) << "a retry cannot succeed";
}

TEST(ServiceAccountKeys, AreNotSentToHostsThatOnlyLookLikeLoopback) {
    for (const char* url : {"http://[::1].example.com/token", "http://localhost.example.com/token",
                            "http://127.0.0.1@example.com/token", "https://user@example.com/token",
                            "HTTP://example.com/token", "ftp://localhost/token", "token"}) {
        FakeMachine machine;
        const auto refused = machine.ask(key_file(R"(,"token_uri":")" + std::string(url) + "\""));
        ASSERT_FALSE(refused) << url;
        EXPECT_EQ(refused.error().code, ErrorCode::invalid_config) << url;
        EXPECT_EQ(machine.count(), 0U) << url;
    }
}

TEST(AuthorizedUsers, ExchangeTheirRefreshToken) {
    FakeMachine machine;
    machine.responses[std::string("POST ") + oauth_url] = token_response("user");
    const auto token = machine.ask(
        R"({"type":"authorized_user","client_id":"c","client_secret":"s","refresh_token":"r"})");
    ASSERT_TRUE(token);
    EXPECT_EQ(token->text, "user");
    EXPECT_EQ(machine.requests_to(oauth_url).at(0).body,
              "grant_type=refresh_token&client_id=c&client_secret=s&refresh_token=r");
}

TEST(CredentialsFiles, RejectAnUnknownTypeByName) {
    FakeMachine machine;
    EXPECT_THAT(machine.ask(R"({"type":"gdch_service_account"})").error().message,
                HasSubstr("\"gdch_service_account\""));
    EXPECT_FALSE(machine.ask("{}"));
}

TEST(TokenResponses, WithoutATokenAreRejected) {
    FakeMachine machine;
    machine.responses[std::string("POST ") + oauth_url] = reply(200, R"({"expires_in":3599})");
    EXPECT_EQ(machine.ask(key_file()).error().code, ErrorCode::unauthenticated);
    machine.responses[std::string("POST ") + oauth_url] = reply(200, "<html>");
    EXPECT_EQ(machine.ask(key_file()).error().code, ErrorCode::unavailable);
}

}  // namespace
}  // namespace capstan::gce
