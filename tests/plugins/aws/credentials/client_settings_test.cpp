#include "credentials/client_settings.hpp"

#include <gmock/gmock.h>

#include "fake_machine.hpp"

namespace capstan::aws {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using testing::reply;
using testing::run;

struct RegionMachine : FakeMachine {
    RegionMachine() {
        environment.set["HOME"] = "/h";
        environment.set["AWS_EC2_METADATA_DISABLED"] = "true";
    }
    Result<std::string> region(const std::string& setting = {}) {
        return run(host, find_region(host.host(), setting, config, environment));
    }
};

TEST(Region, PrefersSettingsToEnvironmentProfileAndMetadata) {
    RegionMachine m;
    m.environment.set.erase("AWS_EC2_METADATA_DISABLED");
    m.responses[std::string("PUT ") + metadata_base + "/api/token"] = reply(200, "session");
    m.responses[std::string("GET ") + metadata_base + "/meta-data/placement/region"] =
        reply(200, "sa-east-1");
    EXPECT_EQ(m.region(), "sa-east-1");
    m.environment.files["/h/.aws/config"] =
        "[default]\nregion=eu-west-1\n[profile b]\nregion=eu-west-2";
    EXPECT_EQ(m.region(), "eu-west-1");
    m.environment.set["AWS_PROFILE"] = "b";
    EXPECT_EQ(m.region(), "eu-west-2");
    m.environment.set["AWS_DEFAULT_REGION"] = "us-east-2";
    EXPECT_EQ(m.region(), "us-east-2");
    m.environment.set["AWS_REGION"] = "us-west-1";
    EXPECT_EQ(m.region(), "us-west-1");
    EXPECT_EQ(m.region("af-south-1"), "af-south-1");
}

TEST(Region, ReportsEverySourceIfNoneHasARegion) {
    RegionMachine m;
    const auto region = m.region();
    ASSERT_FALSE(region);
    EXPECT_EQ(region.error().code, ErrorCode::invalid_config);
    EXPECT_THAT(
        region.error().message,
        AllOf(HasSubstr("set `region`"), HasSubstr("AWS_REGION"), HasSubstr("profile \"default\""),
              HasSubstr("instance metadata: AWS_EC2_METADATA_DISABLED is true")));
}

TEST(Region, IsUnavailableIfTheMetadataServiceDoesNotRespond) {
    RegionMachine m;
    m.environment.set.erase("AWS_EC2_METADATA_DISABLED");
    EXPECT_EQ(m.region().error().code, ErrorCode::unavailable);
}

TEST(Region, RejectsAnInvalidRegion) {
    RegionMachine m;
    for (const char* name : {"eu central 1", "EU-CENTRAL-1", "a.evil.example/", "\xc3\xa4"}) {
        EXPECT_EQ(m.region(name).error().code, ErrorCode::invalid_config) << name;
        m.environment.set["AWS_REGION"] = name;
        EXPECT_THAT(m.region().error().message, HasSubstr("AWS_REGION: ")) << name;
    }
}

Result<EndpointConfig> endpoints_of(Variables variables, EndpointConfig settings = {}) {
    FakeMachine m;
    m.environment.set = std::move(variables);
    return run(m.host, find_endpoints(std::move(settings), m.environment));
}

TEST(EndpointSettings, FillUnsetEndpointsFromTheEnvironment) {
    EndpointConfig settings;
    settings.overrides["ec2"] = "http://ec2.example";
    const auto found = endpoints_of({{"AWS_ENDPOINT_URL", "http://all.example"},
                                     {"AWS_ENDPOINT_URL_EC2", "http://other.example"},
                                     {"AWS_ENDPOINT_URL_AUTO_SCALING", "http://asg.example"},
                                     {"AWS_USE_FIPS_ENDPOINT", "true"}},
                                    settings);
    ASSERT_TRUE(found) << found.error().message;
    EXPECT_EQ(endpoint_of(Service::ec2, "r", *found), "http://ec2.example");
    EXPECT_EQ(endpoint_of(Service::auto_scaling, "r", *found), "http://asg.example");
    EXPECT_EQ(endpoint_of(Service::sts, "r", *found), "http://all.example");
    EXPECT_TRUE(found->fips);
    EXPECT_FALSE(found->dual_stack);
}

TEST(EndpointSettings, PreferTheCommonUrlInSettingsToTheEnvironment) {
    EndpointConfig settings;
    settings.overrides[""] = "http://settings.example";
    const auto found = endpoints_of({{"AWS_ENDPOINT_URL_EC2", "http://other.example"},
                                     {"AWS_ENDPOINT_URL", "http://all.example"}},
                                    settings);
    EXPECT_EQ(endpoint_of(Service::ec2, "r", *found), "http://settings.example");
}

TEST(EndpointSettings, CanIgnoreTheEnvironment) {
    const auto found = endpoints_of({{"AWS_ENDPOINT_URL", "http://all.example"},
                                     {"AWS_IGNORE_CONFIGURED_ENDPOINT_URLS", "true"},
                                     {"AWS_USE_DUALSTACK_ENDPOINT", "true"}});
    EXPECT_TRUE(found->overrides.empty());
    EXPECT_TRUE(found->dual_stack);
}

TEST(EndpointSettings, NameTheVariableWithAnInvalidUrl) {
    const auto found = endpoints_of({{"AWS_ENDPOINT_URL_STS", "sts.example"}});
    ASSERT_FALSE(found);
    EXPECT_THAT(found.error().message, HasSubstr("AWS_ENDPOINT_URL_STS"));
}

TEST(MaxAttempts, AreReadFromTheEnvironment) {
    const std::pair<const char*, std::optional<int>> cases[] = {{"5", 5},
                                                                {"1", 1},
                                                                {"0", std::nullopt},
                                                                {"-1", std::nullopt},
                                                                {"many", std::nullopt},
                                                                {"101", std::nullopt},
                                                                {"", std::nullopt}};
    for (const auto& [text, attempts] : cases) {
        FakeMachine m;
        m.environment.set["AWS_MAX_ATTEMPTS"] = text;
        EXPECT_EQ(*run(m.host, find_attempts(m.environment)), attempts) << text;
    }
}

}  // namespace
}  // namespace capstan::aws
