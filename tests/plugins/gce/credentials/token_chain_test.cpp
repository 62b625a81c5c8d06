#include "credentials/token_chain.hpp"

#include <gmock/gmock.h>

#include <chrono>

#include "fake_machine.hpp"

namespace capstan::gce {
namespace {

using namespace std::chrono_literals;
using ::testing::AllOf;
using ::testing::HasSubstr;
using testing::run;

constexpr const char* user_file =
    R"({"type":"authorized_user","client_id":"c","client_secret":"s","refresh_token":"r",)"
    R"("quota_project_id":"billing","project_id":"from-file","universe_domain":"u.example"})";
const std::string served_request = std::string("GET ") + metadata_token_url;

struct Machine : FakeMachine {
    Machine() {
        responses[std::string("POST ") + oauth_url] = token_response("user");
        responses[served_request] =
            metadata_response(R"({"access_token":"served","expires_in":3600})");
    }
    std::string token() {
        const auto found = find();
        EXPECT_TRUE(found) << found.error().message;
        return found ? found->text : std::string();
    }
};

TEST(TokenChain, PrefersSettingsToEnvironmentToGcloudToMetadata) {
    Machine machine;
    EXPECT_EQ(machine.token(), "served");
    machine.environment.set["HOME"] = "/root";
    EXPECT_EQ(machine.token(), "served") << "the file of gcloud does not exist";
    machine.environment.files["/root/.config/gcloud/application_default_credentials.json"] =
        user_file;
    EXPECT_EQ(machine.token(), "user");
    machine.environment.set["GOOGLE_APPLICATION_CREDENTIALS"] = "/adc.json";
    EXPECT_FALSE(machine.find()) << "a configured file must exist";
    machine.environment.files["/adc.json"] = user_file;
    EXPECT_EQ(machine.token(), "user");
    machine.config.file = "/own.json";
    EXPECT_FALSE(machine.find());
    machine.config.key_secret = "key";
    machine.host.secrets()["key"] = user_file;
    EXPECT_EQ(machine.token(), "user");
}

TEST(TokenChain, ReportsEverySourceIfNoneHasCredentials) {
    FakeMachine machine;
    machine.environment.set["HOME"] = "/root";
    machine.responses[served_request] = testing::reply(404, "", {{"metadata-flavor", "Google"}});
    const auto refused = machine.find();
    ASSERT_FALSE(refused);
    EXPECT_EQ(refused.error().code, ErrorCode::unauthenticated);
    EXPECT_THAT(
        refused.error().message,
        AllOf(HasSubstr("GOOGLE_APPLICATION_CREDENTIALS is not set"),
              HasSubstr("application_default_credentials.json"), HasSubstr("metadata server")));
}

TEST(TokenChain, RejectsAFileThatIsNotJson) {
    Machine machine;
    machine.config.file = "/own.json";
    machine.environment.files["/own.json"] = "secret text";
    const auto refused = machine.find();
    ASSERT_FALSE(refused);
    EXPECT_EQ(refused.error().code, ErrorCode::invalid_config);
    EXPECT_THAT(refused.error().message, ::testing::Not(HasSubstr("secret text")));
}

TEST(TokenChain, SendsTheQuotaProject) {
    Machine machine;
    machine.config.file = "/own.json";
    machine.environment.files["/own.json"] = user_file;
    EXPECT_EQ(machine.find()->quota_project, "billing");
    machine.environment.set["GOOGLE_CLOUD_QUOTA_PROJECT"] = "env";
    EXPECT_EQ(machine.find()->quota_project, "env");
    machine.config.quota_project = "settings";
    EXPECT_EQ(machine.find()->quota_project, "settings");
}

TEST(TokenChain, IsAnonymousIfConfigured) {
    FakeMachine machine;
    machine.config.anonymous = true;
    EXPECT_EQ(machine.find()->text, "");
    EXPECT_EQ(machine.count(), 0U);
}

TEST(TokenChain, CachesATokenAndRenewsARefusedOne) {
    Machine machine;
    TokenChain chain(machine.host.host(), machine.config, machine.environment);
    EXPECT_EQ(run(machine.host, chain.get())->text, "served");
    EXPECT_EQ(run(machine.host, chain.get())->text, "served");
    EXPECT_EQ(machine.count(), 1U);
    machine.responses[served_request] =
        metadata_response(R"({"access_token":"second","expires_in":3600})");
    EXPECT_EQ(run(machine.host, chain.renew("served"))->text, "second");
    EXPECT_EQ(run(machine.host, chain.renew("served"))->text, "second")
        << "the token was renewed already";
    EXPECT_EQ(machine.count(), 2U);
}

TEST(TokenChain, RenewsInTheBackgroundBeforeExpiry) {
    Machine machine;
    TokenChain chain(machine.host.host(), machine.config, machine.environment);
    const auto token = [&] { return run(machine.host, chain.get())->text; };
    EXPECT_EQ(token(), "served");
    machine.responses[served_request] =
        metadata_response(R"({"access_token":"second","expires_in":3600})");
    machine.host.advance(1h - 5min);
    EXPECT_EQ(token(), "served") << "the metadata server still returns the same token";
    EXPECT_EQ(machine.count(), 1U);
    machine.host.advance(5min - 200s);
    EXPECT_EQ(token(), "served") << "no call waits for the renewal";
    machine.host.advance(1s);
    EXPECT_EQ(token(), "second");
    EXPECT_EQ(machine.count(), 2U);
}

TEST(TokenChain, UsesATokenUntilItExpiresIfRenewalFails) {
    Machine machine;
    TokenChain chain(machine.host.host(), machine.config, machine.environment);
    EXPECT_EQ(run(machine.host, chain.get())->text, "served");
    machine.responses.erase(served_request);
    machine.host.advance(1h - 30s);
    EXPECT_EQ(run(machine.host, chain.get())->text, "served");
    machine.host.advance(30s);
    EXPECT_EQ(run(machine.host, chain.get()).error().code, ErrorCode::unavailable);
}

TEST(GceProject, PrefersSettingsToEnvironmentToFileToMetadata) {
    Machine machine;
    const auto find = [&](const std::string& setting) {
        return run(machine.host,
                   find_project(machine.host.host(), setting, machine.config, machine.environment));
    };
    EXPECT_EQ(find("own"), "own");
    EXPECT_EQ(find("").error().code, ErrorCode::unavailable)
        << "the metadata server may respond later";
    machine.responses["GET http://metadata.google.internal/computeMetadata/v1/project/project-id"] =
        metadata_response("machines");
    EXPECT_EQ(find(""), "machines");
    machine.config.file = "/own.json";
    machine.environment.files["/own.json"] = user_file;
    EXPECT_EQ(find(""), "from-file");
    machine.environment.set["GOOGLE_CLOUD_PROJECT"] = "env";
    EXPECT_EQ(find(""), "env");
}

TEST(GceUniverse, PrefersSettingsToCredentialsToEnvironment) {
    Machine machine;
    const auto find = [&](EndpointConfig settings) {
        return run(machine.host, find_endpoints(machine.host.host(), settings, machine.config,
                                                machine.environment))
            ->universe;
    };
    EXPECT_EQ(find({}), "googleapis.com");
    machine.environment.set["GOOGLE_CLOUD_UNIVERSE_DOMAIN"] = "env.example";
    EXPECT_EQ(find({}), "env.example");
    machine.config.file = "/own.json";
    machine.environment.files["/own.json"] = user_file;
    EXPECT_EQ(find({}), "u.example");
    EXPECT_EQ(find({.universe = "set.example"}), "set.example");
}

}  // namespace
}  // namespace capstan::gce
