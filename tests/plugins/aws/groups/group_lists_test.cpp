// Discovery of groups, and reasons why groups cannot be scaled.
#include <gmock/gmock.h>

#include "account.hpp"

namespace capstan::aws {
namespace {

using std::chrono::minutes;
using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::SizeIs;

TEST(AwsDiscovery, RequiresAllTagsOfAnExpression) {
    Account account;
    account.config.discovery = {{{.key = "cluster", .value = "prod"}, {.key = "scaled"}}};
    account.add("web").tags["scaled"] = "";
    account.add("db");
    const auto view = account.refresh();
    ASSERT_TRUE(view) << view.error();
    EXPECT_THAT(names(*view), ElementsAre("web"));
}

TEST(AwsDiscovery, ListsAGroupThatMatchesTwoExpressionsOnce) {
    Account account;
    account.config.discovery = {
        {{.key = "team", .value = "a"}}, {{.key = "team", .value = "b"}}, {{.key = "cluster"}}};
    account.aws.groups["a"].tags["team"] = "a";
    account.aws.groups["b"].tags = {{"team", "b"}, {"cluster", "prod"}};
    account.aws.groups["c"].tags["team"] = "c";
    const auto view = account.refresh();
    ASSERT_TRUE(view) << view.error();
    EXPECT_THAT(names(*view), ElementsAre("a", "b"));
}

TEST(AwsDiscovery, AppliesTheConfiguredLimitsOfANamedGroup) {
    Account account;
    account.config.groups = {{1, 5, "web"}};
    account.add("web", 2);
    const auto view = account.refresh();
    ASSERT_TRUE(view) << view.error();
    EXPECT_THAT(names(*view), ElementsAre("web"));
    EXPECT_EQ(view->groups[0].min, 1);
    EXPECT_EQ(view->groups[0].max, 5);
    EXPECT_EQ(view->groups[0].target, 2);
}

TEST(AwsDiscovery, ReportsAndCutsLimitsBeyondThoseOfAws) {
    Account account;
    account.config.groups = {{0, 50, "web"}};
    account.add("web").min = 1;
    const auto view = account.refresh();
    ASSERT_TRUE(view) << view.error();
    EXPECT_EQ(view->groups[0].min, 1);
    EXPECT_EQ(view->groups[0].max, 10);
    EXPECT_THAT(account.warnings(),
                Contains(HasSubstr("maximum 50 is outside the group's own limit 10")));
}

TEST(AwsDiscovery, UsesTheFirstOfTwoEntriesForAGroup) {
    Account account;
    account.config.groups = {{1, 5, "web"}, {0, 9, "web"}};
    account.add("web");
    EXPECT_EQ(account.refresh()->groups[0].max, 5);
    EXPECT_THAT(account.warnings(), Contains(HasSubstr("\"web\" more than once")));
}

TEST(AwsDiscovery, ListsAMissingNamedGroupAsUnreadable) {
    Account account;
    account.config.discovery.clear();
    account.config.groups = {{0, 3, "gone"}, {0, 3, "web"}};
    account.add("web", 1);
    const auto view = account.refresh();
    ASSERT_TRUE(view) << view.error();
    EXPECT_FALSE(view->complete);
    EXPECT_THAT(names(*view), ElementsAre("gone", "web"));
    ASSERT_THAT(view->unreadable, SizeIs(1));
    EXPECT_EQ(view->unreadable[0].code, ErrorCode::not_found);
    EXPECT_EQ(view->unreadable[0].subject, "gone");
    EXPECT_EQ(view->groups[0].target, std::nullopt);
}

TEST(AwsDiscovery, FollowsAChangedMaximum) {
    Account account;
    account.add("web");
    EXPECT_EQ(account.refresh()->groups[0].max, 10);
    account.aws.groups["web"].max = 20;
    EXPECT_EQ(account.next(minutes(1))->groups[0].max, 20);
}

TEST(AwsDiscovery, FollowsNewAndDeletedGroups) {
    Account account;
    account.add("web");
    EXPECT_THAT(names(*account.refresh()), ElementsAre("web"));
    account.add("db");
    account.aws.groups.erase("web");
    const auto view = account.next(minutes(1));
    EXPECT_THAT(names(*view), ElementsAre("db"));
    EXPECT_TRUE(view->complete);
}

struct SkippedGroup {
    const char* what;
    const char* more;
    const char* message;
};

TEST(AwsDiscovery, SkipsAGroupThatCannotBeScaledAndLogsItOnce) {
    const std::vector<SkippedGroup> cases{
        {"deleted", "<Status>Delete in progress</Status>", "is being deleted"},
        {"vcpu", "<DesiredCapacityType>vcpu</DesiredCapacityType>", "measures its capacity in"},
        {"weighted",
         "<MixedInstancesPolicy><LaunchTemplate><LaunchTemplateSpecification><LaunchTemplateId>"
         "lt-1</LaunchTemplateId></LaunchTemplateSpecification><Overrides><member><InstanceType>"
         "m5.large</InstanceType><WeightedCapacity>2</WeightedCapacity></member></Overrides>"
         "</LaunchTemplate></MixedInstancesPolicy>",
         "has weighted instance types"},
        {"both",
         "<MixedInstancesPolicy><LaunchTemplate><LaunchTemplateSpecification><LaunchTemplateId>"
         "lt-1</LaunchTemplateId></LaunchTemplateSpecification><Overrides><member><InstanceType>"
         "m5.large</InstanceType></member><member><InstanceRequirements><VCpuCount><Min>2</Min>"
         "</VCpuCount></InstanceRequirements></member></Overrides></LaunchTemplate>"
         "</MixedInstancesPolicy>",
         "both instance types and instance requirements"}};
    for (const SkippedGroup& each : cases) {
        Account account;
        account.add("web");
        account.add(each.what).more = each.more;
        const auto view = account.refresh();
        ASSERT_TRUE(view) << view.error();
        EXPECT_TRUE(view->complete);
        EXPECT_THAT(names(*view), ElementsAre("web")) << each.what;
        std::ignore = account.next(minutes(1));
        EXPECT_THAT(account.warnings(), ElementsAre(HasSubstr(each.message)));
    }
}

TEST(AwsDiscovery, SkipsAGroupWithContradictingLimits) {
    Account account;
    account.add("web");
    account.add("odd").min = 11;
    EXPECT_THAT(names(*account.refresh()), ElementsAre("web"));
    EXPECT_THAT(account.warnings(), ElementsAre(HasSubstr("minimum 11 above maximum 10")));
}

TEST(AwsDiscovery, AcceptsAWeightOfOne) {
    Account account;
    account.add("web").more =
        "<MixedInstancesPolicy><LaunchTemplate><LaunchTemplateSpecification><LaunchTemplateId>lt-1"
        "</LaunchTemplateId></LaunchTemplateSpecification><Overrides><member><InstanceType>m5.large"
        "</InstanceType><WeightedCapacity>1</WeightedCapacity></member></Overrides>"
        "</LaunchTemplate></MixedInstancesPolicy>";
    EXPECT_THAT(names(*account.refresh()), ElementsAre("web"));
}

TEST(AwsDiscovery, ListsANamedGroupThatIsBeingDeletedAsUnreadable) {
    Account account;
    account.config.groups = {{0, 3, "web"}};
    account.add("web").more = "<Status>Delete in progress</Status>";
    const auto view = account.refresh();
    EXPECT_FALSE(view->complete);
    EXPECT_EQ(view->unreadable.at(0).code, ErrorCode::not_found);
    EXPECT_EQ(view->unreadable.at(0).subject, "web");
}

std::string suspended(const std::string& process) {
    return "<SuspendedProcesses><member><ProcessName>" + process +
           "</ProcessName></member></SuspendedProcesses>";
}

TEST(AwsDiscovery, MarksAGroupUnhealthyWhileItsLaunchesAreSuspended) {
    Account account;
    account.add("web").more = suspended("Launch");
    auto view = account.refresh();
    EXPECT_EQ(view->groups[0].healthy, false);
    EXPECT_THAT(view->groups[0].health_reason, HasSubstr("Launch process is suspended"));
    account.aws.groups["web"].more.clear();
    view = account.next(minutes(1));
    EXPECT_EQ(view->groups[0].healthy, std::nullopt);
    account.aws.groups["web"].more = suspended("Launch");
    view = account.next(minutes(1));
    EXPECT_THAT(account.warnings(), SizeIs(2)) << "it is logged again";
}

TEST(AwsDiscovery, WarnsAboutSuspendedTerminationAndKeepsTheGroup) {
    Account account;
    account.add("web", 1).more = suspended("Terminate");
    const auto view = account.refresh();
    EXPECT_EQ(view->groups[0].healthy, std::nullopt);
    EXPECT_THAT(account.warnings(), ElementsAre(HasSubstr("Terminate process is suspended")));
}

TEST(AwsDiscovery, WarnsAboutAWarmPoolAndDoesNotCountItsInstances) {
    Account account;
    FakeGroup& group = account.add("web", 1);
    group.more = "<WarmPoolConfiguration><MinSize>2</MinSize></WarmPoolConfiguration>";
    group.instances.push_back({.id = "i-warm", .state = "Warmed:Stopped"});
    const auto view = account.refresh();
    EXPECT_THAT(states(*view), ElementsAre(id_of("i-1") + " running"));
    EXPECT_THAT(account.warnings(), ElementsAre(HasSubstr("warm pool is ignored")));
}

TEST(AwsDiscovery, KeepsTheLastStateOfGroupsWhoseListFails) {
    Account account;
    account.config.discovery = {{{.key = "team", .value = "a"}}, {{.key = "team", .value = "b"}}};
    account.aws.groups["a"].tags["team"] = "a";
    account.aws.groups["b"].tags["team"] = "b";
    ASSERT_TRUE(account.refresh());
    account.host.advance(minutes(1));
    account.aws.groups["b"].desired = 4;
    account.aws.refuse("DescribeAutoScalingGroups", "AccessDenied", "not allowed");
    const auto view = account.refresh();
    ASSERT_TRUE(view) << view.error();
    EXPECT_FALSE(view->complete);
    EXPECT_THAT(names(*view), ElementsAre("a", "b"));
    ASSERT_THAT(view->unreadable, SizeIs(1));
    EXPECT_EQ(view->unreadable[0].subject, "a");
    EXPECT_EQ(view->unreadable[0].code, ErrorCode::permission);
    EXPECT_EQ(view->groups[1].target, 4);
    const auto after = account.next();
    EXPECT_TRUE(after->complete) << "a list that failed is read again in the next pass";
}

TEST(AwsDiscovery, MarksTheViewIncompleteUntilEveryListWasRead) {
    Account account;
    account.config.discovery = {{{.key = "team", .value = "a"}}, {{.key = "team", .value = "b"}}};
    account.aws.groups["a"].tags["team"] = "a";
    account.aws.groups["b"].tags["team"] = "b";
    account.aws.refuse("DescribeAutoScalingGroups", "AccessDenied", "not allowed");
    const auto view = account.refresh();
    ASSERT_TRUE(view) << view.error();
    EXPECT_THAT(names(*view), ElementsAre("b"));
    EXPECT_FALSE(view->complete);
    EXPECT_THAT(account.warnings(), ElementsAre(HasSubstr("the tags team=a cannot be listed")));
    EXPECT_TRUE(account.next()->complete);
}

TEST(AwsDiscovery, ReadsOtherBatchesIfOneBatchOfChangingGroupsFails) {
    Account account;
    account.add("web", 1).desired = 2;
    account.add("db", 1);
    ASSERT_TRUE(account.refresh());
    account.aws.refuse("DescribeAutoScalingGroups", "AccessDenied", "not allowed");
    const auto view = account.next();
    ASSERT_TRUE(view) << view.error();
    ASSERT_THAT(view->unreadable, SizeIs(1));
    EXPECT_EQ(view->unreadable[0].subject, "web");
    EXPECT_EQ(view->groups[1].target, 2) << "the last known state";
    EXPECT_TRUE(account.next()->complete);
}

TEST(AwsDiscovery, FailsWithTheReasonOfAwsIfNothingCanBeListed) {
    Account account;
    account.add("web");
    account.aws.refuse("DescribeAutoScalingGroups", "AccessDenied", "not allowed");
    const auto view = account.refresh();
    ASSERT_FALSE(view);
    EXPECT_EQ(view.error().code, ErrorCode::permission);
    EXPECT_TRUE(account.next()) << "it is retried";
}

TEST(AwsDiscovery, RetriesAThrottledList) {
    Account account;
    account.add("web", 1);
    account.aws.refuse("DescribeAutoScalingGroups", "Throttling", "Rate exceeded", 2);
    EXPECT_TRUE(account.refresh());
    EXPECT_EQ(account.aws.calls("DescribeAutoScalingGroups"), 3);
}

TEST(AwsDiscovery, IsThrottledIfAllAttemptsAreThrottled) {
    Account account;
    account.add("web", 1);
    account.aws.refuse("DescribeAutoScalingGroups", "Throttling", "Rate exceeded", 3);
    const auto view = account.refresh();
    ASSERT_FALSE(view);
    EXPECT_EQ(view.error().code, ErrorCode::throttled);
}

TEST(AwsDiscovery, FailsOnlyTheListOfAFailingPage) {
    Account account;
    account.config.discovery = {{{.key = "cluster", .value = "prod"}}, {{.key = "team"}}};
    account.aws.page_size = 1;
    account.add("a", 1);
    account.add("b", 1);
    account.aws.groups["c"].tags["team"] = "c";
    ASSERT_TRUE(account.refresh());
    account.host.advance(minutes(1));
    account.aws.page_fails = "1";
    const auto view = account.refresh();
    ASSERT_TRUE(view) << view.error();
    EXPECT_THAT(names(*view), ElementsAre("a", "b", "c"));
    EXPECT_THAT(view->unreadable, SizeIs(2)) << "an incomplete list is not used";
}

TEST(AwsDiscovery, ReadsOtherGroupsIfOneCannotBeRead) {
    Account account;
    account.add("web", 1);
    account.add("odd");
    ASSERT_TRUE(account.refresh());
    account.aws.groups["odd"].instances.push_back({.id = ""});
    const auto view = account.next(minutes(1));
    ASSERT_TRUE(view) << view.error();
    EXPECT_THAT(names(*view), ElementsAre("odd", "web"));
    ASSERT_THAT(view->unreadable, SizeIs(1));
    EXPECT_EQ(view->unreadable[0].subject, "odd");
}

TEST(AwsDiscovery, SkipsOnlyAGroupWithoutAName) {
    Account account;
    account.add("web", 1);
    account.add("");
    const auto view = account.refresh();
    ASSERT_TRUE(view) << view.error();
    EXPECT_THAT(names(*view), ElementsAre("web"));
    EXPECT_THAT(account.warnings(), Contains(HasSubstr("a group is ignored")));
}

}  // namespace
}  // namespace capstan::aws
