#include "config.hpp"

#include <gmock/gmock.h>

#include <capstan/testing/fake_settings.hpp>

namespace capstan::aws {
namespace {

using std::chrono::minutes;
using std::chrono::seconds;
using ::testing::ElementsAre;
using testing::FakeSettings;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using testing::list;
using ::testing::SizeIs;
using testing::table;

FakeSettings with_groups() {
    FakeSettings out(aws_schema());
    out.set("discovery", list("cluster=prod"));
    return out;
}

std::vector<testing::Rejection> rejections(FakeSettings& settings) {
    check_aws_config(settings.view());
    return settings.rejections();
}

TEST(AwsConfig, HasDefaults) {
    FakeSettings settings = with_groups();
    EXPECT_THAT(rejections(settings), IsEmpty());
    const AwsConfig config = read_aws_config(settings.view());
    EXPECT_EQ(config.discovery.at(0).at(0).value, "prod");
    EXPECT_EQ(config.refresh_every, minutes(1));
    EXPECT_EQ(config.templates.mixed, MixedTemplate::minimum);
    EXPECT_EQ(config.templates.max_pods, std::nullopt);
    EXPECT_EQ(config.parallel_calls, 8u);
    EXPECT_TRUE(config.failed_activities);
    EXPECT_FALSE(config.provisioning);
    EXPECT_EQ(config.credentials.profile, "");
}

TEST(AwsConfig, ReadsSettings) {
    FakeSettings settings = with_groups();
    settings.set("groups", list("0:5:web", "1:2:db"))
        .set("region", "eu-central-1")
        .set("mixed_template", "first")
        .set("max_pods", 58)
        .set("endpoint_url", "http://127.0.0.1:5000")
        .set("endpoints", table({{"ec2", "http://127.0.0.1:5001"}}))
        .set("timeout", "5s")
        .set("cluster", "prod")
        .set("failed_activities", false)
        .set("credentials", table({{"profile", "work"}, {"role_arn", "arn:aws:iam::1:role/a"}}))
        .set("provisioning", table({{"launch_template", "lt-0abc"},
                                    {"subnet_tags", table({{"cluster", "prod"}})},
                                    {"instance_types", list("m6i.*")}}));
    EXPECT_THAT(rejections(settings), IsEmpty());
    const AwsConfig config = read_aws_config(settings.view());
    EXPECT_THAT(config.groups, ElementsAre(StaticGroup{0, 5, "web"}, StaticGroup{1, 2, "db"}));
    EXPECT_EQ(config.templates.region, "eu-central-1");
    EXPECT_EQ(config.templates.mixed, MixedTemplate::first);
    EXPECT_EQ(config.templates.max_pods, 58);
    EXPECT_EQ(config.endpoints.overrides.at(""), "http://127.0.0.1:5000");
    EXPECT_EQ(config.endpoints.overrides.at("ec2"), "http://127.0.0.1:5001");
    EXPECT_EQ(config.timeout, seconds(5));
    EXPECT_FALSE(config.failed_activities);
    EXPECT_EQ(config.credentials.profile, "work");
    EXPECT_EQ(config.credentials.role_arn, "arn:aws:iam::1:role/a");
    ASSERT_TRUE(config.provisioning);
    EXPECT_EQ(config.provisioning->launch_template,
              (LaunchTemplateRef{.id = "lt-0abc", .version = "$Default"}));
    EXPECT_EQ(config.provisioning->subnet_tags.at("cluster"), "prod");
    EXPECT_EQ(config.provisioning->max_size, 1000);
}

TEST(AwsConfig, AcceptsALaunchTemplateByName) {
    FakeSettings settings = with_groups();
    settings.set("cluster", "prod")
        .set("provisioning", table({{"launch_template", "workers"},
                                    {"launch_template_version", "7"},
                                    {"subnet_tags", table({{"a", "b"}})}}));
    EXPECT_EQ(read_aws_config(settings.view()).provisioning->launch_template,
              (LaunchTemplateRef{.name = "workers", .version = "7"}));
}

struct Refused {
    const char* key;
    testing::Value value;
    const char* path;
    const char* message;
};

TEST(AwsConfig, ReportsMistakesWithTheirPlace) {
    const std::vector<Refused> cases{
        {"discovery", list("cluster=prod", ""), "discovery[1]", "has no tag"},
        {"discovery", list("a,,b"), "discovery[0]", "without a key"},
        {"groups", list("0:5:web", "5:3:db"), "groups[1]", "minimum 5 is above maximum 3"},
        {"groups", list("web"), "groups[0]", "expected min:max:name"},
        {"discovery", list(), "", "no groups configured"},
        {"endpoints", table({{"s3", "http://127.0.0.1"}}), "endpoints.s3", "\"s3\""},
        {"credentials", table({{"access_key_id", "AKIA"}}), "credentials", "must be set together"},
        {"provisioning", table({{"launch_template", "a"}, {"subnet_tags", table({{"a", "b"}})}}),
         "provisioning", "needs `cluster`"},
        {"provisioning", table({{"subnet_tags", table({{"a", "b"}})}}), "provisioning",
         "needs launch_template"}};
    for (const Refused& each : cases) {
        FakeSettings settings = with_groups();
        settings.set(each.key, each.value);
        const auto found = rejections(settings);
        ASSERT_THAT(found, SizeIs(1)) << each.message;
        EXPECT_EQ(found[0].path, each.path);
        EXPECT_THAT(found[0].why, HasSubstr(each.message));
    }
}

TEST(AwsConfig, AllowsProvisioningWithoutGroups) {
    FakeSettings settings(aws_schema());
    settings.set("cluster", "prod")
        .set("provisioning",
             table({{"launch_template", "a"}, {"subnet_tags", table({{"a", "b"}})}}));
    EXPECT_THAT(rejections(settings), IsEmpty());
}

TEST(AwsConfig, DocumentsEverySetting) {
    const auto check = [](const auto& self, const Schema& schema) -> void {
        for (const Setting& setting : schema) {
            EXPECT_FALSE(setting.doc.empty()) << setting.key;
            self(self, setting.fields);
        }
    };
    check(check, aws_schema());
}

}  // namespace
}  // namespace capstan::aws
