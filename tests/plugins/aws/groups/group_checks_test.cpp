#include "groups/group_checks.hpp"

#include <gmock/gmock.h>

namespace capstan::aws {
namespace {

using ::testing::StartsWith;

TEST(GroupChecks, RecommendProtectionOfNewInstances) {
    AutoScalingGroup web{.name = "web"}, batch{.name = "batch"};
    const AutoScalingGroup good{.name = "good", .protects_new_instances = true};
    const AutoScalingGroup managed{.name = "eks-1", .tags = {{"eks:nodegroup-name", "workers"}}};
    EXPECT_THAT(recommend_protection({&web, &batch, &good, &managed}),
                StartsWith("groups \"web\", \"batch\": NewInstancesProtectedFromScaleIn is "
                           "recommended, so that "));
    EXPECT_THAT(recommend_protection({&web}), StartsWith("group \"web\": "));
    EXPECT_EQ(recommend_protection({&good, &managed}), "");
}

}  // namespace
}  // namespace capstan::aws
