#include "credentials/credentials_chain.hpp"

#include <gmock/gmock.h>

#include "fake_machine.hpp"

namespace capstan::aws {
namespace {

using namespace std::chrono_literals;
using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;
using testing::reply;
using testing::run;

const std::string sts_post = std::string("POST ") + sts_url;

/// A pod with an IAM role. Its access keys are "ASIA1", "ASIA2", ...; they expire after `life`.
struct ChainMachine : FakeMachine {
    ChainMachine() {
        environment.set = {{"AWS_WEB_IDENTITY_TOKEN_FILE", "/token"},
                           {"AWS_ROLE_ARN", "arn:aws:iam::1:role/scaler"},
                           {"AWS_EC2_METADATA_DISABLED", "true"}};
        environment.files["/token"] = "jwt";
        host.http().handle([this](const HttpRequest& request) { return respond(request); });
    }
    testing::HttpOutcome respond(const HttpRequest& request) {
        const auto found = responses.find(request.method + " " + request.url);
        if (found != responses.end()) return found->second;
        if (request.url != sts_url) return testing::unanswered();
        return testing::delayed(latency, sts_response("AssumeRoleWithWebIdentity",
                                                      std::to_string(++given), host.now() + life));
    }
    CredentialsChain& chain() {
        if (!made) made.emplace(host.host(), config, environment);
        return *made;
    }
    Result<Credentials> get() { return run(host, chain().get()); }
    std::string key() {
        const auto found = get();
        return found ? found->access_key_id : "an error: " + found.error().message;
    }
    std::size_t requests() { return requests_to(sts_url).size(); }

