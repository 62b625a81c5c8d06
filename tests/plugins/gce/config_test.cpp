#include "config.hpp"

#include <gmock/gmock.h>

#include <capstan/testing/fake_settings.hpp>

namespace capstan::gce {
namespace {

using std::chrono::hours;
using std::chrono::seconds;
using ::testing::ElementsAre;
using testing::FakeSettings;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using testing::list;
using ::testing::SizeIs;
using testing::table;

constexpr const char* prod = "namePrefix=gke-prod-,max=10";

FakeSettings with_groups() {
    FakeSettings out(gce_schema());
    out.set("discovery", list(prod));
    return out;
}

std::vector<testing::Rejection> rejections(FakeSettings& settings) {
    check_gce_config(settings.view());
    return settings.rejections();
}

TEST(GceConfig, HasDefaults) {
    FakeSettings settings = with_groups();
    EXPECT_THAT(rejections(settings), IsEmpty());
    const GceConfig config = read_gce_config(settings.view());
    EXPECT_THAT(config.discovery, ElementsAre(DiscoverySpec{"gke-prod-", 0, 10}));
    EXPECT_EQ(config.project, "");
    EXPECT_EQ(config.refresh_every, hours(1));
    EXPECT_EQ(config.templates.max_pods, std::nullopt);
    EXPECT_EQ(config.parallel_calls, 8u);
    EXPECT_FALSE(config.provisioning);
    EXPECT_FALSE(config.credentials.anonymous);
}

TEST(GceConfig, ReadsSettings) {
    FakeSettings settings = with_groups();
    settings.set("groups", list("0:5:p/us-central1-a/web"))
        .set("project", "p")
        .set("locations", list("us-central1"))
        .set("max_pods", 58)
        .set("price_file", "/prices.json")
        .set("refresh_every", "5s")
        .set("endpoint_url", "http://127.0.0.1:5000")
        .set("endpoints", table({{"sts", "http://127.0.0.1:5001"}}))
        .set("timeout", "5s")
        .set("parallel_calls", 4)
        .set("cluster", "prod")
        .set("credentials", table({{"file", "/key.json"}, {"impersonate", "a@p"}}))
        .set("provisioning", table({{"instance_template", "workers"},
                                    {"zones", list("us-central1-a")},
                                    {"machine_types", list("n2-*")},
                                    {"max_size", 7},
                                    {"labels", table({{"team", "a"}})}}));
    EXPECT_THAT(rejections(settings), IsEmpty());
    const GceConfig config = read_gce_config(settings.view());
    ASSERT_THAT(config.groups, SizeIs(1));
    EXPECT_EQ(config.groups[0].link.name, "web");
    EXPECT_EQ(config.project, "p");
    EXPECT_THAT(config.locations, ElementsAre("us-central1"));
    EXPECT_EQ(config.templates.max_pods, 58);
    EXPECT_EQ(config.price_file, "/prices.json");
    EXPECT_EQ(config.refresh_every, seconds(5));
    EXPECT_EQ(config.endpoints.overrides.at(""), "http://127.0.0.1:5000");
    EXPECT_EQ(config.endpoints.overrides.at("sts"), "http://127.0.0.1:5001");
    EXPECT_EQ(config.timeout, seconds(5));
    EXPECT_EQ(config.parallel_calls, 4u);
    EXPECT_EQ(config.credentials.file, "/key.json");
    EXPECT_EQ(config.credentials.impersonate, "a@p");
    ASSERT_TRUE(config.provisioning);
    EXPECT_EQ(config.provisioning->instance_template, "workers");
    EXPECT_THAT(config.provisioning->zones, ElementsAre("us-central1-a"));
    EXPECT_THAT(config.provisioning->machine_types, ElementsAre("n2-*"));
    EXPECT_EQ(config.provisioning->max_size, 7);
    EXPECT_EQ(config.provisioning->labels.at("team"), "a");
}

struct Refused {
    const char* key;
    testing::Value value;
    const char* path;
    const char* message;
};

TEST(GceConfig, ReportsMistakesWithTheirPlace) {
    const std::vector<Refused> cases{
        {"discovery", list(prod, "max=3"), "discovery[1]", "has no namePrefix"},
        {"groups", list("0:5:p/us-central1-a/web", "5:3:p/us-central1-a/db"), "groups[1]",
         "minimum 5 is above maximum 3"},
        {"discovery", list(), "", "no groups configured"},
        {"endpoints", table({{"ec2", "http://127.0.0.1"}}), "endpoints.ec2", "\"ec2\""},
        {"credentials", table({{"anonymous", true}, {"file", "/key.json"}}), "credentials",
         "anonymous cannot be combined"},
        {"provisioning", table({{"instance_template", "a"}}), "provisioning", "needs `cluster`"},
        {"provisioning", table({{"machine_types", list("n2-*")}}), "provisioning",
         "needs instance_template"}};
    for (const Refused& each : cases) {
        FakeSettings settings = with_groups();
        settings.set(each.key, each.value);
        const auto found = rejections(settings);
        ASSERT_THAT(found, SizeIs(1)) << each.message;
        EXPECT_EQ(found[0].path, each.path);
        EXPECT_THAT(found[0].why, HasSubstr(each.message));
    }
}

TEST(GceConfig, AllowsProvisioningWithoutGroups) {
    FakeSettings settings(gce_schema());
    settings.set("cluster", "prod").set("provisioning", table({{"instance_template", "a"}}));
    EXPECT_THAT(rejections(settings), IsEmpty());
}

TEST(GceConfig, DocumentsEverySetting) {
    const auto check = [](const auto& self, const Schema& schema) -> void {
        for (const Setting& setting : schema) {
            EXPECT_FALSE(setting.doc.empty()) << setting.key;
            self(self, setting.fields);
        }
    };
    check(check, gce_schema());
}

}  // namespace
}  // namespace capstan::gce
