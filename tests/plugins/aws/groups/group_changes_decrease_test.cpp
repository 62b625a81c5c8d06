// Decreases cancel unfulfilled requests and terminate no instance.
#include <gmock/gmock.h>

#include "account.hpp"

namespace capstan::aws {
namespace {

using std::chrono::minutes;
using std::chrono::seconds;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

/// A group with three instances and a desired capacity of six, read a while after its last launch.
struct UnfulfilledAccount : Account {
    explicit UnfulfilledAccount(bool protects_new = true) {
        add("web").protects_new = protects_new;
        group().desired = 3;
        aws.launch("web");
        group().desired = 6;
        std::ignore = refresh();
        std::ignore = next(minutes(3));
    }
    FakeGroup& group() { return aws.groups.at("web"); }
    int sets() const { return aws.calls("SetDesiredCapacity"); }
    /// The message of the conflict that refuses a decrease by one.
    std::string conflict() {
        const auto lowered = decrease(1, 6);
        if (lowered) return "it was taken back";
        EXPECT_EQ(lowered.error().code, ErrorCode::conflict) << lowered.error();
        EXPECT_EQ(sets(), 0);
        return lowered.error().message;
    }
    std::vector<bool> protection() {
        std::vector<bool> out;
        for (const FakeInstance& each : group().instances) out.push_back(each.is_protected);
        return out;
    }
};

TEST(AwsDecrease, CancelsRequestedInstances) {
    UnfulfilledAccount account;
    EXPECT_EQ(*account.decrease(2, 6), Resized{4});
    EXPECT_EQ(account.group().desired, 4);
    EXPECT_EQ(account.sets(), 1);
}

TEST(AwsDecrease, CancelsSeveralPlaceholdersWithOneChange) {
    UnfulfilledAccount account;
    const auto removed = account.remove(
        {"i-placeholder-web-4", "i-placeholder-web-5", "i-placeholder-web-5", id_of("i-2")});
    ASSERT_TRUE(removed) << removed.error();
    EXPECT_THAT(removed->failed, IsEmpty());
    EXPECT_EQ(account.group().desired, 3);
    EXPECT_EQ(account.sets(), 1);
}

TEST(AwsDecrease, AcceptsAPlaceholderThatIsNoLongerListed) {
    UnfulfilledAccount account;
    EXPECT_THAT(account.remove({"i-placeholder-web-6"})->failed, IsEmpty());
    const auto removed = account.remove({"i-placeholder-web-2"});
    ASSERT_THAT(removed->failed, SizeIs(1));
    EXPECT_EQ(removed->failed[0].subject, "i-placeholder-web-2");
    EXPECT_EQ(removed->failed[0].code, ErrorCode::conflict) << "the instance exists";
    EXPECT_EQ(account.sets(), 0);
}

TEST(AwsDecrease, WaitsUntilTheLastChangeIsListed) {
    UnfulfilledAccount account;
    account.aws.lag(true);
    ASSERT_TRUE(account.increase(2, 6));
    ASSERT_TRUE(account.next());
    const auto lowered = account.decrease(1, 8, 6);
    ASSERT_FALSE(lowered);
    EXPECT_EQ(lowered.error().code, ErrorCode::conflict);
    EXPECT_THAT(
        lowered.error().message,
        HasSubstr("target cannot be lowered now: the last change is not listed by AWS yet"));
    EXPECT_EQ(account.remove({"i-placeholder-web-5"})->failed.at(0).code, ErrorCode::conflict);
    account.aws.lag(false);
    EXPECT_TRUE(account.decrease(1, 8, 6));
    EXPECT_EQ(account.group().desired, 7);
}

TEST(AwsDecrease, WaitsWhileATerminatedInstanceIsListed) {
    UnfulfilledAccount account;
    account.aws.lag(true);
    ASSERT_THAT(account.remove({id_of("i-1")})->failed, IsEmpty());
    EXPECT_FALSE(account.decrease(1, 5, 6));
    EXPECT_THAT(account.remove({"i-placeholder-web-5"})->failed, SizeIs(1));
    EXPECT_EQ(account.group().desired, 5);
}

TEST(AwsDecrease, WaitsWhileALaunchIsRunning) {
    UnfulfilledAccount account;
    account.aws.note("web", "Launching a new EC2 instance", "InProgress");
    account.host.advance(seconds(12));
    EXPECT_THAT(account.conflict(), HasSubstr("AWS started to launch an instance 12s ago"));
    account.host.advance(minutes(2));
    EXPECT_TRUE(account.decrease(1, 6)) << "a launch that takes two minutes is ignored";
}

TEST(AwsDecrease, WaitsUntilALaunchedInstanceIsListed) {
    UnfulfilledAccount account;
    account.aws.note("web", "Launching a new EC2 instance: i-77", "Successful");
    EXPECT_THAT(account.conflict(), HasSubstr("that it does not list yet"));
}

TEST(AwsDecrease, WaitsIfThereAreMoreInstancesThanExpected) {
    UnfulfilledAccount account;
    account.group().instances.push_back({.id = "i-77"});
    EXPECT_THAT(account.conflict(), HasSubstr("it has 4 instances, the request expects 3"));
    ASSERT_TRUE(account.next());
    EXPECT_TRUE(account.decrease(1, 6)) << "the next pass includes it";
}

TEST(AwsDecrease, WaitsIfALaunchBeganAfterTheDecision) {
    UnfulfilledAccount account;
    account.host.advance(seconds(1));
    account.group().instances.erase(account.group().instances.begin());
    account.group().instances.push_back({.id = "i-77"});
    account.aws.note("web", "Launching a new EC2 instance: i-77", "Successful");
    EXPECT_THAT(account.conflict(), HasSubstr("after the request was decided"));
}

TEST(AwsDecrease, NeverGoesBelowTheNumberOfInstances) {
    UnfulfilledAccount account;
    const auto lowered = account.decrease(4, 6);
    ASSERT_FALSE(lowered);
    EXPECT_EQ(lowered.error().code, ErrorCode::conflict) << "a race, not an invalid request";
    EXPECT_EQ(account.group().desired, 6);
}

TEST(AwsDecrease, ReadsTheGroupAgainBeforeARetry) {
    UnfulfilledAccount account;
    account.aws.refuse("SetDesiredCapacity", "Throttling", "Rate exceeded");
    account.aws.forget_calls();
    ASSERT_TRUE(account.decrease(1, 6));
    EXPECT_EQ(account.sets(), 2);
    EXPECT_EQ(account.aws.calls("DescribeAutoScalingGroups"), 2);
    EXPECT_EQ(account.aws.calls("DescribeScalingActivities"), 2);
}

TEST(AwsDecrease, NeedsPermissionForActivitiesUnlessAllInstancesAreProtected) {
    for (const bool protects_new : {true, false}) {
        UnfulfilledAccount account(protects_new);
        account.aws.refuse("DescribeScalingActivities", "AccessDenied", "not allowed");
        const auto lowered = account.decrease(1, 6);
        EXPECT_EQ(lowered.has_value(), protects_new);
        if (!lowered) EXPECT_EQ(lowered.error().code, ErrorCode::permission);
    }
}

TEST(AwsDecrease, NeedsNoOtherRequestIfAllInstancesAreProtected) {
    UnfulfilledAccount account;
    account.aws.forget_calls();
    ASSERT_TRUE(account.decrease(1, 6));
    EXPECT_EQ(account.aws.calls(), 3);
}

TEST(AwsDecrease, ProtectsListedInstancesDuringTheChange) {
    UnfulfilledAccount account(false);
    account.group().instances[1].is_protected = true;  // by an administrator
    account.aws.forget_calls();
    ASSERT_TRUE(account.decrease(1, 6));
    EXPECT_EQ(account.group().desired, 5);
    EXPECT_THAT(account.protection(), ElementsAre(true, true, true));
    const auto requests = account.aws.requests("SetInstanceProtection");
    ASSERT_THAT(requests, SizeIs(1));
    EXPECT_EQ(requests[0].at("InstanceIds.member.1"), "i-1");
    EXPECT_EQ(requests[0].at("InstanceIds.member.2"), "i-3");
    EXPECT_EQ(account.aws.calls("DescribeAutoScalingGroups"), 2) << "the calls took time";
}

TEST(AwsDecrease, EndsOnlyTheProtectionSetByThePlugin) {
    for (const bool restarts : {false, true}) {
        UnfulfilledAccount account(false);
        account.group().instances[1].is_protected = true;  // by an administrator
        ASSERT_TRUE(account.decrease(1, 6));
        if (restarts) {
            account.restart();
            ASSERT_TRUE(account.refresh());
        }
        ASSERT_TRUE(account.next(minutes(1)));
        EXPECT_THAT(account.protection(), ElementsAre(true, true, true))
            << "AWS may be terminating instances";
        ASSERT_TRUE(account.next(minutes(1)));
        EXPECT_THAT(account.protection(), ElementsAre(false, true, false)) << restarts;
        account.aws.forget_calls();
        ASSERT_TRUE(account.next(minutes(5)));
        EXPECT_EQ(account.aws.calls("SetInstanceProtection"), 0);
        EXPECT_EQ(account.host.state("protected_instances")->value, "{}");
    }
}

TEST(AwsDecrease, KeepsProtectionWhileTheGroupIsAboveItsDesiredCapacity) {
    UnfulfilledAccount account(false);
    ASSERT_TRUE(account.decrease(3, 6));
    account.group().instances.push_back({.id = "i-77"});
    ASSERT_TRUE(account.next(minutes(3)));
    EXPECT_THAT(account.protection(), ElementsAre(true, true, true, true));
    account.group().instances.pop_back();
    ASSERT_TRUE(account.next(minutes(1)));
    EXPECT_THAT(account.protection(), ElementsAre(false, false, false));
}

TEST(AwsDecrease, KeepsProtectionForTwoMinutesAfterTheLastDecrease) {
    UnfulfilledAccount account(false);
    ASSERT_TRUE(account.decrease(1, 6));
    ASSERT_TRUE(account.next(seconds(100)));
    account.group().protects_new = true;
    ASSERT_TRUE(account.next());
    ASSERT_TRUE(account.decrease(1, 5));
    ASSERT_TRUE(account.next(minutes(1)));
    EXPECT_THAT(account.protection(), ElementsAre(true, true, true));
    ASSERT_TRUE(account.next(minutes(1)));
    EXPECT_THAT(account.protection(), ElementsAre(false, false, false));
}

TEST(AwsDecrease, EndsProtectionLaterIfItFails) {
    UnfulfilledAccount account(false);
    ASSERT_TRUE(account.decrease(1, 6));
    account.aws.refuse("SetInstanceProtection", "ValidationError", "not now");
    ASSERT_TRUE(account.next(minutes(2)));
    EXPECT_THAT(account.protection(), ElementsAre(true, true, true));
    EXPECT_THAT(account.warnings(), ElementsAre(HasSubstr("cannot end the scale-in protection")));
    ASSERT_TRUE(account.next(minutes(2)));
    EXPECT_THAT(account.protection(), ElementsAre(false, false, false));
}

TEST(AwsDecrease, DoesNotLowerTheTargetIfProtectionFails) {
    UnfulfilledAccount account(false);
    account.aws.refuse("SetInstanceProtection", "ValidationError", "i-1 is not part of the group");
    EXPECT_FALSE(account.decrease(1, 6));
    EXPECT_EQ(account.sets(), 0);
}

/// Instances are not protected, and protecting them is refused.
struct Unprotected : UnfulfilledAccount {
    Unprotected() : UnfulfilledAccount(false) {
        aws.refuse("SetInstanceProtection", "AccessDenied", "not allowed", 1, 403);
    }
};

TEST(AwsDecrease, WaitsForAMinuteWithoutActivitiesIfProtectionIsNotAllowed) {
    Unprotected account;
    account.aws.fail_launch("web", "no capacity");
    account.host.advance(seconds(59));
    EXPECT_THAT(account.conflict(), HasSubstr("the last scaling activity was 59s ago and "
                                              "instances are not protected from scale-in"));
    account.host.advance(seconds(2));
    EXPECT_TRUE(account.decrease(1, 6));
    EXPECT_EQ(account.aws.calls("SetInstanceProtection"), 1) << "the refusal is remembered";
    EXPECT_THAT(account.warnings(),
                ElementsAre(HasSubstr("cannot protect instances from scale-in")));
}

TEST(AwsDecrease, ProtectsNothingWithoutState) {
    Account account;
    account.host.withhold("capstan.state/1");
    account.add("web").protects_new = false;
    account.aws.groups.at("web").desired = 1;
    account.aws.launch("web");
    account.aws.groups.at("web").desired = 2;
    ASSERT_TRUE(account.refresh());
    ASSERT_TRUE(account.next(minutes(3)));
    EXPECT_TRUE(account.decrease(1, 2));
    EXPECT_EQ(account.aws.calls("SetInstanceProtection"), 0);
}

TEST(AwsDecrease, WaitsForAnInstanceThatCannotBeProtectedYet) {
    UnfulfilledAccount account(false);
    account.group().instances[0].state = "Pending:Wait";
    account.aws.fail_launch("web", "no capacity");
    ASSERT_TRUE(account.next());
    EXPECT_THAT(account.conflict(), HasSubstr("not protected from scale-in"));
    EXPECT_EQ(account.aws.calls("SetInstanceProtection"), 0);
}

TEST(AwsDecrease, ReportsHowLongTargetsLag) {
    UnfulfilledAccount account;
    EXPECT_EQ(account.refresh()->target_lag, minutes(2));
}

}  // namespace
}  // namespace capstan::aws