    std::optional<CredentialsChain> made{};
    int given = 0;
    Duration life = 1h, latency = 100ms;
};

TEST(CredentialsChain, UsesTheFirstSourceWithCredentials) {
    ChainMachine m;
    const auto found_with = [&m] {
        m.made.reset();
        const auto found = m.get();
        return found ? found->source : found.error().message;
    };
    m.environment.set["HOME"] = "/h";
    m.environment.files["/h/.aws/credentials"] =
        "[default]\naws_access_key_id=k\naws_secret_access_key=s\n[ops]\naws_access_key_id=k\n"
        "aws_secret_access_key=s\n";
    EXPECT_EQ(found_with(), "role arn:aws:iam::1:role/scaler through web identity");
    m.environment.set["AWS_ACCESS_KEY_ID"] = "k";
    m.environment.set["AWS_SECRET_ACCESS_KEY"] = "s";
    EXPECT_EQ(found_with(), "the environment");
    m.config.profile = "ops";
    EXPECT_EQ(found_with(), "profile \"ops\"");
    m.config.access_key_id = "k";
    m.config.secret_access_key = "secret";
    m.host.secrets()["secret"] = "s";
    EXPECT_EQ(found_with(), "the configuration");
}

TEST(CredentialsChain, FallsBackToContainerAndInstance) {
    ChainMachine m;
    m.environment.set.clear();
    serve_metadata(m, "NODE", m.host.now() + 6h);
    EXPECT_EQ(m.get()->source, "the instance's role node");
    m.made.reset();
    m.environment.set["AWS_CONTAINER_CREDENTIALS_FULL_URI"] = "http://169.254.170.23/v1";
    m.responses["GET http://169.254.170.23/v1"] =
        reply(200, served_json("POD", "2026-01-01T06:00:00Z"));
    EXPECT_EQ(m.get()->source, "the container credentials service at 169.254.170.23");
}

TEST(CredentialsChain, TriesLaterSourcesIfTheHomeIsNotReadable) {
    ChainMachine m;
    m.environment.set = {{"HOME", "/home/pod"}};
    for (const char* path : {"/home/pod/.aws/config", "/home/pod/.aws/credentials"})
        m.environment.refused[path] = {ErrorCode::permission, "permission denied"};
    serve_metadata(m, "NODE", m.host.now() + 6h);
    EXPECT_EQ(m.key(), "ASIANODE");
}

TEST(CredentialsChain, ReportsEverySourceIfNoneHasCredentials) {
    ChainMachine m;
    m.environment.set = {{"AWS_EC2_METADATA_DISABLED", "true"}};
    const auto found = m.get();
    ASSERT_FALSE(found);
    EXPECT_EQ(found.error().code, ErrorCode::unauthenticated);
    EXPECT_EQ(
        found.error().message,
        "no credentials found: settings: no access_key_id; environment: AWS_ACCESS_KEY_ID is not "
        "set; web identity: AWS_WEB_IDENTITY_TOKEN_FILE is not set; shared files: no profile "
        "\"default\" in no file (HOME is not set); container: AWS_CONTAINER_CREDENTIALS_FULL_URI "
        "is not set; instance metadata: AWS_EC2_METADATA_DISABLED is true");
}

TEST(CredentialsChain, DoesNotSkipASourceThatFails) {
    ChainMachine m;
    m.environment.set.erase("AWS_EC2_METADATA_DISABLED");
    serve_metadata(m, "NODE", m.host.now() + 6h);
    m.environment.files.clear();
    const auto found = m.get();
    ASSERT_FALSE(found);
    EXPECT_THAT(found.error().message,
                AllOf(HasSubstr("credentials: web identity: the token of role"),
                      HasSubstr("no such file")));
}

TEST(CredentialsChain, AssumesTheConfiguredRoleWithTheCredentialsItFinds) {
    ChainMachine m;
    m.environment.set = {{"AWS_ACCESS_KEY_ID", "AKIABASE"}, {"AWS_SECRET_ACCESS_KEY", "s"}};
    m.config.role_arn = "arn:aws:iam::2:role/other";
    m.config.external_id = "e1";
    m.config.session_name = "capstan-a";
    m.responses[sts_post] = sts_response("AssumeRole", "OTHER", m.host.now() + 1h);
    const auto found = m.get();
    ASSERT_TRUE(found) << found.error().message;
    EXPECT_EQ(found->access_key_id, "ASIAOTHER");
    EXPECT_EQ(found->source, "role arn:aws:iam::2:role/other through the environment");
    const HttpRequest sent = m.requests_to(sts_url).at(0);
    EXPECT_THAT(sent.body,
                AllOf(HasSubstr("RoleSessionName=capstan-a"), HasSubstr("ExternalId=e1")));
    EXPECT_THAT(header_named(sent, "authorization"), HasSubstr("Credential=AKIABASE/"));
}

TEST(CredentialsChain, NamesTheActionIfARoleCannotBeAssumed) {
    ChainMachine m;
    m.environment.set = {{"AWS_ACCESS_KEY_ID", "AKIA"}, {"AWS_SECRET_ACCESS_KEY", "s"}};
    m.config.role_arn = "arn:aws:iam::2:role/other";
    m.responses[sts_post] = reply(
        403,
        "<ErrorResponse><Error><Code>AccessDenied</Code><Message>User: arn:aws:iam::1:user/a is "
        "not authorized to perform: sts:AssumeRole on resource: arn:aws:iam::2:role/other"
        "</Message></Error></ErrorResponse>");
    const auto found = m.get();
    ASSERT_FALSE(found);
    EXPECT_EQ(found.error().code, ErrorCode::permission);
    EXPECT_THAT(
        found.error().message,
        HasSubstr("add an IAM policy that allows sts:AssumeRole on arn:aws:iam::2:role/other"));
}

TEST(CredentialsChain, RenewsCredentialsBeforeTheyExpire) {
    ChainMachine m;
    EXPECT_EQ(m.key(), "ASIA1");
    m.host.advance(51min);
    EXPECT_EQ(m.key(), "ASIA2");
}

TEST(CredentialsChain, PausesBetweenReloadsOfRefusedKeys) {
    ChainMachine m;
    m.environment.set = {{"AWS_ACCESS_KEY_ID", "AKIA"}, {"AWS_SECRET_ACCESS_KEY", "s"}};
    EXPECT_EQ(m.key(), "AKIA");
    EXPECT_EQ(run(m.host, m.chain().renew("AKIA"))->access_key_id, "AKIA");
    m.environment.set["AWS_ACCESS_KEY_ID"] = "AKIANEW";
    EXPECT_EQ(run(m.host, m.chain().renew("AKIA"))->access_key_id, "AKIA");
    m.host.advance(31s);
    EXPECT_EQ(run(m.host, m.chain().renew("AKIA"))->access_key_id, "AKIANEW");
}

TEST(CredentialsChain, RenewsCredentialsAfterARefusedRequest) {
    ChainMachine m;
    const char* const url = "https://ec2.eu-central-1.amazonaws.com/";
    m.host.http().on("POST", url,
                     reply(403,
                           "<Response><Errors><Error><Code>AuthFailure</Code>"
                           "</Error></Errors></Response>"));
    m.host.http().on("POST", url, reply(200, "<DescribeImagesResponse/>"));
    AwsClient client(m.host.host(), {.region = "eu-central-1"}, m.chain());
    const auto response =
        run(m.host, client.call(QueryRequest(Service::ec2, "DescribeImages"), Repeatable::yes));
    ASSERT_TRUE(response) << response.error().message;
    EXPECT_THAT(header_named(m.requests_to(url).at(1), "authorization"),
                HasSubstr("Credential=ASIA2/"));
}

TEST(CredentialsChain, LogsTheCredentialSourceOnceWithoutSecrets) {
    ChainMachine m;
    m.key();
    m.host.advance(51min);
    m.key();
    int lines = 0;
    for (const auto& line : m.host.log_lines()) {
        lines +=
            line.message ==
            "signing AWS requests with credentials of role arn:aws:iam::1:role/scaler through web "
            "identity";
        EXPECT_THAT(line.message, AllOf(Not(HasSubstr("secret-")), Not(HasSubstr("token-"))));
    }
    EXPECT_EQ(lines, 1);
}

TEST(CredentialsChain, StopsWithThePluginInstance) {
    ChainMachine m;
    EXPECT_EQ(m.key(), "ASIA1");
    m.host.advance(46min);
    m.latency = 5s;
    m.key();
    EXPECT_TRUE(m.host.stop());
    EXPECT_EQ(m.host.misuse(), testing::Misuse{});
}

}  // namespace
}  // namespace capstan::aws
