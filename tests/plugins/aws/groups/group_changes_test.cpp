// Increases and removals with lost responses, lagging lists, and other clients that change the
// group.
#include <gmock/gmock.h>

#include <capstan/gather.hpp>

#include "account.hpp"

namespace capstan::aws {
namespace {

using std::chrono::minutes;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

/// A group of three instances after a refresh.
struct Grown : Account {
    Grown() {
        add("web", 3);
        std::ignore = refresh();
    }
    FakeGroup& group() { return aws.groups.at("web"); }
};

TEST(AwsChanges, IncreaseSetsAndReturnsTheDesiredCapacity) {
    Grown account;
    const auto grown = account.increase(2, 3);
    ASSERT_TRUE(grown) << grown.error();
    EXPECT_EQ(*grown, Resized{5});
    EXPECT_EQ(account.group().desired, 5);
    const auto requests = account.aws.requests("SetDesiredCapacity");
    EXPECT_EQ(requests.at(0).at("HonorCooldown"), "false");
    EXPECT_EQ(account.next()->groups[0].target, 5) << "the next pass reads the group again";
}

TEST(AwsChanges, IncreaseWithAnUnexpectedTargetIsAConflict) {
    Grown account;
    account.group().desired = 4;
    const auto grown = account.increase(2, 3);
    ASSERT_FALSE(grown);
    EXPECT_EQ(grown.error().code, ErrorCode::conflict);
    EXPECT_THAT(grown.error().message, HasSubstr("its target is 4, and 3 was expected"));
    EXPECT_EQ(account.aws.calls("SetDesiredCapacity"), 0);
}

TEST(AwsChanges, KeepARaiseByAnotherClientSinceTheLastList) {
    Grown account;
    account.group().desired = 9;
    account.aws.launch("web");
    EXPECT_EQ(account.increase(1, 3).error().code, ErrorCode::conflict);
    EXPECT_EQ(account.group().desired, 9);
}

TEST(AwsChanges, NeverExceedTheMaximum) {
    Grown account;
    const auto grown = account.increase(8, 3);
    ASSERT_FALSE(grown);
    EXPECT_EQ(grown.error().code, ErrorCode::invalid_argument);
    EXPECT_EQ(account.aws.calls("SetDesiredCapacity"), 0);
    EXPECT_TRUE(account.increase(7, 3)) << "up to the maximum";
}

TEST(AwsChanges, DoNotSupportAllOrNothing) {
    Grown account;
    const Resize request{.group = web, .delta = 1, .expected_target = 3, .all_or_nothing = true};
    const auto grown = testing::run(account.host, account.cloud().increase(request));
    EXPECT_EQ(grown.error().code, ErrorCode::unsupported);
}

TEST(AwsChanges, FailForAnUnknownGroup) {
    Grown account;
    const Resize request{.group = NodeGroupId("db"), .delta = 1};
    EXPECT_EQ(testing::run(account.host, account.cloud().increase(request)).error().code,
              ErrorCode::not_found);
    const Removal removal{.group = NodeGroupId("db"), .machines = {MachineId("m")}};
    EXPECT_EQ(testing::run(account.host, account.cloud().remove(removal)).error().code,
              ErrorCode::not_found);
}

TEST(AwsChanges, RetryAThrottledIncreaseAfterAnotherRead) {
    Grown account;
    account.aws.refuse("SetDesiredCapacity", "Throttling", "Rate exceeded");
    account.aws.forget_calls();
    const auto grown = account.increase(2, 3);
    ASSERT_TRUE(grown) << grown.error();
    EXPECT_EQ(account.group().desired, 5);
    EXPECT_EQ(account.aws.calls("SetDesiredCapacity"), 2);
    EXPECT_EQ(account.aws.calls("DescribeAutoScalingGroups"), 2);
}

TEST(AwsChanges, DoNotRetryAnIncreaseWithALostResponse) {
    Grown account;
    account.aws.lose_responses("SetDesiredCapacity");
    EXPECT_EQ(account.increase(2, 3).error().code, ErrorCode::deadline);
    EXPECT_EQ(account.aws.calls("SetDesiredCapacity"), 1);
}

TEST(AwsChanges, FindALostIncreaseInTheNextPass) {
    Grown account;
    account.aws.lose_responses("SetDesiredCapacity");
    const auto grown = account.increase(2, 3, "key");
    ASSERT_FALSE(grown);
    EXPECT_EQ(grown.error().code, ErrorCode::deadline) << "its result is unknown";
    EXPECT_EQ(account.next()->groups[0].target, 5);
    EXPECT_EQ(*account.increase(2, 3, "key"), Resized{5}) << "the same request was applied";
    EXPECT_EQ(account.group().desired, 5);
}

TEST(AwsChanges, ApplyARepeatedKeyOnce) {
    Grown account;
    ASSERT_TRUE(account.increase(2, 3, "key"));
    EXPECT_EQ(*account.increase(2, 3, "key"), Resized{5});
    EXPECT_EQ(account.group().desired, 5);
    EXPECT_EQ(account.aws.calls("SetDesiredCapacity"), 1);
}

TEST(AwsChanges, IncreaseFromTheExpectedTargetWhileTheListLags) {
    Grown account;
    account.aws.lag(true);
    ASSERT_TRUE(account.increase(2, 3));
    ASSERT_TRUE(account.next());
    const auto grown = account.increase(1, 5, {}, 3);
    ASSERT_TRUE(grown) << grown.error();
    EXPECT_EQ(account.group().desired, 6);
    account.aws.lag(false);
    EXPECT_EQ(account.next()->groups[0].target, 6);
}

TEST(AwsChanges, IncreaseTerminatesNoLaunchedInstanceThatIsNotListed) {
    Grown account;
    account.aws.lag(true);
    account.group().desired = 6;  // by another client
    account.aws.launch("web");
    const auto grown = account.increase(1, 3);
    ASSERT_FALSE(grown);
    EXPECT_EQ(grown.error().code, ErrorCode::conflict);
    EXPECT_THAT(grown.error().message, HasSubstr("below its 6 machines"));
    EXPECT_EQ(account.group().desired, 6);
}

TEST(AwsChanges, IncreaseNeedsNoPermissionForActivities) {
    Grown account;
    account.aws.refuse("DescribeScalingActivities", "AccessDenied", "not allowed");
    EXPECT_TRUE(account.increase(1, 3));
    EXPECT_EQ(account.group().desired, 4);
}

TEST(AwsChanges, RemoveInstancesInParallelAndLowerTheTargetForEach) {
    Grown account;
    const auto removed = account.remove({id_of("i-1"), id_of("i-3")});
    ASSERT_TRUE(removed) << removed.error();
    EXPECT_THAT(removed->failed, IsEmpty());
    EXPECT_EQ(account.group().desired, 1);
    const auto requests = account.aws.requests("TerminateInstanceInAutoScalingGroup");
    ASSERT_THAT(requests, SizeIs(2));
    EXPECT_EQ(requests[0].at("ShouldDecrementDesiredCapacity"), "true");
    const auto view = account.next();
    EXPECT_EQ(view->groups[0].target, 1);
    EXPECT_THAT(states(*view), ElementsAre(id_of("i-1") + " deleting", id_of("i-2") + " running",
                                           id_of("i-3") + " deleting"));
    account.aws.finish("web");
    EXPECT_THAT(states(*account.next()), ElementsAre(id_of("i-2") + " running"));
}

TEST(AwsChanges, ReportAnInstanceThatAwsKeepsAndRemoveTheOthers) {
    Grown account;
    account.group().min = 2;
    const auto removed = account.remove({id_of("i-1"), id_of("i-2")}, true);
    ASSERT_TRUE(removed) << removed.error();
    ASSERT_THAT(removed->failed, SizeIs(1));
    EXPECT_EQ(removed->failed[0].subject, id_of("i-2"));
    EXPECT_EQ(removed->failed[0].code, ErrorCode::conflict);
    EXPECT_THAT(removed->failed[0].message, HasSubstr("min size constraint"));
    EXPECT_EQ(account.group().desired, 2);
}

TEST(AwsChanges, StayAboveTheMinimumUnlessForced) {
    Grown account;
    account.group().min = 2;
    ASSERT_TRUE(account.next(minutes(1)));
    const auto removed = account.remove({id_of("i-1"), id_of("i-2")});
    ASSERT_FALSE(removed);
    EXPECT_EQ(removed.error().code, ErrorCode::invalid_argument);
    EXPECT_EQ(account.aws.calls("TerminateInstanceInAutoScalingGroup"), 0);
}

TEST(AwsChanges, DoNotTerminateATerminatingInstanceAgain) {
    Grown account;
    ASSERT_TRUE(account.remove({id_of("i-1")}));
    ASSERT_TRUE(account.next());
    EXPECT_THAT(account.remove({id_of("i-1"), id_of("i-1")})->failed, IsEmpty());
    EXPECT_EQ(account.aws.calls("TerminateInstanceInAutoScalingGroup"), 1);
    EXPECT_EQ(account.group().desired, 2);
}

TEST(AwsChanges, DoNotTerminateAnInstanceAgainWhileTheListLags) {
    Grown account;
    account.aws.lag(true);
    ASSERT_TRUE(account.remove({id_of("i-1")}));
    ASSERT_TRUE(account.next());
    EXPECT_THAT(account.remove({id_of("i-1")})->failed, IsEmpty());
    EXPECT_EQ(account.group().desired, 2);
    EXPECT_TRUE(account.increase(1, 2)) << "the target does not include it";
    EXPECT_EQ(account.group().desired, 3);
}

TEST(AwsChanges, TreatAMissingInstanceAsRemoved) {
    Grown account;
    account.group().instances.erase(account.group().instances.begin());
    EXPECT_THAT(account.remove({id_of("i-1")})->failed, IsEmpty());
}

TEST(AwsChanges, FailForAnInstanceOfNoGroup) {
    Grown account;
    const auto removed = account.remove({id_of("i-77"), "no-such-machine"});
    ASSERT_THAT(removed->failed, SizeIs(2));
    EXPECT_EQ(removed->failed[0].code, ErrorCode::not_found);
    EXPECT_EQ(removed->failed[0].subject, id_of("i-77"));
}

TEST(AwsChanges, DoNotRetryATerminationWithoutAResponse) {
    Grown account;
    account.aws.lose_responses("TerminateInstanceInAutoScalingGroup");
    const auto removed = account.remove({id_of("i-1")});
    ASSERT_THAT(removed->failed, SizeIs(1));
    EXPECT_EQ(removed->failed[0].code, ErrorCode::deadline);
    EXPECT_EQ(account.group().desired, 2) << "it was applied once";
    ASSERT_TRUE(account.next());
    EXPECT_THAT(account.remove({id_of("i-1")})->failed, IsEmpty());
    EXPECT_EQ(account.group().desired, 2);
}

TEST(AwsChanges, DoNotRetryATerminationWithoutAResponseWhileTheListLags) {
    Grown account;
    account.aws.lag(true);
    account.aws.lose_responses("TerminateInstanceInAutoScalingGroup");
    EXPECT_THAT(account.remove({id_of("i-1")})->failed, SizeIs(1));
    ASSERT_TRUE(account.next());
    const auto again = account.remove({id_of("i-1")});
    ASSERT_THAT(again->failed, SizeIs(1));
    EXPECT_EQ(again->failed[0].code, ErrorCode::deadline);
    EXPECT_EQ(account.group().desired, 2) << "it was applied once";
    account.aws.lag(false);
    ASSERT_TRUE(account.next());
    EXPECT_THAT(account.remove({id_of("i-1")})->failed, IsEmpty());
    EXPECT_EQ(account.group().desired, 2);
}

TEST(AwsChanges, TerminateARemainingInstanceAgainAfterTwoMinutes) {
    Grown account;
    ASSERT_TRUE(account.remove({id_of("i-1")}));
    account.group().instances[0].state = "InService";
    ASSERT_TRUE(account.next(minutes(2)));
    ASSERT_TRUE(account.next());
    EXPECT_THAT(account.remove({id_of("i-1")})->failed, IsEmpty());
    EXPECT_EQ(account.aws.calls("TerminateInstanceInAutoScalingGroup"), 2);
}

TEST(AwsChanges, AllowARemovalAfterARaiseByAnotherClient) {
    Grown account;
    ASSERT_THAT(account.remove({id_of("i-1"), id_of("i-2"), id_of("i-3")})->failed, IsEmpty());
    account.group().desired = 6;  // before a list shows the removals
    account.aws.finish("web");
    account.aws.launch("web");
    ASSERT_TRUE(account.next());
    const auto removed = account.remove(
        {id_of("i-4"), id_of("i-5"), id_of("i-6"), id_of("i-7"), id_of("i-8"), id_of("i-9")});
    ASSERT_TRUE(removed) << removed.error();
    EXPECT_THAT(removed->failed, IsEmpty());
    EXPECT_EQ(account.group().desired, 0);
}

TEST(AwsChanges, RemoveProtectedInstancesAboveTheDesiredCapacityWithoutLoweringIt) {
    Grown account;
    account.group().desired = 1;  // AWS terminates none: all are protected from scale-in
    EXPECT_EQ(account.next(minutes(1))->groups[0].target, 3);
    ASSERT_THAT(account.remove({id_of("i-1")})->failed, IsEmpty());
    EXPECT_EQ(account.group().desired, 1);
    EXPECT_EQ(account.next()->groups[0].target, 2);
    EXPECT_EQ(*account.increase(1, 2), Resized{3});
    EXPECT_EQ(account.group().desired, 3);
}

TEST(AwsChanges, ReplaceAnInstanceIfTheTargetIsKept) {
    Grown account;
    account.group().min = 3;
    ASSERT_TRUE(account.next(minutes(1)));
    const auto removed = account.remove({id_of("i-1"), "i-placeholder-web-3"}, false, true);
    ASSERT_TRUE(removed) << removed.error();
    EXPECT_THAT(removed->failed, IsEmpty());
    EXPECT_EQ(account.aws.requests("TerminateInstanceInAutoScalingGroup")
                  .at(0)
                  .at("ShouldDecrementDesiredCapacity"),
              "false");
    EXPECT_EQ(account.group().desired, 3);
    account.aws.launch("web");
    EXPECT_EQ(account.next()->groups[0].target, 3);
}

TEST(AwsChanges, ReadAnUnlistedIncreaseAgainInTheNextPass) {
    Grown account;
    account.aws.lag(true);
    ASSERT_TRUE(account.increase(2, 3));
    ASSERT_TRUE(account.next());
    account.aws.lag(false);
    EXPECT_EQ(account.next()->groups[0].target, 5);
}

TEST(AwsChanges, AcceptTheTargetAfterAnIncreaseAndARemoval) {
    Grown account;
    ASSERT_TRUE(account.increase(1, 3));
    ASSERT_TRUE(account.remove({id_of("i-1")}));
    ASSERT_TRUE(account.next());
    EXPECT_EQ(*account.increase(1, 3), Resized{4});
    EXPECT_EQ(account.group().desired, 4);
}

Task<void> refresh_once(AwsCloud& cloud) { co_await cloud.refresh({}); }
Task<void> increase_once(AwsCloud& cloud) {
    const Resize request{.group = web, .delta = 2, .expected_target = 3};
    co_await cloud.increase(request);
}
Task<void> increase_in_parallel(AwsCloud& cloud) {
    std::vector<Task<void>> tasks;
    tasks.push_back(refresh_once(cloud));
    tasks.push_back(increase_once(cloud));
    co_await gather(std::move(tasks), 2);
}

Task<void> remove_once(AwsCloud& cloud) {
    const Removal removal{.group = web, .machines = {MachineId(id_of("i-1"))}};
    co_await cloud.remove(removal);
}

TEST(AwsChanges, AreSerializedWithinAGroup) {
    Grown account;
    account.aws.latency = std::chrono::seconds(1);
    std::vector<Task<void>> tasks;
    tasks.push_back(remove_once(account.cloud()));
    tasks.push_back(increase_once(account.cloud()));
    const auto done = testing::run(account.host, gather_results(std::move(tasks), 2));
    ASSERT_TRUE(done) << done.error();
    EXPECT_TRUE(done->at(0));
    ASSERT_FALSE(done->at(1));
    EXPECT_EQ(done->at(1).error().code, ErrorCode::conflict)
        << "the decision was based on a target of three";
    EXPECT_EQ(account.group().desired, 2);
}

TEST(AwsChanges, ReadAListAgainIfAChangeOverlappedIt) {
    Grown account;
    account.host.advance(minutes(1));
    account.aws.latency = std::chrono::seconds(5);
    const auto done = testing::run(account.host, increase_in_parallel(account.cloud()));
    ASSERT_TRUE(done) << done.error();
    EXPECT_EQ(account.group().desired, 5);
    EXPECT_EQ(account.next()->groups[0].target, 5);
}

TEST(AwsChanges, ShareOneReadAmongOverlappingRefreshes) {
    Grown account;
    account.host.advance(minutes(1));
    account.aws.latency = std::chrono::seconds(5);
    account.aws.forget_calls();
    std::vector<Task<void>> tasks;
    for (int i = 0; i < 3; ++i) tasks.push_back(refresh_once(account.cloud()));
    ASSERT_TRUE(testing::run(account.host, gather(std::move(tasks), 3)));
    EXPECT_EQ(account.aws.calls(), 1);
}

TEST(AwsChanges, FinishReadingAnAbandonedRefresh) {
    Grown account;
    account.host.advance(minutes(1));
    account.aws.latency = std::chrono::seconds(5);
    account.group().desired = 4;
    const auto late =
        testing::run(account.host, account.cloud().refresh({}), std::chrono::seconds(1));
    EXPECT_EQ(late.error().code, ErrorCode::deadline);
    account.host.advance(std::chrono::seconds(20));
    account.aws.forget_calls();
    account.aws.latency = {};
    EXPECT_EQ(account.refresh()->groups[0].target, 4);
    const auto requests = account.aws.requests("DescribeAutoScalingGroups");
    ASSERT_THAT(requests, SizeIs(1));
    EXPECT_EQ(requests[0].count("Filters.member.1.Name"), 0u) << "only the changing group";
}

TEST(AwsChanges, DoNotRemoveAStandbyInstance) {
    Grown account;
    account.group().instances[0].state = "Standby";
    account.group().desired = 2;
    ASSERT_TRUE(account.next(minutes(1)));
    const auto removed = account.remove({id_of("i-1")});
    ASSERT_THAT(removed->failed, SizeIs(1));
    EXPECT_THAT(removed->failed[0].message, HasSubstr("Standby"));
    EXPECT_EQ(account.aws.calls("TerminateInstanceInAutoScalingGroup"), 0);
}

}  // namespace
}  // namespace capstan::aws
