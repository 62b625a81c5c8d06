// Groups are created and deleted, and no attempt leaves anything behind.
#include "provisioning/group_maker.hpp"

#include <gmock/gmock.h>

#include <algorithm>
#include <chrono>
#include <string>

#include <capstan/base64.hpp>
#include <capstan/testing/run_task.hpp>

#include "api/auto_scaling.hpp"
#include "api/ec2.hpp"
#include "fake_account.hpp"
#include "market_facts.hpp"
#include "wire/aws_client.hpp"
#include "wire/static_credentials.hpp"

namespace capstan::aws {
namespace {

using namespace std::chrono_literals;
using ::testing::Contains;
using ::testing::ElementsAre;
using testing::FakeHost;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using testing::run;

const std::string made_name = "nap-m5-large-a.prod";

struct AwsGroupMaker : ::testing::Test {
    FakeHost host{};
    FakeAccount account{host};
    StaticCredentials credentials{{.access_key_id = "AKIA1", .secret_access_key = "secret"}};
    AwsClient client{host.host(), {.region = "eu-central-1"}, credentials};
    AutoScalingApi groups{client};
    Ec2Api ec2{client};
    std::optional<GroupMaker> made{};

    AwsGroupMaker() { account.launch_templates["workers"]["userData"] = base64_encode(script); }

