#include "group_names.hpp"

#include <gmock/gmock.h>

#include <set>

namespace capstan::provisioning {
namespace {

GroupPlan plan() { return {.machine_type = "n1-standard-4", .zone = "eu-b"}; }

TEST(GroupNames, ContainMachineTypeAndZone) {
    EXPECT_THAT(make_group_name("nap", "gce", plan()),
                ::testing::StartsWith("nap-gce-n1-standard-4-eu-b-"));
    GroupPlan spot = plan();
    spot.spot = true;
    EXPECT_THAT(make_group_name("nap", "gce", spot), ::testing::HasSubstr("-eu-b-spot-"));
}

TEST(GroupNames, AreEqualOnlyForEqualPlans) {
    GroupPlan labelled = plan(), tainted = plan(), elsewhere = plan(), spot = plan();
    labelled.labels = {{"team", "a"}};
    tainted.taints = {{"team", "a", Effect::no_schedule}};
    elsewhere.zone = "eu-c";
    spot.spot = true;
    std::set<std::string> names;
    for (const GroupPlan& each : {plan(), labelled, tainted, elsewhere, spot}) {
        EXPECT_EQ(make_group_name("nap", "gce", each), make_group_name("nap", "gce", each));
        names.insert(make_group_name("nap", "gce", each));
    }
    EXPECT_EQ(names.size(), 5u);
}

TEST(GroupNames, ContainTheCloud) {
    const std::string of_gce = make_group_name("nap", "gce", plan());
    EXPECT_THAT(make_group_name("nap", "gce_eu.2", plan()),
                ::testing::StartsWith("nap-gce-eu-2-n1-standard-4-"));
    std::set<std::string> names;
    for (const char* cloud : {"gce", "aws", "gce-eu", "gce_eu", "", "n1"})
        names.insert(make_group_name("nap", cloud, plan()));
    EXPECT_EQ(names.size(), 6u) << "also if they look the same after cleaning";
    const std::string longest(200, 'c');
    EXPECT_NE(make_group_name("nap", longest, plan()),
              make_group_name("nap", longest + "d", plan()))
        << "also if they are truncated";
}

TEST(GroupNames, FitIntoALabel) {
    GroupPlan long_one = plan();
    long_one.machine_type = "Standard_NC96ads_A100_v4_with_a_name_that_never_ends_at_all";
    const std::string name = make_group_name("nodeautoprovisioning", "gce", long_one);
    EXPECT_LE(name.size(), 63u);
    EXPECT_THAT(name, ::testing::MatchesRegex("[a-z0-9-]+"));
    EXPECT_THAT(name, ::testing::Not(::testing::HasSubstr("--")));
}

TEST(GroupNames, AreRecognizedByTheirWholePrefix) {
    EXPECT_TRUE(has_prefix("nap-n1-0a", "nap"));
    EXPECT_FALSE(has_prefix("napkins", "nap"));
    EXPECT_FALSE(has_prefix("nap", "nap"));
    EXPECT_FALSE(has_prefix("web", "nap"));
}

TEST(GroupNames, AreRecognizedWithALocation) {
    EXPECT_TRUE(has_prefix("my-project/us-central1-a/nap-gce-n2-0a", "nap"));
    EXPECT_FALSE(has_prefix("nap-project/us-central1-a/web", "nap"));
    EXPECT_FALSE(has_prefix("my-project/us-central1-a/", "nap"));
}

}  // namespace
}  // namespace capstan::provisioning
