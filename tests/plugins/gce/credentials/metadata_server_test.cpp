#include <gmock/gmock.h>

#include <chrono>

#include "fake_machine.hpp"

namespace capstan::gce {
namespace {

using namespace std::chrono_literals;
using ::testing::HasSubstr;
using testing::reply;

const std::string token_request = std::string("GET ") + metadata_token_url;
const std::string served = R"({"access_token":"served","expires_in":300,"token_type":"Bearer"})";

TEST(MetadataServer, ReturnsTheTokenOfTheMachine) {
    FakeMachine machine;
    machine.responses[token_request] = metadata_response(served);
    const auto token = machine.find();
    ASSERT_TRUE(token) << token.error().message;
    EXPECT_EQ(token->text, "served");
    EXPECT_EQ(token->source, "the metadata server");
    EXPECT_EQ(token->expires, machine.host.now() + 300s);
}

TEST(MetadataServer, UsesNoProxyAndTheGoogleFlavorHeader) {
    FakeMachine machine;
    machine.responses[token_request] = metadata_response(served);
    ASSERT_TRUE(machine.find());
    const HttpRequest request = machine.requests_to(metadata_token_url).at(0);
    EXPECT_TRUE(request.has(CAPSTAN_HTTP_DIRECT)) << "it is sent without a proxy";
    EXPECT_EQ(header_named(request, "metadata-flavor"), "Google");
}

TEST(MetadataServer, IsRejectedWithoutTheFlavorHeader) {
    FakeMachine machine;
    machine.responses[token_request] = reply(200, served);
    const auto refused = machine.find();
    ASSERT_FALSE(refused);
    EXPECT_EQ(refused.error().code, ErrorCode::unauthenticated);
    EXPECT_THAT(refused.error().message, HasSubstr("is not Google's"));
}

TEST(MetadataServer, IsUnavailableIfItDoesNotRespond) {
    FakeMachine machine;
    EXPECT_EQ(machine.find().error().code, ErrorCode::unavailable);
    EXPECT_EQ(machine.requests_to(metadata_token_url).size(), 3U) << "a second for each attempt";
}

TEST(MetadataServer, ReportsAMachineWithoutAnAccount) {
    FakeMachine machine;
    machine.responses[token_request] = reply(404, "no", {{"metadata-flavor", "Google"}});
    const auto refused = machine.find();
    ASSERT_FALSE(refused);
    EXPECT_EQ(refused.error().code, ErrorCode::unauthenticated);
    EXPECT_THAT(refused.error().message, HasSubstr("status 404"));
}

TEST(MetadataServer, UsesTheEndpointOfSettingsOrEnvironment) {
    FakeMachine machine;
    const std::string path = "/computeMetadata/v1/instance/service-accounts/default/token";
    machine.environment.set["GCE_METADATA_HOST"] = "127.0.0.1:99";
    machine.responses["GET http://127.0.0.1:99" + path] = metadata_response(served);
    EXPECT_TRUE(machine.find());
    machine.config.metadata_host = "metadata.example";
    EXPECT_FALSE(machine.find());
    machine.responses["GET http://metadata.example" + path] = metadata_response(served);
    EXPECT_TRUE(machine.find());
}

}  // namespace
}  // namespace capstan::gce
