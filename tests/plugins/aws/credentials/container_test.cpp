#include <gmock/gmock.h>

#include "credentials/served_credentials.hpp"
#include "fake_machine.hpp"

namespace capstan::aws {
namespace {

using namespace std::chrono_literals;
using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;
using testing::reply;

constexpr const char* pod_agent = "http://169.254.170.23/v1/credentials";

struct PodMachine : FakeMachine {
    PodMachine() {
        environment.set = {{"AWS_CONTAINER_CREDENTIALS_FULL_URI", pod_agent},
                           {"AWS_CONTAINER_AUTHORIZATION_TOKEN_FILE", "/var/run/pod-token"}};
        environment.files["/var/run/pod-token"] = "jwt";
        responses[std::string("GET ") + pod_agent] =
            reply(200, served_json("POD", "2026-01-01T06:00:00Z"));
    }
};

TEST(ContainerSource, SendsThePodTokenToTheEksAgent) {
    PodMachine m;
    const auto response = m.ask(&ask_container);
    ASSERT_TRUE(response) << response.error().message;
    EXPECT_EQ(response->credentials->access_key_id, "ASIAPOD");
    EXPECT_EQ(response->credentials->expires, m.host.now() + 6h);
    EXPECT_EQ(response->credentials->source, "the container credentials service at 169.254.170.23");
    const HttpRequest sent = m.requests_to(pod_agent).at(0);
    EXPECT_EQ(header_named(sent, "authorization"), "jwt");
    EXPECT_TRUE(sent.has(CAPSTAN_HTTP_DIRECT));
    EXPECT_EQ(sent.timeout, 2s);
}

TEST(ContainerSource, RequestsTheEcsAgentByARelativePath) {
    FakeMachine m;
    m.environment.set["AWS_CONTAINER_CREDENTIALS_RELATIVE_URI"] = "/v2/credentials/x";
    m.responses["GET http://169.254.170.2/v2/credentials/x"] =
        reply(200, R"({"AccessKeyId":"A","SecretAccessKey":"s"})");
    const auto response = m.ask(&ask_container);
    ASSERT_TRUE(response) << response.error().message;
    EXPECT_EQ(response->credentials->access_key_id, "A");
    EXPECT_EQ(response->credentials->expires, std::nullopt);
    EXPECT_EQ(header_named(m.host.http().requests().at(0), "authorization"), "");
}

TEST(ContainerSource, PrefersTheTokenFileAndReadsItForEachRequest) {
    PodMachine m;
    m.environment.set["AWS_CONTAINER_AUTHORIZATION_TOKEN"] = "from the variable";
    ASSERT_TRUE(m.ask(&ask_container));
    m.environment.files["/var/run/pod-token"] = "rotated";
    ASSERT_TRUE(m.ask(&ask_container));
    m.environment.set.erase("AWS_CONTAINER_AUTHORIZATION_TOKEN_FILE");
    ASSERT_TRUE(m.ask(&ask_container));
    const auto sent = m.requests_to(pod_agent);
    EXPECT_EQ(header_named(sent.at(0), "authorization"), "jwt");
    EXPECT_EQ(header_named(sent.at(1), "authorization"), "rotated");
    EXPECT_EQ(header_named(sent.at(2), "authorization"), "from the variable");
}

TEST(ContainerSource, RejectsALineBreakInTheToken) {
    for (const char* token : {"jwt\n", "a\r\nx-other: 1", "\r"}) {
        PodMachine m;
        m.environment.files["/var/run/pod-token"] = token;
        const auto response = m.ask(&ask_container);
        ASSERT_FALSE(response);
        EXPECT_THAT(response.error().message,
                    AllOf(HasSubstr("line break"), Not(HasSubstr("jwt"))));
        EXPECT_TRUE(m.host.http().requests().empty());
    }
}

TEST(ContainerSource, AllowsHttpOnlyForLoopbackAndAgents) {
    for (const char* url :
         {"https://credentials.example/x", "http://169.254.170.2/x", "http://169.254.170.23/v1",
          "http://[fd00:ec2::23]/v1", "http://localhost:8080/x", "http://127.0.0.1/x",
          "http://127.9.9.9:1/x", "http://[::1]:80/x"})
        EXPECT_EQ(find_url_mistake(url), "") << url;
    for (const char* url :
         {"http://credentials.example/x", "http://169.254.170.2.example/x",
          "http://127.0.0.1.example/x", "http://127.0.0/x", "http://169.254.170.24/x",
          "http://169.254.170.2@evil.example/x", "http://localhost:x@evil.example/x",
          "http://evil.example/169.254.170.2", "http://evil.example\\@169.254.170.2/",
          "http://169.254.169.254/x", "ftp://127.0.0.1/x", "169.254.170.2/x", "http:///x", "",
          "http://169.254.170.2/x\r\nx: y"})
        EXPECT_NE(find_url_mistake(url), "") << url;
}

TEST(ContainerSource, SendsNothingToAnotherHost) {
    PodMachine m;
    m.environment.set["AWS_CONTAINER_CREDENTIALS_FULL_URI"] = "http://evil.example/x?token=t";
    const auto response = m.ask(&ask_container);
    ASSERT_FALSE(response);
    EXPECT_EQ(response.error().code, ErrorCode::invalid_config);
    EXPECT_THAT(response.error().message, AllOf(HasSubstr("\"http://evil.example/x\" is not used"),
                                                Not(HasSubstr("token=t"))));
    EXPECT_TRUE(m.host.http().requests().empty());
}

TEST(ContainerSource, IsAbsentWithoutTheVariable) {
    FakeMachine m;
    EXPECT_EQ(m.ask(&ask_container)->absence, "AWS_CONTAINER_CREDENTIALS_FULL_URI is not set");
}

TEST(ContainerSource, TriesThreeTimes) {
    PodMachine m;
    m.responses.clear();
    const auto response = m.ask(&ask_container);
    ASSERT_FALSE(response);
    EXPECT_EQ(m.requests_to(pod_agent).size(), 3U);
    EXPECT_THAT(response.error().message, HasSubstr("after 3 attempts"));
}

TEST(ContainerSource, ReportsTheRefusalOfTheAgent) {
    PodMachine m;
    m.responses[std::string("GET ") + pod_agent] =
        reply(401, R"({"code":"InvalidToken","message":"the token has expired"})");
    const auto response = m.ask(&ask_container);
    ASSERT_FALSE(response);
    EXPECT_EQ(response.error().code, ErrorCode::unauthenticated);
    EXPECT_THAT(response.error().message, HasSubstr("status 401: \"the token has expired\""));
}

TEST(ServedCredentials, AreRejectedWithoutShowingSecrets) {
    for (
        const char* body :
        {"", "null", "[]", "<html>", "{", R"({"AccessKeyId":"AKIAshown"})",
         R"({"SecretAccessKey":"shown"})",
         R"({"AccessKeyId":"AKIAshown","SecretAccessKey":"shown","Expiration":"soon"})",
         R"({"Code":"AssumeRoleUnauthorizedAccess","Message":"no trust","AccessKeyId":"shown"})"}) {
        const auto read = parse_served_credentials(body);
        ASSERT_FALSE(read) << body;
        EXPECT_THAT(read.error().message, Not(HasSubstr("shown"))) << body;
    }
}

}  // namespace
}  // namespace capstan::aws
