#include <gmock/gmock.h>

#include "fake_machine.hpp"

namespace capstan::aws {
namespace {

using namespace std::chrono_literals;
using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using testing::reply;

const std::string token_url = std::string(metadata_base) + "/api/token";
const std::string roles_url = std::string(metadata_base) + "/meta-data/iam/security-credentials/";

TEST(InstanceMetadata, ReturnsTheCredentialsOfTheInstanceRole) {
    FakeMachine m;
    serve_metadata(m, "N", m.host.now() + 6h);
    const auto response = m.ask(&ask_instance_metadata);
    ASSERT_TRUE(response) << response.error().message;
    ASSERT_TRUE(response->credentials) << response->absence;
    EXPECT_EQ(response->credentials->access_key_id, "ASIAN");
    EXPECT_EQ(response->credentials->session_token, "token-N");
    EXPECT_EQ(response->credentials->expires, m.host.now() + 6h);
    EXPECT_EQ(response->credentials->source, "the instance's role node");
}

TEST(InstanceMetadata, UsesASessionTokenAndNoProxy) {
    FakeMachine m;
    serve_metadata(m, "N", m.host.now() + 6h);
    ASSERT_TRUE(m.ask(&ask_instance_metadata));
    const auto& sent = m.host.http().requests();
    ASSERT_EQ(sent.size(), 3U);
    EXPECT_EQ(header_named(sent[0], "x-aws-ec2-metadata-token-ttl-seconds"), "21600");
    for (const HttpRequest& one : sent) {
        EXPECT_TRUE(one.has(CAPSTAN_HTTP_DIRECT));
        EXPECT_EQ(one.timeout, 1s);
    }
    EXPECT_EQ(header_named(sent[1], "x-aws-ec2-metadata-token"), "session");
    EXPECT_EQ(header_named(sent[2], "x-aws-ec2-metadata-token"), "session");
}

TEST(InstanceMetadata, MentionsTheHopLimitIfTheServiceDoesNotRespond) {
    FakeMachine m;
    const auto response = m.ask(&ask_instance_metadata);
    ASSERT_TRUE(response) << response.error().message;
    EXPECT_FALSE(response->credentials);
    EXPECT_THAT(response->absence, HasSubstr("hop limit of 2"));
    EXPECT_EQ(m.requests_to(token_url).size(), 3U);
}

TEST(InstanceMetadata, ReportsWhyThereAreNoCredentials) {
    struct Case {
        std::string request;
        HttpReply reply;
        const char* why;
    };
    const Case cases[] = {
        {"PUT " + token_url, reply(403), "disabled for this instance"},
        {"PUT " + token_url, reply(404, "no"), "no token returned: status 404"},
        {"PUT " + token_url, reply(200, ""), "no token returned"},
        {"GET " + roles_url, reply(404), "does the instance have an instance profile?"},
        {"GET " + roles_url, reply(200, "<html>\n"), "unexpected role name \"<html>\""},
        {"GET " + roles_url, reply(200, ""), "unexpected role name"},
        {"GET " + roles_url + "node", reply(404), "security-credentials/node"},
    };
    for (const Case& c : cases) {
        FakeMachine m;
        serve_metadata(m, "N", m.host.now() + 6h);
        m.responses[c.request] = c.reply;
        const auto response = m.ask(&ask_instance_metadata);
        ASSERT_TRUE(response) << response.error().message;
        EXPECT_FALSE(response->credentials) << c.why;
        EXPECT_THAT(response->absence, HasSubstr(c.why));
    }
}

TEST(InstanceMetadata, FailsIfTheRoleCannotBeAssumed) {
    FakeMachine m;
    serve_metadata(m, "N", m.host.now() + 6h);
    m.responses["GET " + roles_url + "node"] = reply(
        200, R"({"Code":"AssumeRoleUnauthorizedAccess","Message":"EC2 cannot assume the role"})");
    const auto response = m.ask(&ask_instance_metadata);
    ASSERT_FALSE(response);
    EXPECT_THAT(response.error().message,
                AllOf(HasSubstr("role node"), HasSubstr("AssumeRoleUnauthorizedAccess"),
                      HasSubstr("EC2 cannot assume the role")));
}

TEST(InstanceMetadata, CanBeDisabled) {
    FakeMachine m;
    m.environment.set["AWS_EC2_METADATA_DISABLED"] = "TRUE";
    EXPECT_EQ(m.ask(&ask_instance_metadata)->absence, "AWS_EC2_METADATA_DISABLED is true");
    EXPECT_TRUE(m.host.http().requests().empty());
}

TEST(InstanceMetadata, UsesTheEndpointOfSettingsOrEnvironment) {
    const auto request_with = [](const std::function<void(FakeMachine&)>& arrange) {
        FakeMachine m;
        arrange(m);
        EXPECT_TRUE(m.ask(&ask_instance_metadata));
        return m.host.http().requests().at(0).url;
    };
    EXPECT_EQ(
        request_with([](FakeMachine& m) { m.config.imds_endpoint = "http://127.0.0.1:1338/"; }),
        "http://127.0.0.1:1338/latest/api/token");
    EXPECT_EQ(request_with([](FakeMachine& m) {
                  m.environment.set["AWS_EC2_METADATA_SERVICE_ENDPOINT"] = "http://imds.example";
              }),
              "http://imds.example/latest/api/token");
    EXPECT_EQ(request_with([](FakeMachine& m) {
                  m.environment.set["AWS_EC2_METADATA_SERVICE_ENDPOINT_MODE"] = "IPv6";
              }),
              "http://[fd00:ec2::254]/latest/api/token");
    EXPECT_EQ(request_with([](FakeMachine&) {}), token_url);
}

TEST(InstanceMetadata, KeepsUsingExpiredCredentialsThatAreStillServed) {
    for (const Duration left : {Duration(0s), Duration(-2h)}) {
        FakeMachine m;
        serve_metadata(m, "N", m.host.now() + left);
        const auto response = m.ask(&ask_instance_metadata);
        ASSERT_TRUE(response && response->credentials);
        EXPECT_GE(*response->credentials->expires, m.host.now() + 10min);
        EXPECT_LE(*response->credentials->expires, m.host.now() + 15min);
        ASSERT_FALSE(m.host.log_lines().empty());
        EXPECT_THAT(m.host.log_lines().back().message, HasSubstr("stay in use"));
    }
}

TEST(InstanceMetadata, HonorsTheExpiryOfAShortSession) {
    FakeMachine m;
    serve_metadata(m, "N", m.host.now() + 40s);
    const auto response = m.ask(&ask_instance_metadata);
    ASSERT_TRUE(response && response->credentials);
    EXPECT_EQ(response->credentials->expires, m.host.now() + 40s);
    EXPECT_THAT(m.host.log_lines(), IsEmpty());
}

TEST(InstanceMetadata, RetriesABusyService) {
    FakeMachine m;
    serve_metadata(m, "N", m.host.now() + 6h);
    m.host.http().on("PUT", token_url, reply(503));
    EXPECT_TRUE(m.ask(&ask_instance_metadata)->credentials);
}

}  // namespace
}  // namespace capstan::aws
