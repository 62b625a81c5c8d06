// Failed launches as errors of requested machines.
#include "groups/failed_activities.hpp"

#include <gmock/gmock.h>

#include "account.hpp"

namespace capstan::aws {
namespace {

using std::chrono::minutes;
using std::chrono::seconds;
using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

constexpr const char* no_capacity =
    "Could not launch On-Demand Instances. InsufficientInstanceCapacity - We currently do not have "
    "sufficient m5.large capacity in the Availability Zone you requested (eu-central-1a). "
    "Launching "
    "EC2 instance failed.";
constexpr const char* no_vcpus =
    "You have requested more vCPU capacity than your current vCPU limit of 32 allows for the "
    "instance bucket that the specified instance type belongs to. VcpuLimitExceeded. Launching EC2 "
    "instance failed.";

/// A group with one instance and two requested ones, which AWS tries to launch.
struct RequestingAccount : Account {
    RequestingAccount() {
        add("web", 1);
        std::ignore = refresh();
        host.advance(seconds(1));
        std::ignore = increase(2, 1);
        host.advance(seconds(1));
    }
    std::optional<Error> error_of(const std::string& id) {
        const auto view = next();
        return view ? machine(*view, id).error : std::optional(view.error());
    }
};

TEST(AwsFailedActivities, MarkPlaceholdersAtOnce) {
    RequestingAccount account;
    account.aws.fail_launch("web", no_capacity);
    const auto view = account.refresh();
    for (const char* id : {"i-placeholder-web-1", "i-placeholder-web-2"}) {
        const Machine& request = machine(*view, id);
        EXPECT_EQ(request.state, MachineState::requested);
        ASSERT_TRUE(request.error);
        EXPECT_EQ(request.error->code, ErrorCode::out_of_capacity);
        EXPECT_EQ(request.error->provider_code, "InsufficientInstanceCapacity");
        EXPECT_THAT(request.error->message, HasSubstr("do not have sufficient m5.large capacity"));
    }
    EXPECT_EQ(machine(*view, id_of("i-1")).error, std::nullopt);
}

TEST(AwsFailedActivities, ReportAnExceededQuota) {
    RequestingAccount account;
    account.aws.fail_launch("web", no_vcpus);
    EXPECT_EQ(account.error_of("i-placeholder-web-1")->code, ErrorCode::quota);
}

TEST(AwsFailedActivities, IncludeCancelledLaunches) {
    RequestingAccount account;
    account.aws.fail_launch("web", "the launch was cancelled", "Cancelled");
    EXPECT_TRUE(account.error_of("i-placeholder-web-1"));
}

TEST(AwsFailedActivities, ExcludeLaunchesCancelledByADecrease) {
    RequestingAccount account;
    account.aws.fail_launch("web", "the launch is not wanted any more", "Cancelled");
    account.host.advance(seconds(1));
    ASSERT_TRUE(account.decrease(1, 3));
    EXPECT_EQ(account.error_of("i-placeholder-web-1"), std::nullopt);
    account.host.advance(seconds(1));
    account.aws.fail_launch("web", no_capacity);
    EXPECT_TRUE(account.error_of("i-placeholder-web-1")) << "a launch that begins later counts";
}

TEST(AwsFailedActivities, ExcludeFailuresBeforeTheRequest) {
    Account account;
    account.add("web", 1);
    ASSERT_TRUE(account.refresh());
    account.aws.fail_launch("web", no_capacity);
    ASSERT_TRUE(account.increase(1, 1)) << "the failed launch began at the same time, not later";
    EXPECT_EQ(machine(*account.next(), "i-placeholder-web-1").error, std::nullopt);
}

TEST(AwsFailedActivities, ExcludeFailuresBeforeARestart) {
    RequestingAccount account;
    account.aws.fail_launch("web", no_capacity);
    ASSERT_TRUE(account.error_of("i-placeholder-web-1"));
    account.restart();
    EXPECT_EQ(account.error_of("i-placeholder-web-1"), std::nullopt);
    account.host.advance(minutes(1));
    account.aws.fail_launch("web", no_capacity);
    EXPECT_TRUE(account.error_of("i-placeholder-web-1")) << "a failure after the start counts";
}

TEST(AwsFailedActivities, AreDatedByTheClockOfAws) {
    for (const seconds ahead : {seconds(-90), seconds(90)}) {
        Account account;
        account.aws.ahead = ahead;
        account.add("web", 1);
        account.aws.fail_launch("web", no_capacity);
        account.host.advance(seconds(2));
        ASSERT_TRUE(account.refresh());
        ASSERT_TRUE(account.increase(1, 1));
        EXPECT_EQ(machine(*account.next(), "i-placeholder-web-1").error, std::nullopt)
            << "the launch failed before the request; AWS's clock is ahead by " << ahead.count()
            << " s";
        account.aws.fail_launch("web", no_capacity);
        EXPECT_TRUE(machine(*account.next(), "i-placeholder-web-1").error) << ahead.count();
    }
}

TEST(AwsFailedActivities, ExcludeFailedTerminations) {
    RequestingAccount account;
    account.aws.groups["web"].activities = {{.id = "a-1",
                                             .description = "Terminating EC2 instance: i-1",
                                             .status = "Failed",
                                             .message = no_capacity,
                                             .started = account.host.now()}};
    EXPECT_EQ(account.error_of("i-placeholder-web-1"), std::nullopt);
}

TEST(AwsFailedActivities, LastUntilTheGroupHasItsDesiredCapacity) {
    RequestingAccount account;
    account.aws.fail_launch("web", no_capacity);
    ASSERT_TRUE(account.error_of("i-placeholder-web-1"));
    account.aws.groups["web"].activities.clear();
    EXPECT_TRUE(account.error_of("i-placeholder-web-1"));
    ASSERT_TRUE(account.remove({"i-placeholder-web-2"}));
    EXPECT_TRUE(account.error_of("i-placeholder-web-1")) << "the one remaining request";
    account.aws.launch("web");
    ASSERT_TRUE(account.next());
    account.aws.groups["web"].desired = 3;
    EXPECT_EQ(machine(*account.next(minutes(1)), "i-placeholder-web-2").error, std::nullopt);
}

TEST(AwsFailedActivities, DoNotCarryOverToAnotherIncrease) {
    RequestingAccount account;
    account.aws.fail_launch("web", no_capacity);
    ASSERT_TRUE(account.error_of("i-placeholder-web-1"));
    account.host.advance(minutes(5));
    ASSERT_TRUE(account.increase(1, 3));
    EXPECT_EQ(account.error_of("i-placeholder-web-1"), std::nullopt);
    account.aws.fail_launch("web", no_capacity);
    EXPECT_TRUE(account.error_of("i-placeholder-web-1"));
}

TEST(AwsFailedActivities, AreUnknownAndWarnOnceIfUnreadable) {
    RequestingAccount account;
    account.aws.fail_launch("web", no_capacity);
    account.aws.refuse("DescribeScalingActivities", "AccessDenied", "not allowed", 2);
    EXPECT_EQ(account.error_of("i-placeholder-web-1"), std::nullopt);
    EXPECT_EQ(account.error_of("i-placeholder-web-1"), std::nullopt);
    EXPECT_THAT(account.warnings(), ElementsAre(HasSubstr("cannot detect failed launches")));
    EXPECT_TRUE(account.error_of("i-placeholder-web-1"));
}

TEST(AwsFailedActivities, CanBeDisabled) {
    Account account;
    account.config.failed_activities = false;
    account.add("web", 0).desired = 2;
    ASSERT_TRUE(account.refresh());
    EXPECT_EQ(account.aws.calls("DescribeScalingActivities"), 0);
}

TEST(AwsFailedActivities, AreReadOnlyForGroupsBelowTheirDesiredCapacity) {
    RequestingAccount account;
    account.add("db", 3);
    account.aws.forget_calls();
    ASSERT_TRUE(account.next(minutes(1)));
    const auto requests = account.aws.requests("DescribeScalingActivities");
    ASSERT_EQ(requests.size(), 1u);
    EXPECT_EQ(requests[0].at("AutoScalingGroupName"), "web");
    account.aws.fail_launch("web", no_capacity);
    ASSERT_TRUE(account.next());
    account.aws.forget_calls();
    ASSERT_TRUE(account.next());
    EXPECT_EQ(account.aws.calls("DescribeScalingActivities"), 0) << "it has failed already";
}

TEST(AwsFailedActivities, AreReadOnceAMinuteAfterFiveMinutesWithoutChanges) {
    RequestingAccount account;
    ASSERT_TRUE(account.next(minutes(6)));
    account.aws.forget_calls();
    for (int i = 0; i < 6; ++i) ASSERT_TRUE(account.next());
    EXPECT_EQ(account.aws.calls("DescribeScalingActivities"), 1);
}

TEST(AwsFailedActivities, ExcludeAZoneFailureWhileAnotherZoneLaunches) {
    for (const char* status : {"InProgress", "Successful"}) {
        RequestingAccount account;
        account.aws.groups["web"].zones = {"eu-central-1a", "eu-central-1b"};
        account.aws.fail_launch("web", no_capacity);
        EXPECT_TRUE(account.error_of("i-placeholder-web-1")) << "no launch followed";
        account.host.advance(seconds(1));
        account.aws.note("web", "Launching a new EC2 instance: i-9", status);
        EXPECT_EQ(account.error_of("i-placeholder-web-1"), std::nullopt) << status;
        account.host.advance(seconds(1));
        account.aws.fail_launch("web", no_capacity);
        EXPECT_TRUE(account.error_of("i-placeholder-web-1")) << "no zone is left";
    }
}

TEST(AwsFailedActivities, IncludeAFailureInTheOnlyZone) {
    RequestingAccount account;
    account.aws.fail_launch("web", no_capacity);
    account.host.advance(seconds(1));
    account.aws.note("web", "Launching a new EC2 instance: i-9", "Successful");
    EXPECT_TRUE(account.error_of("i-placeholder-web-1"));
}

TEST(FindFailedLaunch, ReturnsTheNewestThatBeganAfterTheRequest) {
    const Time since = Time(std::chrono::sys_days(std::chrono::year(2026) / 1 / 1));
    const auto launch = [&](Duration after, const char* status, const char* message) {
        return ScalingActivity{.id = message,
                               .description = "Launching a new EC2 instance: i-1",
                               .started = since + after,
                               .status_code = status,
                               .status_message = message};
    };
    EXPECT_FALSE(find_failed_launch({}, since, false));
    EXPECT_FALSE(find_failed_launch({launch(seconds(1), "Successful", "x")}, since, false));
    EXPECT_FALSE(find_failed_launch({launch(seconds(1), "InProgress", "x")}, since, false));
    EXPECT_FALSE(find_failed_launch({launch(seconds(0), "Failed", "x")}, since, false));
    EXPECT_FALSE(find_failed_launch(
        {ScalingActivity{.description = "Launching a new EC2 instance", .status_code = "Failed"}},
        since, false))
        << "its start is unknown";
    const auto found = find_failed_launch(
        {launch(seconds(9), "Successful", "x"), launch(seconds(5), "Failed", "newer"),
         launch(seconds(2), "Failed", "older")},
        since, false);
    ASSERT_TRUE(found);
    EXPECT_THAT(found->message, HasSubstr("newer"));
}

}  // namespace
}  // namespace capstan::aws