    static constexpr const char* script = "#!/bin/bash\n/etc/eks/bootstrap.sh prod\n";
    GroupMaker& maker() {
        if (!made) {
            made.emplace(host.host(), groups, ec2, making_config());
            made->use(market_facts().types, nullptr);
        }
        return *made;
    }
    Result<MachineTypes> offers() { return run(host, maker().machine_types()); }
    Result<void> create(const GroupPlan& plan = made_plan()) {
        return run(host, maker().create(plan));
    }
    Result<void> destroy(const std::string& id = made_name) {
        return run(host, maker().destroy(NodeGroupId(id)));
    }
};

TEST_F(AwsGroupMaker, OffersTheTypesOfTheAccount) {
    const auto offered = offers();
    ASSERT_TRUE(offered) << offered.error();
    ASSERT_EQ(offered->types.size(), 1u);
    EXPECT_EQ(offered->types[0].name, "m5.large");
    EXPECT_EQ(offered->types[0].offerings.size(), 2u) << "on-demand and spot, in one zone";
    EXPECT_THAT(account.actions, ElementsAre("DescribeLaunchTemplateVersions", "DescribeImages",
                                             "DescribeSubnets", "DescribeInstanceTypeOfferings"));
}

TEST_F(AwsGroupMaker, ReadsTheAccountOnceInTenMinutes) {
    ASSERT_TRUE(offers());
    host.advance(9min);
    ASSERT_TRUE(offers());
    EXPECT_EQ(account.actions.size(), 4u);
    host.advance(2min);
    ASSERT_TRUE(offers());
    EXPECT_EQ(account.actions.size(), 8u);
}

TEST_F(AwsGroupMaker, KeepsTheLastOffersIfReadingFails) {
    account.refusals["DescribeSubnets"] = "UnauthorizedOperation";
    const auto first = offers();
    ASSERT_FALSE(first);
    EXPECT_EQ(first.error().code, ErrorCode::permission);
    EXPECT_THAT(first.error().message, HasSubstr("ec2:DescribeSubnets"));
    account.refusals.clear();
    ASSERT_TRUE(offers());
    account.refusals["DescribeSubnets"] = "UnauthorizedOperation";
    host.advance(11min);
    EXPECT_EQ(offers()->types.size(), 1u);
    EXPECT_THAT(host.log_lines().back().message, HasSubstr("using the previous ones"));
}

TEST_F(AwsGroupMaker, PlansAGroupWithoutCreatingAnything) {
    EXPECT_EQ(maker().new_group(made_plan()).error().code, ErrorCode::unavailable);
    ASSERT_TRUE(offers());
    const auto planned = maker().new_group(made_plan());
    ASSERT_TRUE(planned) << planned.error();
    EXPECT_EQ(planned->group.id, NodeGroupId(made_name));
    EXPECT_THAT(account.groups, IsEmpty());
}

TEST_F(AwsGroupMaker, CreatesALaunchTemplateAndAGroup) {
    ASSERT_TRUE(create(made_plan({{"team", "a"}})));
    ASSERT_TRUE(account.groups.contains(made_name));
    const Labels& sent = account.groups[made_name].parameters;
    EXPECT_EQ(sent.at("MinSize"), "0");
    EXPECT_EQ(sent.at("DesiredCapacity"), "0");
    EXPECT_EQ(sent.at("LaunchTemplate.LaunchTemplateName"), made_name);
    EXPECT_EQ(sent.at("VPCZoneIdentifier"), "subnet-a1");
    EXPECT_EQ(account.groups[made_name].tags.at("capstan.io/made-for"), "prod");
    EXPECT_EQ(account.groups[made_name].tags.at("k8s.io/cluster-autoscaler/enabled"), "true");
    const Labels& launched = account.launch_templates[made_name];
    EXPECT_EQ(launched.at("imageId"), "ami-1") << "of the configured launch template";
    EXPECT_EQ(launched.at("instanceType"), "m5.large");
    EXPECT_THAT(base64_decode(launched.at("userData")).value(), HasSubstr("team=a"));
}

TEST_F(AwsGroupMaker, CreatesSpotInstancesWithAPolicy) {
    GroupPlan plan = made_plan();
    plan.spot = true;
    ASSERT_TRUE(create(plan));
    const Labels& sent = account.groups[made_name].parameters;
    EXPECT_EQ(sent.at("MixedInstancesPolicy.InstancesDistribution.OnDemandBaseCapacity"), "0");
    EXPECT_FALSE(sent.contains("LaunchTemplate.LaunchTemplateName"));
}

TEST_F(AwsGroupMaker, CreatesAnExistingGroupWithoutEffect) {
    ASSERT_TRUE(create());
    const std::size_t before = account.actions.size();
    ASSERT_TRUE(create());
    EXPECT_EQ(account.actions.size(), before + 1) << "the existing group is found";
    EXPECT_EQ(account.count("CreateAutoScalingGroup"), 1u);
}

TEST_F(AwsGroupMaker, DoesNotAdoptAnotherGroupOfTheSameName) {
    account.groups[made_name] = {};
    EXPECT_EQ(create().error().code, ErrorCode::conflict);
    account.groups[made_name].tags = {{"capstan.io/made-for", "prod"},
                                      {"capstan.io/plan", "another"}};
    EXPECT_EQ(create().error().code, ErrorCode::conflict);
    account.groups[made_name].tags = {{"capstan.io/made-for", "test"},
                                      {"capstan.io/plan", digest_of(made_plan())}};
    EXPECT_EQ(create().error().code, ErrorCode::conflict);
    EXPECT_EQ(account.count("CreateLaunchTemplate"), 0u);
}

TEST_F(AwsGroupMaker, WaitsForAGroupThatIsBeingDeleted) {
    ASSERT_TRUE(create());
    account.groups[made_name].status = "Delete in progress";
    EXPECT_EQ(create().error().code, ErrorCode::unavailable);
}

TEST_F(AwsGroupMaker, RejectsAnImpossiblePlanBeforeCreatingAnything) {
    GroupPlan elsewhere = made_plan();
    elsewhere.zone = "eu-central-1b";
    EXPECT_EQ(create(elsewhere).error().code, ErrorCode::unsupported);
    EXPECT_EQ(account.count("CreateLaunchTemplate"), 0u);
}

TEST_F(AwsGroupMaker, LeavesNothingBehindAfterARefusal) {
    account.refusals["CreateAutoScalingGroup"] = "LimitExceeded";
    EXPECT_EQ(create().error().code, ErrorCode::quota);
    EXPECT_FALSE(account.launch_templates.contains(made_name));
    account.refusals["CreateAutoScalingGroup"] = "AccessDenied";
    const auto denied = create();
    EXPECT_EQ(denied.error().code, ErrorCode::permission);
    EXPECT_THAT(denied.error().message, HasSubstr("autoscaling:CreateAutoScalingGroup"));
    account.refusals.clear();
    EXPECT_TRUE(create());
}

TEST_F(AwsGroupMaker, RecreatesALeftoverLaunchTemplate) {
    account.launch_templates[made_name] = {{"imageId", "ami-old"}, {"tag", "prod"}};
    ASSERT_TRUE(create());
    EXPECT_EQ(account.launch_templates[made_name].at("imageId"), "ami-1");
}

TEST_F(AwsGroupMaker, KeepsAForeignLaunchTemplate) {
    account.launch_templates[made_name] = {{"imageId", "ami-old"}, {"tag", "test"}};
    EXPECT_EQ(create().error().code, ErrorCode::conflict);
    EXPECT_EQ(account.launch_templates[made_name].at("imageId"), "ami-old");
    EXPECT_THAT(account.groups, IsEmpty());
}

TEST_F(AwsGroupMaker, FindsAGroupIfTheResponseToItsCreationWasLost) {
    account.lost.insert("CreateAutoScalingGroup");
    ASSERT_FALSE(create());
    EXPECT_TRUE(account.launch_templates.contains(made_name)) << "the group may exist";
    account.lost.clear();
    EXPECT_TRUE(create()) << "the group exists";
    EXPECT_EQ(account.count("CreateAutoScalingGroup"), 1u);
}

TEST_F(AwsGroupMaker, CleansUpTheLaunchTemplateOfAGroupThatWasNeverCreated) {
    account.refusals["CreateAutoScalingGroup"] = "InternalFailure";
    ASSERT_FALSE(create());
    account.refusals.clear();
    host.advance(5min);
    ASSERT_TRUE(offers());
    EXPECT_TRUE(account.launch_templates.contains(made_name)) << "AWS may list the group later";
    host.advance(6min);
    ASSERT_TRUE(offers());
    EXPECT_FALSE(account.launch_templates.contains(made_name));
    EXPECT_TRUE(account.launch_templates.contains("workers"));
}

TEST_F(AwsGroupMaker, CleansUpALaunchTemplateIfTheResponseToItsCreationWasLost) {
    account.lost.insert("CreateLaunchTemplate");
    EXPECT_EQ(create().error().code, ErrorCode::deadline);
    account.lost.clear();
    host.advance(11min);
    ASSERT_TRUE(offers());
    EXPECT_FALSE(account.launch_templates.contains(made_name));
}

TEST_F(AwsGroupMaker, DeletesWhatItCreated) {
    ASSERT_TRUE(create());
    ASSERT_TRUE(destroy());
    EXPECT_THAT(account.groups, IsEmpty());
    EXPECT_FALSE(account.launch_templates.contains(made_name));
    EXPECT_EQ(destroy().error().code, ErrorCode::not_found);
}

TEST_F(AwsGroupMaker, DeletesNoForeignGroup) {
    account.groups["web"] = {};
    account.groups["web"].tags = {{"k8s.io/cluster-autoscaler/prod", "owned"}};
    const auto refused = destroy("web");
    EXPECT_EQ(refused.error().code, ErrorCode::permission);
    EXPECT_THAT(refused.error().message, HasSubstr("capstan.io/made-for=prod"));
    EXPECT_TRUE(account.groups.contains("web"));
}

TEST_F(AwsGroupMaker, DeletesNoGroupWithInstances) {
    ASSERT_TRUE(create());
    account.groups[made_name].instances = {"i-1"};
    EXPECT_EQ(destroy().error().code, ErrorCode::conflict);
    account.groups[made_name].instances = {};
    account.groups[made_name].desired = 2;
    EXPECT_THAT(destroy().error().message, HasSubstr("a desired capacity of 2 instances"));
    account.groups[made_name].desired = 0;
    account.refusals["DeleteAutoScalingGroup"] = "ScalingActivityInProgress";
    EXPECT_EQ(destroy().error().code, ErrorCode::conflict);
    EXPECT_TRUE(account.launch_templates.contains(made_name));
    account.refusals.clear();
    EXPECT_TRUE(destroy());
}

TEST_F(AwsGroupMaker, RetriesTheDeletionOfALaunchTemplate) {
    ASSERT_TRUE(create());
    account.refusals["DeleteLaunchTemplate"] = "RequestLimitExceeded";
    ASSERT_TRUE(destroy()) << "the group is deleted";
    EXPECT_THAT(host.log_lines().back().message, HasSubstr("cannot be deleted; retried"));
    account.refusals.clear();
    ASSERT_TRUE(offers());
    EXPECT_FALSE(account.launch_templates.contains(made_name));
}

TEST_F(AwsGroupMaker, CleansUpAfterADeletionWithoutAResponse) {
    ASSERT_TRUE(create());
    account.lost.insert("DeleteAutoScalingGroup");
    ASSERT_FALSE(destroy());
    account.lost.clear();
    EXPECT_THAT(account.groups, IsEmpty()) << "it was applied";
    EXPECT_EQ(destroy().error().code, ErrorCode::not_found);
    host.advance(11min);
    ASSERT_TRUE(offers());
    EXPECT_FALSE(account.launch_templates.contains(made_name));
}

TEST_F(AwsGroupMaker, SendsNoSecondDeletion) {
    ASSERT_TRUE(create());
    account.groups[made_name].status = "Delete in progress";
    ASSERT_TRUE(destroy());
    EXPECT_EQ(account.count("DeleteAutoScalingGroup"), 0u);
    EXPECT_FALSE(account.launch_templates.contains(made_name));
}

}  // namespace
}  // namespace capstan::aws
