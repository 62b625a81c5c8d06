#include "api/auto_scaling.hpp"

#include <gmock/gmock.h>

#include "scripted_aws.hpp"

namespace capstan::aws {
namespace {

using ::testing::AllOf;
using ::testing::Contains;
using ::testing::Each;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::Pair;
using ::testing::SizeIs;

struct AutoScalingCalls : ::testing::Test {
    ScriptedAws aws{};
    AutoScalingApi api{aws.client()};
};

std::vector<std::string> numbered_names(int count) {
    std::vector<std::string> out;
    for (int i = 0; i < count; ++i) out.push_back("group-" + std::to_string(1000 + i));
    return out;
}

std::vector<std::string> names_of(const AutoScalingGroups& groups) {
    std::vector<std::string> out;
    for (const AutoScalingGroup& group : groups.groups) out.push_back(group.name);
    return out;
}

TEST_F(AutoScalingCalls, FindGroupsByAllTagsWithOneFilterPerTag) {
    aws.on("DescribeAutoScalingGroups", groups_response(""));
    const auto found = aws.run(api.find_groups(
        {{.key = "k8s.io/cluster-autoscaler/enabled"}, {.key = "team", .value = "web & shop"}}));
    ASSERT_TRUE(found) << found.error();
    EXPECT_EQ(aws.parameters(),
              (Labels{{"Filters.member.1.Name", "tag-key"},
                      {"Filters.member.1.Values.member.1", "k8s.io/cluster-autoscaler/enabled"},
                      {"Filters.member.2.Name", "tag:team"},
                      {"Filters.member.2.Values.member.1", "web & shop"},
                      {"MaxRecords", "100"}}));
}

TEST_F(AutoScalingCalls, DistinguishAnEmptyTagValueFromAnyValue) {
    aws.on("DescribeAutoScalingGroups", groups_response(""));
    ASSERT_TRUE(aws.run(api.find_groups({{.key = "team", .value = ""}})));
    EXPECT_THAT(aws.parameters(), AllOf(Contains(Pair("Filters.member.1.Name", "tag:team")),
                                        Contains(Pair("Filters.member.1.Values.member.1", ""))));
}

TEST_F(AutoScalingCalls, NeverRequestAllGroupsOfTheAccount) {
    const auto by_no_tag = aws.run(api.find_groups({}));
    ASSERT_FALSE(by_no_tag);
    EXPECT_EQ(by_no_tag.error().code, ErrorCode::invalid_argument);
    const auto by_no_name = aws.run(api.describe_groups({}));
    ASSERT_TRUE(by_no_name);
    EXPECT_THAT(by_no_name->groups, IsEmpty());
    EXPECT_THAT(aws.requests(), IsEmpty());
}

TEST_F(AutoScalingCalls, DescribeFiveHundredNamedGroupsInFiveRequests) {
    aws.on("DescribeAutoScalingGroups", groups_response(""));
    ASSERT_TRUE(aws.run(api.describe_groups(numbered_names(500))));
    ASSERT_THAT(aws.requests(), SizeIs(5));
    for (const AwsRequest& one : aws.requests()) {
        EXPECT_THAT(one.parameters, SizeIs(101));
        EXPECT_THAT(one.parameters, Contains(Pair("MaxRecords", "100")));
    }
    EXPECT_EQ(aws.requests()[0].parameters.at("AutoScalingGroupNames.member.1"), "group-1000");
    EXPECT_EQ(aws.requests()[4].parameters.at("AutoScalingGroupNames.member.100"), "group-1499");
}

TEST_F(AutoScalingCalls, SplitNamesIntoRequestsOfOneHundred) {
    aws.on("DescribeAutoScalingGroups", groups_response(""));
    ASSERT_TRUE(aws.run(api.describe_groups(numbered_names(100))));
    EXPECT_THAT(aws.requests(), SizeIs(1));
    ASSERT_TRUE(aws.run(api.describe_groups(numbered_names(101))));
    EXPECT_THAT(aws.requests(), SizeIs(3));
}

TEST_F(AutoScalingCalls, RequestADuplicateNameOnce) {
    aws.on("DescribeAutoScalingGroups", groups_response(group_member("a")));
    const auto read = aws.run(api.describe_groups({"a", "a"}));
    EXPECT_THAT(aws.parameters(), SizeIs(2));
    EXPECT_THAT(names_of(*read), ElementsAre("a"));
}

TEST_F(AutoScalingCalls, FollowPagesAndSortGroupsByName) {
    aws.file("DescribeAutoScalingGroups", "groups_page_1.xml")
        .file("DescribeAutoScalingGroups", "groups_page_2.xml");
    const auto read = aws.run(api.find_groups({{.key = "a"}}));
    ASSERT_TRUE(read) << read.error();
    EXPECT_THAT(names_of(*read), ElementsAre("abis", "batch", "classic", "spot-web"));
    EXPECT_THAT(read->unreadable, IsEmpty());
    ASSERT_THAT(aws.requests(), SizeIs(2));
    EXPECT_THAT(aws.requests()[0].parameters, Not(Contains(Pair("NextToken", ::testing::_))));
    EXPECT_EQ(aws.requests()[1].parameters.at("NextToken"), "Zm9vL2Jhcis9PQ==");
    EXPECT_EQ(aws.requests()[1].parameters.at("Filters.member.1.Name"), "tag-key");
}

TEST_F(AutoScalingCalls, FailTheListIfAPageCannotBeRead) {
    aws.on("DescribeAutoScalingGroups", groups_response(group_member("a"), "more"))
        .on("DescribeAutoScalingGroups", query_error("ValidationError", "no"), 400);
    const auto read = aws.run(api.find_groups({{.key = "a"}}));
    ASSERT_FALSE(read);
    EXPECT_EQ(read.error().code, ErrorCode::invalid_argument);
    EXPECT_THAT(read.error().message, HasSubstr("autoscaling:DescribeAutoScalingGroups"));
}

TEST_F(AutoScalingCalls, StopAtARepeatedPageToken) {
    aws.on("DescribeAutoScalingGroups", groups_response(group_member("a"), "same"));
    const auto read = aws.run(api.find_groups({{.key = "a"}}));
    ASSERT_FALSE(read);
    EXPECT_EQ(read.error().code, ErrorCode::unavailable);
    EXPECT_THAT(aws.requests(), SizeIs(2));
}

TEST_F(AutoScalingCalls, ReturnAGroupOnTwoPagesOnce) {
    aws.on("DescribeAutoScalingGroups", groups_response(group_member("a"), "more"))
        .on("DescribeAutoScalingGroups", groups_response(group_member("a") + group_member("b")));
    EXPECT_THAT(names_of(*aws.run(api.find_groups({{.key = "a"}}))), ElementsAre("a", "b"));
}

TEST_F(AutoScalingCalls, SkipOnlyTheGroupThatCannotBeRead) {
    aws.on("DescribeAutoScalingGroups",
           groups_response(group_member("b") +
                           "<member><AutoScalingGroupName>c</AutoScalingGroupName></member>" +
                           group_member("a")));
    const auto read = aws.run(api.find_groups({{.key = "a"}}));
    ASSERT_TRUE(read) << read.error();
    EXPECT_THAT(names_of(*read), ElementsAre("a", "b"));
    ASSERT_THAT(read->unreadable, SizeIs(1));
    EXPECT_EQ(read->unreadable[0].subject, "c");
    EXPECT_EQ(read->unreadable[0].code, ErrorCode::unavailable);
    EXPECT_THAT(read->unreadable[0].message, AllOf(HasSubstr("group c"), HasSubstr("MinSize")));
}

TEST_F(AutoScalingCalls, ReturnTheNewestActivitiesFirst) {
    aws.file("DescribeScalingActivities", "activities.xml");
    const auto read = aws.run(api.describe_activities("spot-web", std::nullopt));
    ASSERT_TRUE(read) << read.error();
    ASSERT_THAT(*read, SizeIs(3));
    EXPECT_EQ(read->at(0).status_code, "Failed");
    EXPECT_THAT(read->at(0).status_message, HasSubstr("sufficient m5.xlarge capacity"));
    EXPECT_FALSE(read->at(1).ended);
    EXPECT_EQ(aws.parameters(),
              (Labels{{"AutoScalingGroupName", "spot-web"}, {"MaxRecords", "100"}}));
}

TEST_F(AutoScalingCalls, SkipActivitiesBeforeTheGivenTime) {
    // The response ignores the filter.
    aws.file("DescribeScalingActivities", "activities.xml");
    const Time since = Time(std::chrono::sys_days(std::chrono::year(2026) / 11 / 26)) +
                       std::chrono::hours(3) + std::chrono::minutes(59);
    const auto read = aws.run(api.describe_activities("spot-web", since));
    ASSERT_TRUE(read);
    EXPECT_THAT(*read, SizeIs(2));
    EXPECT_EQ(aws.parameters().at("Filters.member.1.Name"), "StartTimeLowerBound");
    EXPECT_EQ(aws.parameters().at("Filters.member.1.Values.member.1"), "2026-11-26T03:59:00Z");
}

TEST_F(AutoScalingCalls, ReadAtMostOneHundredActivities) {
    const std::string page_end =
        "</Activities><NextToken>more</NextToken>"
        "</DescribeScalingActivitiesResult></DescribeScalingActivitiesResponse>";
    std::string page =
        "<DescribeScalingActivitiesResponse><DescribeScalingActivitiesResult>"
        "<Activities>";
    for (int i = 0; i < 60; ++i) page += "<member><StatusCode>Failed</StatusCode></member>";
    aws.on("DescribeScalingActivities", page + page_end);
    const auto read = aws.run(api.describe_activities("a", std::nullopt));
    ASSERT_TRUE(read);
    EXPECT_THAT(*read, SizeIs(100));
    EXPECT_THAT(aws.requests(), SizeIs(2));
}

TEST_F(AutoScalingCalls, DescribeFiftyLaunchConfigurationsPerRequest) {
    aws.file("DescribeLaunchConfigurations", "launch_configurations.xml");
    const auto read = aws.run(api.describe_launch_configurations(numbered_names(51)));
    ASSERT_TRUE(read) << read.error();
    ASSERT_THAT(aws.requests(), SizeIs(2));
    EXPECT_THAT(aws.requests()[0].parameters, SizeIs(51));
    EXPECT_EQ(aws.requests()[0].parameters.at("MaxRecords"), "50");
    const LaunchTemplateData& data = read->at("classic-20260101");
    EXPECT_EQ(data.instance_type, "c4.xlarge");
    EXPECT_TRUE(data.spot);
    EXPECT_EQ(data.spot_max_price, "0.05");
    EXPECT_THAT(data.block_devices, ElementsAre(BlockDevice{"/dev/xvda", 50, "gp2", "snap-1"}));
}

TEST_F(AutoScalingCalls, SetDesiredCapacityWithoutWaitingForACooldown) {
    aws.file("SetDesiredCapacity", "set_desired_capacity.xml");
    ASSERT_TRUE(aws.run(api.set_desired_capacity("web", 0)));
    EXPECT_EQ(aws.parameters(), (Labels{{"AutoScalingGroupName", "web"},
                                        {"DesiredCapacity", "0"},
                                        {"HonorCooldown", "false"}}));
}

TEST_F(AutoScalingCalls, TerminateWithOrWithoutDecrement) {
    for (const bool decrement : {true, false}) {
        aws.file("TerminateInstanceInAutoScalingGroup", "terminate.xml");
        const auto message = aws.run(api.terminate_instance("i-00000000000000001", decrement));
        ASSERT_TRUE(message) << message.error();
        EXPECT_EQ(*message, "Terminating EC2 instance: i-00000000000000001");
        EXPECT_EQ(aws.requests().back().parameters,
                  (Labels{{"InstanceId", "i-00000000000000001"},
                          {"ShouldDecrementDesiredCapacity", decrement ? "true" : "false"}}));
    }
}

TEST_F(AutoScalingCalls, SendATerminationOnceIfItsResultIsUnknown) {
    // Repeated, it might lower the desired capacity twice.
    aws.on("TerminateInstanceInAutoScalingGroup", "", 500);
    EXPECT_FALSE(aws.run(api.terminate_instance("i-1", true)));
    EXPECT_THAT(aws.requests(), SizeIs(1));
}

TEST_F(AutoScalingCalls, SetDesiredCapacityOnceEvenAfterARefusal) {
    for (const int status : {400, 500}) {
        aws.on("SetDesiredCapacity", query_error("Throttling", "Rate exceeded"), status);
        const auto set = aws.run(api.set_desired_capacity("web", 3));
        EXPECT_EQ(set.error().code, ErrorCode::throttled) << "AWS did not apply it";
    }
    aws.on("SetDesiredCapacity", "", 500);
    EXPECT_EQ(aws.run(api.set_desired_capacity("web", 3)).error().code, ErrorCode::deadline);
    EXPECT_THAT(aws.requests(), SizeIs(3));
}

TEST_F(AutoScalingCalls, ProtectFiftyInstancesPerRequest) {
    aws.file("SetInstanceProtection", "set_instance_protection.xml");
    ASSERT_TRUE(aws.run(api.set_instance_protection("web", numbered_names(51), true)));
    ASSERT_THAT(aws.requests(), SizeIs(2));
    EXPECT_THAT(aws.requests()[0].parameters, SizeIs(52));
    EXPECT_EQ(aws.requests()[1].parameters,
              (Labels{{"AutoScalingGroupName", "web"},
                      {"InstanceIds.member.1", numbered_names(51)[50]},
                      {"ProtectedFromScaleIn", "true"}}));
}

AutoScalingApi::NewGroup new_group(bool spot) {
    return {.name = "made",
            .launch_template = {.id = "lt-1", .name = "made", .version = "1"},
            .subnets = {"subnet-a", "subnet-b"},
            .min = 0,
            .max = 7,
            .desired = 1,
            .tags = {{"owner", "capstan"}},
            .propagated_tags = {{"Name", ""}},
            .spot = spot,
            .instance_type = "m5.large"};
}

TEST_F(AutoScalingCalls, CreateAnOnDemandGroupFromALaunchTemplate) {
    aws.file("CreateAutoScalingGroup", "create_group.xml");
    ASSERT_TRUE(aws.run(api.create_group(new_group(false))));
    EXPECT_EQ(aws.parameters(), (Labels{{"AutoScalingGroupName", "made"},
                                        {"LaunchTemplate.LaunchTemplateId", "lt-1"},
                                        {"LaunchTemplate.Version", "1"},
                                        {"MinSize", "0"},
                                        {"MaxSize", "7"},
                                        {"DesiredCapacity", "1"},
                                        {"VPCZoneIdentifier", "subnet-a,subnet-b"},
                                        {"Tags.member.1.ResourceId", "made"},
                                        {"Tags.member.1.ResourceType", "auto-scaling-group"},
                                        {"Tags.member.1.Key", "owner"},
                                        {"Tags.member.1.Value", "capstan"},
                                        {"Tags.member.1.PropagateAtLaunch", "false"},
                                        {"Tags.member.2.ResourceId", "made"},
                                        {"Tags.member.2.ResourceType", "auto-scaling-group"},
                                        {"Tags.member.2.Key", "Name"},
                                        {"Tags.member.2.Value", ""},
                                        {"Tags.member.2.PropagateAtLaunch", "true"}}));
}

TEST_F(AutoScalingCalls, CreateASpotGroupWithAMixedInstancesPolicy) {
    aws.file("CreateAutoScalingGroup", "create_group.xml");
    ASSERT_TRUE(aws.run(api.create_group(new_group(true))));
    const Labels parameters = aws.parameters();
    const std::string policy = "MixedInstancesPolicy.";
    EXPECT_EQ(parameters.count("LaunchTemplate.LaunchTemplateId"), 0U);
    EXPECT_EQ(parameters.at(policy + "LaunchTemplate.LaunchTemplateSpecification.LaunchTemplateId"),
              "lt-1");
    EXPECT_EQ(parameters.at(policy + "LaunchTemplate.Overrides.member.1.InstanceType"), "m5.large");
    EXPECT_EQ(parameters.at(policy + "InstancesDistribution.OnDemandBaseCapacity"), "0");
    EXPECT_EQ(parameters.at(policy + "InstancesDistribution.OnDemandPercentageAboveBaseCapacity"),
              "0");
}

TEST_F(AutoScalingCalls, DeleteAGroupOnlyIfItIsEmpty) {
    aws.on("DeleteAutoScalingGroup",
           query_error("ResourceInUse",
                       "You cannot delete an AutoScalingGroup while there are "
                       "instances or pending Spot instance request(s) still in "
                       "the group."),
           400);
    const auto deleted = aws.run(api.delete_group("made"));
    ASSERT_FALSE(deleted);
    EXPECT_EQ(deleted.error().code, ErrorCode::conflict);
    EXPECT_EQ(aws.parameters(),
              (Labels{{"AutoScalingGroupName", "made"}, {"ForceDelete", "false"}}));
}

TEST_F(AutoScalingCalls, KeepUserDataOutOfLogsAndErrors) {
    const std::string secret = "IyEvYmluL3NoCmV4cG9ydCBUT0tFTj1odW50ZXIyCg==";
    std::string body = response_file("launch_configurations.xml");
    ASSERT_THAT(body, HasSubstr(secret));
    aws.on("DescribeLaunchConfigurations", body);
    EXPECT_EQ(aws.run(api.describe_launch_configurations({"a"}))->begin()->second.user_data,
              secret);
    // Truncated inside the user data, and with an invalid volume size.
    aws.on("DescribeLaunchConfigurations", body.substr(0, body.find(secret) + 20));
    const auto cut = aws.run(api.describe_launch_configurations({"a"}));
    ASSERT_FALSE(cut);
    body.replace(body.find("<VolumeSize>50"), 14, "<VolumeSize>5O");
    aws.on("DescribeLaunchConfigurations", body);
    const auto malformed = aws.run(api.describe_launch_configurations({"a"}));
    ASSERT_FALSE(malformed);
    for (const std::string& message : {cut.error().message, malformed.error().message, aws.log()}) {
        EXPECT_THAT(message, Not(HasSubstr(secret.substr(0, 16)))) << message;
    }
    EXPECT_THAT(malformed.error().message, HasSubstr("5O"));
}

}  // namespace
}  // namespace capstan::aws
