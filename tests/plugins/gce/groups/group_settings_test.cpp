#include "groups/group_settings.hpp"

#include <gmock/gmock.h>

namespace capstan::gce {
namespace {

using ::testing::HasSubstr;

const ResourceLink zonal{"p", {Scope::zone, "us-central1-a"}, "instanceGroupManagers", "web"};
const ResourceLink regional{"p", {Scope::region, "us-central1"}, "instanceGroupManagers", "web"};

struct Spec {
    const char* text;
    StaticGroup means;
};

TEST(GceGroupSpec, AGroupIsNamedByItsLinkOrByItsId) {
    for (const Spec& each : std::vector<Spec>{
             {"0:10:https://www.googleapis.com/compute/v1/projects/p/zones/us-central1-a/"
              "instanceGroups/web",
              {0, 10, zonal}},
             {"1:1:projects/p/regions/us-central1/instanceGroupManagers/web", {1, 1, regional}},
             {"0:0:p/us-central1-a/web", {0, 0, zonal}},
             {"0:3:p/us-central1/web", {0, 3, regional}}}) {
        const auto group = parse_static_group(each.text);
        ASSERT_TRUE(group) << each.text << ": " << group.error();
        EXPECT_EQ(*group, each.means) << each.text;
    }
}

TEST(GceGroupSpec, SaysWhatIsWrongWithAGroup) {
    for (const auto& [text, says] : std::vector<std::pair<const char*, const char*>>{
             {"", "is not min:max:link"},
             {"web", "is not min:max:link"},
             {"1:2", "is not min:max:link"},
             {"x:2:p/us-central1-a/web", "has \"x\" for a size"},
             {"-1:2:p/us-central1-a/web", "has \"-1\" for a size"},
             {"1:99999999999:p/us-central1-a/web", "for a size"},
             {"5:3:p/us-central1-a/web", "minimum 5 above its maximum 3"},
             {"0:3:web", "has \"web\" for a group"},
             {"0:3:projects/p/global/instanceGroups/web", "for a group"},
             {"0:3:projects/p/zones/us-central1-a/instances/web", "for a group"}}) {
        const auto group = parse_static_group(text);
        ASSERT_FALSE(group) << text;
        EXPECT_THAT(group.error().message, HasSubstr(says)) << text;
    }
}

TEST(GceGroupSpec, ADiscoveryIsTheBeginningOfNamesAndLimits) {
    EXPECT_EQ(*parse_discovery("namePrefix=gke-prod-,min=1,max=10"),
              (DiscoverySpec{"gke-prod-", 1, 10}));
    EXPECT_EQ(*parse_discovery("mig:max=3,namePrefix=(a|b)-"), (DiscoverySpec{"(a|b)-", 0, 3}));
}

TEST(GceGroupSpec, SaysWhatIsWrongWithADiscovery) {
    for (const auto& [text, says] : std::vector<std::pair<const char*, const char*>>{
             {"", "what there is are namePrefix="},
             {"namePrefix=,max=3", "has no namePrefix"},
             {"max=3", "has no namePrefix"},
             {"namePrefix=a", "has no max"},
             {"namePrefix=a,max=0", "maximum 0"},
             {"namePrefix=a,min=4,max=3", "minimum 4 above its maximum 3"},
             {"namePrefix=a,max=x", "has \"x\" for a size"},
             {"namePrefix=a,max=3,max=4", "has \"max\" twice"},
             {"namePrefix=a,max=3,zone=b", "has \"zone=b\""},
             {"namePrefix=a(,max=3", "no regular expression"}}) {
        const auto spec = parse_discovery(text);
        ASSERT_FALSE(spec) << text;
        EXPECT_THAT(spec.error().message, HasSubstr(says)) << text;
    }
}

TEST(GceGroupSpec, IdsOfGroupsAndMachinesAreReadAsTheyAreWritten) {
    EXPECT_EQ(group_id_of(zonal), "p/us-central1-a/web");
    EXPECT_EQ(*group_of_id("p/us-central1-a/web"), zonal);
    EXPECT_EQ(*group_of_id("p/us-central1/web"), regional);
    const ResourceLink of_domain{
        "example.com:p", {Scope::zone, "us-central1-ai1a"}, "instances", "web-x1y2"};
    EXPECT_EQ(machine_id_of(of_domain), "gce://example.com:p/us-central1-ai1a/web-x1y2");
    EXPECT_EQ(*instance_of_id("gce://example.com:p/us-central1-ai1a/web-x1y2"), of_domain);
}

TEST(GceGroupSpec, WhatIsNoIdIsRefused) {
    for (const char* text : {"", "web", "p/web", "p//web", "/us-central1-a/web", "p/us-central1-a/",
                             "p/us-central1-a/web/more"}) {
        EXPECT_FALSE(group_of_id(text)) << text;
        EXPECT_FALSE(instance_of_id(std::string("gce://") + text)) << text;
    }
    EXPECT_FALSE(instance_of_id("gce://p/us-central1/web-x1y2")) << "no machine is in a region";
    EXPECT_FALSE(instance_of_id("aws:///us-central1-a/i-1"));
}

}  // namespace
}  // namespace capstan::gce
