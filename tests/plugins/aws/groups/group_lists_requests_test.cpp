// The number of requests of a refresh.
#include <gmock/gmock.h>

#include "account.hpp"

namespace capstan::aws {
namespace {

using std::chrono::minutes;

struct Large : Account {
    explicit Large(int groups, int machines = 0) {
        for (int i = 0; i < groups; ++i) add("group-" + std::to_string(1000 + i), machines);
    }
    /// The number of requests, without those for addresses: see instance_addresses_test.cpp.
    int calls() const { return aws.calls() - aws.calls("DescribeInstances"); }
    FakeGroup& group(int i) { return aws.groups.at("group-" + std::to_string(1000 + i)); }
    /// The number of requests of the next pass.
    int calls_of_next(Duration by = std::chrono::seconds(10)) {
        aws.forget_calls();
        const auto view = next(by);
        EXPECT_TRUE(view) << view.error();
        return calls();
    }
};

TEST(AwsRequestCounts, FiveListFiveHundredGroups) {
    Large account(500, 10);
    const auto view = account.refresh();
    ASSERT_TRUE(view) << view.error();
    EXPECT_EQ(view->groups.size(), 500u);
    EXPECT_EQ(view->machines.size(), 5000u);
    EXPECT_EQ(account.calls(), 5);
}

TEST(AwsRequestCounts, NoneReadIdleGroupsUntilTheListIsOld) {
    Large account(500, 1);
    ASSERT_TRUE(account.refresh());
    for (int pass = 0; pass < 5; ++pass) EXPECT_EQ(account.calls_of_next(), 0);
    EXPECT_EQ(account.calls_of_next(), 5);
}

TEST(AwsRequestCounts, OneReadsOneHundredChangingGroups) {
    Large account(500, 1);
    ASSERT_TRUE(account.refresh());
    for (int i = 0; i < 150; ++i) account.group(i).instances[0].state = "Terminating";
    for (int i = 0; i < 150; ++i) account.group(i).desired = 0;
    EXPECT_EQ(account.calls_of_next(minutes(1)), 5);
    EXPECT_EQ(account.calls_of_next(), 2);
    for (int i = 0; i < 150; ++i) account.group(i).instances.clear();
    EXPECT_EQ(account.calls_of_next(), 2);
    EXPECT_EQ(account.calls_of_next(), 0) << "they are idle again";
}

TEST(AwsRequestCounts, ThreeMakeAnIncreaseAndOneFollowsInTheNextPass) {
    Large account(500, 1);
    ASSERT_TRUE(account.refresh());
    account.aws.forget_calls();
    const Resize request{.group = NodeGroupId("group-1003"), .delta = 1, .expected_target = 1};
    ASSERT_TRUE(testing::run(account.host, account.cloud().increase(request)));
    EXPECT_EQ(account.calls(), 3)
        << "the group and its activities are read before its capacity is set";
    account.aws.launch("group-1003");
    EXPECT_EQ(account.calls_of_next(), 1);
    EXPECT_EQ(account.aws.requests("DescribeAutoScalingGroups")
                  .at(0)
                  .at("AutoScalingGroupNames.member.1"),
              "group-1003");
}

TEST(AwsRequestCounts, OneListsOneHundredNamedGroups) {
    Large account(250);
    account.config.discovery.clear();
    for (const auto& [name, group] : account.aws.groups)
        account.config.groups.push_back({0, 5, name});
    ASSERT_TRUE(account.refresh());
    EXPECT_EQ(account.calls(), 3);
}

TEST(AwsRequestCounts, AnUnchangedViewIsNotMadeAgain) {
    Large account(3, 1);
    ASSERT_TRUE(account.refresh());  // followed by the addresses of the instances
    const auto first = testing::run(account.host, account.cloud().refresh({}));
    const auto second = testing::run(account.host, account.cloud().refresh({}));
    EXPECT_EQ(&first->raw(), &second->raw());
}

TEST(AwsRequestCounts, TemplatesOfFiveHundredSimilarGroupsAreReadOnce) {
    Large account(500);
    ASSERT_TRUE(account.refresh());
    account.aws.forget_calls();
    for (const auto& [name, group] : account.aws.groups)
        ASSERT_TRUE(testing::run(account.host, account.cloud().describe(NodeGroupId(name))));
    EXPECT_EQ(account.aws.calls("DescribeLaunchTemplateVersions"), 1);
    EXPECT_EQ(account.aws.calls("DescribeImages"), 1);
    EXPECT_EQ(account.aws.calls("DescribeInstanceTypes"), 1);
    EXPECT_EQ(account.calls(), 3);
}

TEST(AwsRequestCounts, OneReadsFiftyLaunchConfigurations) {
    Large account(120);
    int number = 0;
    for (auto& [name, group] : account.aws.groups)
        group.launch_configuration = "lc-" + std::to_string(++number);
    ASSERT_TRUE(account.refresh());
    for (const auto& [name, group] : account.aws.groups)
        ASSERT_TRUE(testing::run(account.host, account.cloud().describe(NodeGroupId(name))));
    EXPECT_EQ(account.aws.calls("DescribeLaunchConfigurations"), 3);
}

TEST(AwsRequestCounts, OneProbesWhileAwsThrottles) {
    Large account(500, 1);
    ASSERT_TRUE(account.refresh());
    account.host.advance(minutes(2));
    account.aws.refuse("DescribeAutoScalingGroups", "Throttling", "Rate exceeded", 2);
    account.aws.forget_calls();
    for (int pass = 1; pass <= 2; ++pass) {
        const auto view = account.refresh({.probe = true});
        ASSERT_FALSE(view);
        EXPECT_EQ(view.error().code, ErrorCode::throttled);
        EXPECT_EQ(account.calls(), pass);
    }
    ASSERT_TRUE(account.refresh({.probe = true}));
    EXPECT_EQ(account.calls(), 2 + 1 + 5) << "then all groups are listed";
}

TEST(AwsRequestCounts, AThrottledReadOfChangingGroupsThrottlesTheRefresh) {
    Account account;
    FakeGroup& group = account.add("web", 1);
    ASSERT_TRUE(account.refresh());
    group.desired = 2;
    ASSERT_TRUE(account.next(minutes(1)));
    account.aws.refuse("DescribeAutoScalingGroups", "Throttling", "Rate exceeded", 100);
    const auto view = account.next();
    ASSERT_FALSE(view);
    EXPECT_EQ(view.error().code, ErrorCode::throttled);
}

}  // namespace
}  // namespace capstan::aws
