// Names and tags of autoprovisioned groups.
#include "provisioning/autoprovisioned_group.hpp"

#include <gmock/gmock.h>

#include <set>
#include <string>
#include <vector>

namespace capstan::aws {
namespace {

using ::testing::Contains;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::Pair;

MakingConfig prod() {
    return {.cluster = "prod", .discovery = {{.key = "team", .value = "web"}, {.key = "scaled"}}};
}

GroupPlan nap_plan() {
    return {.name = "nap-m5-large-a-1a2b3c4d", .machine_type = "m5.large", .zone = "eu-central-1a"};
}

TEST(AwsAutoprovisionedGroup, IsNamedAfterPlanAndCluster) {
    EXPECT_EQ(name_of_made_group("nap-m5-large-1a2b3c4d", "prod"), "nap-m5-large-1a2b3c4d.prod");
    EXPECT_EQ(name_of_made_group("nap-m5", "prod.example.com"), "nap-m5.prod.example.com");
    EXPECT_EQ(name_of_made_group("nap-m5", "prod eu@1"), "nap-m5.prod-eu-1");
}

TEST(AwsAutoprovisionedGroup, HasAValidLaunchTemplateName) {
    const std::string plan(63, 'n');
    std::set<std::string> names;
    for (const std::string& cluster :
         {std::string(64, 'c'), std::string(65, 'c'), std::string(100, 'c'),
          std::string(100, 'c') + "d", std::string(200, 'c')}) {
        const std::string name = name_of_made_group(plan, cluster);
        EXPECT_LE(name.size(), 128u) << name;
        EXPECT_TRUE(name.starts_with(plan + ".c")) << name;
        names.insert(name);
    }
    EXPECT_EQ(names.size(), 5u) << "truncated names of clusters stay different";
}

TEST(AwsAutoprovisionedGroup, BelongsToTheClusterInItsTag) {
    EXPECT_TRUE(is_made_for({{"capstan.io/made-for", "prod"}}, "prod"));
    EXPECT_FALSE(is_made_for({{"capstan.io/made-for", "test"}}, "prod"));
    EXPECT_FALSE(is_made_for({{"k8s.io/cluster-autoscaler/prod", "owned"}}, "prod"));
    EXPECT_FALSE(is_made_for({{"capstan.io/made-for", ""}}, ""));
}

TEST(AwsAutoprovisionedGroup, HasADigestThatDiffersBetweenPlans) {
    std::vector<GroupPlan> plans(6, nap_plan());
    plans[1].machine_type = "m5.xlarge";
    plans[2].zone = "eu-central-1b";
    plans[3].spot = true;
    plans[4].labels = {{"a", "b"}};
    plans[5].taints = {{"a", "b", Effect::no_schedule}};
    std::set<std::string> digests;
    for (const GroupPlan& plan : plans) digests.insert(digest_of(plan));
    EXPECT_EQ(digests.size(), plans.size());
    EXPECT_EQ(digest_of(plans[0]), digest_of(nap_plan()));
    EXPECT_EQ(digest_of(plans[0]).size(), 16u);
}

TEST(AwsAutoprovisionedGroup, HasTheTagsForTemplatesAndDiscovery) {
    GroupPlan plan = nap_plan();
    plan.taints = {{"dedicated", "gpu", Effect::no_execute}, {"alone", "", Effect::no_schedule}};
    const auto tags = make_tags(plan, {{"example.com/team", "a"}}, prod());
    ASSERT_TRUE(tags) << tags.error();
    EXPECT_EQ(tags->own,
              (Labels{{"capstan.io/plan", digest_of(plan)},
                      {"k8s.io/cluster-autoscaler/enabled", "true"},
                      {"k8s.io/cluster-autoscaler/prod", "owned"},
                      {"k8s.io/cluster-autoscaler/node-template/label/example.com/team", "a"},
                      {"k8s.io/cluster-autoscaler/node-template/taint/alone", ":NoSchedule"},
                      {"k8s.io/cluster-autoscaler/node-template/taint/dedicated", "gpu:NoExecute"},
                      {"scaled", "true"},
                      {"team", "web"}}));
    EXPECT_EQ(tags->propagated,
              (Labels{{"capstan.io/made-for", "prod"}, {"kubernetes.io/cluster/prod", "owned"}}));
    EXPECT_EQ(tags->all().size(), 10u);
}

TEST(AwsAutoprovisionedGroup, PropagatesConfiguredTagsExceptTemplateTags) {
    MakingConfig config = prod();
    config.tags = {{"cost-center", "7"},
                   {"k8s.io/cluster-autoscaler/node-template/label/disk", "ssd"},
                   {"capstan.io/made-for", "other"}};
    const auto tags = make_tags(nap_plan(), {}, config);
    ASSERT_TRUE(tags) << tags.error();
    EXPECT_THAT(tags->propagated, Contains(Pair("cost-center", "7")));
    EXPECT_THAT(tags->own,
                Contains(Pair("k8s.io/cluster-autoscaler/node-template/label/disk", "ssd")));
    EXPECT_THAT(tags->all(), Contains(Pair("capstan.io/made-for", "prod")));
}

TEST(AwsAutoprovisionedGroup, HasTheValueOfADiscoveryTagOfTheCluster) {
    MakingConfig config = prod();
    config.discovery = {{.key = "kubernetes.io/cluster/prod", .value = "shared"}};
    EXPECT_THAT(make_tags(nap_plan(), {}, config)->propagated,
                Contains(Pair("kubernetes.io/cluster/prod", "shared")));
    config.discovery = {{.key = "kubernetes.io/cluster/prod"}};
    EXPECT_THAT(make_tags(nap_plan(), {}, config)->propagated,
                Contains(Pair("kubernetes.io/cluster/prod", "owned")));
}

TEST(AwsAutoprovisionedGroup, IsFoundByItsOwnTagWithoutADiscovery) {
    EXPECT_EQ(discovery_of_made_groups("prod"),
              (std::vector<TagFilter>{{.key = "capstan.io/made-for", .value = "prod"}}));
}

TEST(AwsAutoprovisionedGroup, RejectsMoreOrLongerTagsThanAwsAllows) {
    Labels many;
    for (int i = 0; i < 44; ++i) many.emplace("l" + std::to_string(i), "v");
    const auto just = make_tags(nap_plan(), many, {.cluster = "prod"});
    EXPECT_TRUE(just) << just.error();
    EXPECT_EQ(just->all().size(), 49u);
    many.emplace("one", "v");
    EXPECT_TRUE(make_tags(nap_plan(), many, {.cluster = "prod"})) << "fifty are allowed";
    many.emplace("two", "v");
    const auto more = make_tags(nap_plan(), many, {.cluster = "prod"});
    ASSERT_FALSE(more);
    EXPECT_EQ(more.error().code, ErrorCode::unsupported);
    EXPECT_THAT(more.error().message, HasSubstr("51 tags"));

    const std::string key = std::string(70, 'd') + ".example.com/team";
    const auto longer = make_tags(nap_plan(), {{key, "a"}}, prod());
    ASSERT_FALSE(longer);
    EXPECT_THAT(longer.error().message, HasSubstr("is too long"));
}

TEST(AwsAutoprovisionedGroup, AllowsOneTaintPerKey) {
    GroupPlan plan = nap_plan();
    plan.taints = {{"a", "b", Effect::no_schedule}, {"a", "b", Effect::no_execute}};
    EXPECT_EQ(make_tags(plan, {}, prod()).error().code, ErrorCode::unsupported);
    plan.taints = {{"a", "b", Effect::no_schedule}, {"a", "b", Effect::no_schedule}};
    EXPECT_TRUE(make_tags(plan, {}, prod())) << "the same taint twice is one";
}

}  // namespace
}  // namespace capstan::aws
