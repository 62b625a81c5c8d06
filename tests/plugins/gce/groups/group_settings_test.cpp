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

TEST(GceGroupSpec, NamesAGroupByLinkOrId) {
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

TEST(GceGroupSpec, ReportsAnInvalidGroup) {
    for (const auto& [text, message] : std::vector<std::pair<const char*, const char*>>{
             {"", "expected min:max:link"},
             {"web", "expected min:max:link"},
             {"1:2", "expected min:max:link"},
             {"x:2:p/us-central1-a/web", "invalid value \"x\": expected an integer"},
             {"-1:2:p/us-central1-a/web", "invalid value \"-1\""},
             {"1:99999999999:p/us-central1-a/web", "expected an integer"},
             {"5:3:p/us-central1-a/web", "minimum 5 is above maximum 3"},
             {"0:3:web", "invalid value \"web\": expected a link"},
             {"0:3:projects/p/global/instanceGroups/web", "expected a link"},
             {"0:3:projects/p/zones/us-central1-a/instances/web", "expected a link"}}) {
        const auto group = parse_static_group(text);
        ASSERT_FALSE(group) << text;
        EXPECT_THAT(group.error().message, HasSubstr(message)) << text;
    }
}

TEST(GceGroupSpec, ReadsAPrefixAndLimits) {
    EXPECT_EQ(*parse_discovery("namePrefix=gke-prod-,min=1,max=10"),
              (DiscoverySpec{"gke-prod-", 1, 10}));
    EXPECT_EQ(*parse_discovery("mig:max=3,namePrefix=(a|b)-"), (DiscoverySpec{"(a|b)-", 0, 3}));
}

TEST(GceGroupSpec, ReportsAnInvalidDiscovery) {
    for (const auto& [text, message] : std::vector<std::pair<const char*, const char*>>{
             {"", "expected namePrefix="},
             {"namePrefix=,max=3", "has no namePrefix"},
             {"max=3", "has no namePrefix"},
             {"namePrefix=a", "needs max"},
             {"namePrefix=a,max=0", "max=0"},
             {"namePrefix=a,min=4,max=3", "minimum 4 is above maximum 3"},
             {"namePrefix=a,max=x", "invalid value \"x\": expected an integer"},
             {"namePrefix=a,max=3,max=4", "duplicate key \"max\""},
             {"namePrefix=a,max=3,zone=b", "invalid value \"zone=b\""},
             {"namePrefix=a(,max=3", "is not a regular expression"}}) {
        const auto spec = parse_discovery(text);
        ASSERT_FALSE(spec) << text;
        EXPECT_THAT(spec.error().message, HasSubstr(message)) << text;
    }
}

}  // namespace
}  // namespace capstan::gce
