#include <gmock/gmock.h>

#include <utility>

#include <capstan/url.hpp>

#include "fake_machine.hpp"

namespace capstan::gce {
namespace {

using ::testing::AllOf;
using ::testing::Contains;
using ::testing::HasSubstr;
using ::testing::Pair;
using testing::reply;

std::string federation(const std::string& source, const std::string& more = {}) {
    return R"({"type":"external_account","audience":"//iam.googleapis.com/x","subject_token_type":)"
           R"("urn:ietf:params:oauth:token-type:jwt","token_url":"https://sts.googleapis.com/v1/token",)"
           R"("credential_source":)" +
           source + more + "}";
}
const std::string sts_request = std::string("POST ") + sts_token_url;

TEST(WorkloadIdentity, ExchangesATokenFromAFile) {
    FakeMachine machine;
    machine.environment.files["/var/run/token"] = "subject\n";
    machine.responses[sts_request] = token_response("federated");
    const auto token = machine.ask(federation(R"({"file":"/var/run/token"})"));
    ASSERT_TRUE(token) << token.error().message;
    EXPECT_EQ(token->text, "federated");
    EXPECT_THAT(
        *parse_query(machine.requests_to(sts_token_url).at(0).body),
        AllOf(Contains(Pair("subject_token", "subject")),
              Contains(Pair("audience", "//iam.googleapis.com/x")),
              Contains(Pair("scope", "scope-a scope-b")),
              Contains(Pair("grant_type", "urn:ietf:params:oauth:grant-type:token-exchange"))));
}

TEST(WorkloadIdentity, ReadsATokenFromJson) {
    FakeMachine machine;
    machine.environment.files["/t"] = R"({"id_token":"inner"})";
    machine.responses[sts_request] = token_response("federated");
    ASSERT_TRUE(machine.ask(federation(
        R"({"file":"/t","format":{"type":"json","subject_token_field_name":"id_token"}})")));
    EXPECT_THAT(machine.requests_to(sts_token_url).at(0).body, HasSubstr("subject_token=inner"));
    machine.environment.files["/t"] = "{}";
    EXPECT_THAT(
        machine
            .ask(federation(
                R"({"file":"/t","format":{"type":"json","subject_token_field_name":"id_token"}})"))
            .error()
            .message,
        HasSubstr("the subject token is empty"));
}

TEST(WorkloadIdentity, FetchesATokenFromAUrl) {
    FakeMachine machine;
    machine.responses["GET http://169.254.170.2/token"] = reply(200, "from-url");
    machine.responses[sts_request] = token_response("federated");
    ASSERT_TRUE(machine.ask(
        federation(R"({"url":"http://169.254.170.2/token","headers":{"Metadata":"True"}})")));
    EXPECT_EQ(header_named(machine.requests_to("http://169.254.170.2/token").at(0), "metadata"),
              "True");
    EXPECT_THAT(machine.requests_to(sts_token_url).at(0).body, HasSubstr("subject_token=from-url"));
}

TEST(WorkloadIdentity, FetchesATokenOverHttpWithoutAProxy) {
    for (const auto& [url, is_direct] : {std::pair("http://169.254.169.254/token", true),
                                         std::pair("https://issuer.example/token", false)}) {
        FakeMachine machine;
        machine.responses[std::string("GET ") + url] = reply(200, "subject");
        machine.responses[sts_request] = token_response("federated");
        ASSERT_TRUE(machine.ask(federation(R"({"url":")" + std::string(url) + R"("})")));
        EXPECT_EQ(machine.requests_to(url).at(0).has(CAPSTAN_HTTP_DIRECT), is_direct) << url;
    }
}

TEST(WorkloadIdentity, ReportsAUrlThatRefusesOrDoesNotRespond) {
    FakeMachine machine;
    const std::string credentials = federation(R"({"url":"http://169.254.170.2/token"})");
    EXPECT_FALSE(machine.ask(credentials));
    machine.responses["GET http://169.254.170.2/token"] = reply(403, "no");
    EXPECT_THAT(machine.ask(credentials).error().message,
                AllOf(HasSubstr("file \"/key.json\", credential_source"), HasSubstr("403")));
    EXPECT_TRUE(machine.requests_to(sts_token_url).empty());
    EXPECT_EQ(machine.ask(federation(R"({"url":"ftp://a/b"})")).error().code,
              ErrorCode::invalid_config);
}

TEST(WorkloadIdentity, ImpersonatesAnAccountAfterwards) {
    FakeMachine machine;
    machine.environment.files["/t"] = "subject";
    machine.responses[sts_request] = token_response("federated");
    const std::string url =
        "https://iamcredentials.googleapis.com/v1/projects/-/serviceAccounts/"
        "a@shop.iam:generateAccessToken";
    machine.responses["POST " + url] =
        reply(200, R"({"accessToken":"final","expireTime":"2027-01-01T00:00:00Z"})");
    const auto token = machine.ask(
        federation(R"({"file":"/t"})", R"(,"service_account_impersonation_url":")" + url + "\""));
    ASSERT_TRUE(token) << token.error().message;
    EXPECT_EQ(token->text, "final");
    EXPECT_EQ(header_named(machine.requests_to(url).at(0), "authorization"), "Bearer federated");
    EXPECT_THAT(machine.requests_to(sts_token_url).at(0).body, HasSubstr("cloud-platform"));
}

TEST(WorkloadIdentity, RejectsProgramsAndAwsSources) {
    FakeMachine machine;
    const auto program = machine.ask(federation(R"({"executable":{"command":"/bin/x"}})"));
    ASSERT_FALSE(program);
    EXPECT_EQ(program.error().code, ErrorCode::unsupported);
    EXPECT_THAT(program.error().message, HasSubstr("plugins cannot run programs"));
    EXPECT_THAT(machine.ask(federation(R"({"environment_id":"aws1"})")).error().message,
                HasSubstr("AWS subject tokens are not supported"));
}

TEST(WorkloadIdentity, RequestsNoAwsMetadata) {
    FakeMachine machine;
    const auto refused = machine.ask(federation(
        R"({"environment_id":"aws1","url":"http://169.254.169.254/latest/meta-data/iam"})"));
    ASSERT_FALSE(refused);
    EXPECT_EQ(refused.error().code, ErrorCode::unsupported);
    EXPECT_EQ(machine.count(), 0U);
}

TEST(WorkloadIdentity, SendsTheProjectOfAWorkforcePool) {
    FakeMachine machine;
    machine.environment.files["/t"] = "subject";
    machine.responses[sts_request] = token_response("federated");
    ASSERT_TRUE(
        machine.ask(federation(R"({"file":"/t"})", R"(,"workforce_pool_user_project":"shop")")));
    EXPECT_THAT(*parse_query(machine.requests_to(sts_token_url).at(0).body),
                Contains(Pair("options", R"({"userProject":"shop"})")));
}

TEST(WorkloadIdentity, ReportsAMissingTokenFile) {
    FakeMachine machine;
    EXPECT_THAT(machine.ask(federation(R"({"file":"/none"})")).error().message,
                HasSubstr("\"/none\": no such file"));
    EXPECT_EQ(machine.count(), 0U);
}

}  // namespace
}  // namespace capstan::gce
