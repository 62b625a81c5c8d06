// Discovery of groups, and reasons why groups cannot be scaled.
#include <gmock/gmock.h>

#include "project.hpp"
#include "wire/resource_ids.hpp"

namespace capstan::gce {
namespace {

using std::chrono::minutes;
using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

StaticGroup named(const std::string& id, int min, int max) {
    return {.min = min, .max = max, .link = *group_of_id(id)};
}

std::string in_a(const std::string& name) { return "p/us-central1-a/" + name; }

TEST(GceDiscovery, ListsGroupsByPrefixWithTheLimitsOfTheFirstMatch) {
    Project project;
    project.config.discovery = {{"gke-(a|b)-", 1, 5}, {"gke-a-", 0, 9}, {"db", 0, 3}};
    for (const char* name : {"gke-a-1", "gke-b-1", "gke-c-1", "db", "my-db"}) project.add(name);
    const auto view = project.refresh();
    ASSERT_TRUE(view) << view.error();
    EXPECT_THAT(names(*view), ElementsAre(in_a("db"), in_a("gke-a-1"), in_a("gke-b-1")));
    EXPECT_EQ(view->groups[1].min, 1);
    EXPECT_EQ(view->groups[1].max, 5);
    EXPECT_EQ(view->groups[0].max, 3);
}

TEST(GceDiscovery, MatchesAlternativesAtTheBeginningOfNames) {
    Project project;
    project.config.discovery = {{"web|db", 0, 5}};
    for (const char* name : {"web-1", "db-1", "my-db"}) project.add(name);
    EXPECT_THAT(names(*project.refresh()), ElementsAre(in_a("db-1"), in_a("web-1")));
}

TEST(GceDiscovery, AppliesTheConfiguredLimitsOfANamedGroup) {
    Project project;
    project.config.groups = {named(in_a("web"), 1, 5)};
    project.add("web", 2);
    const auto view = project.refresh();
    ASSERT_TRUE(view) << view.error();
    EXPECT_EQ(view->groups[0].min, 1);
    EXPECT_EQ(view->groups[0].max, 5);
    EXPECT_EQ(view->groups[0].target, 2);
}

TEST(GceDiscovery, UsesTheFirstOfTwoEntriesForAGroup) {
    Project project;
    project.config.groups = {named(in_a("web"), 1, 5), named(in_a("web"), 0, 9)};
    project.add("web");
    EXPECT_EQ(project.refresh()->groups[0].max, 5);
    EXPECT_THAT(project.warnings(), Contains(HasSubstr("web\" more than once")));
}

TEST(GceDiscovery, IncludesTheZonesOfAConfiguredRegion) {
    Project project;
    project.config.locations = {"us-central1", "europe-west1-b"};
    project.add("web");
    project.add_regional("any", "ANY");
    project.gce.add("europe-west1-b/web", 0);
    project.gce.add("europe-west1-c/web", 0);
    EXPECT_THAT(names(*project.refresh()),
                ElementsAre("p/europe-west1-b/web", in_a("web"), "p/us-central1/any"));
}

TEST(GceDiscovery, ListsAMissingNamedGroupAsUnreadable) {
    Project project;
    project.config.discovery.clear();
    project.config.groups = {named(in_a("gone"), 0, 3), named(in_a("web"), 0, 3)};
    project.add("web", 1);
    project.add("db", 1);
    const auto view = project.refresh();
    ASSERT_TRUE(view) << view.error();
    EXPECT_FALSE(view->complete);
    EXPECT_THAT(names(*view), ElementsAre(in_a("gone"), in_a("web")));
    ASSERT_THAT(view->unreadable, SizeIs(1));
    EXPECT_EQ(view->unreadable[0].code, ErrorCode::not_found);
    EXPECT_EQ(view->unreadable[0].subject, in_a("gone"));
    EXPECT_EQ(view->groups[0].target, std::nullopt);
    EXPECT_EQ(view->groups[0].max, 3);
    project.add("gone", 1);
    EXPECT_TRUE(project.next()->complete);
}

TEST(GceDiscovery, FollowsNewAndDeletedGroups) {
    Project project;
    project.add("web", 1);
    EXPECT_THAT(names(*project.refresh()), ElementsAre(in_a("web")));
    project.add("db");
    project.gce.groups.erase(web_key);
    const auto view = project.next();
    EXPECT_THAT(names(*view), ElementsAre(in_a("db")));
    EXPECT_THAT(view->machines, IsEmpty());
    EXPECT_TRUE(view->complete);
}

TEST(GceDiscovery, ForgetsTheInstancesOfAReplacedGroup) {
    Project project;
    project.add("web", 2);
    ASSERT_THAT(project.refresh()->machines, SizeIs(2));
    project.gce.groups.erase(web_key);
    project.add("web", 1);
    const auto view = project.next();
    ASSERT_THAT(view->machines, SizeIs(1));
    EXPECT_EQ(view->machines[0].id.value(), id_of(project.group().instances[0]));
}

TEST(GceDiscovery, SkipsAutoscaledAndStatefulGroupsAndLogsThemOnce) {
    Project project;
    project.add("web");
    project.add("scaled").autoscaler = "scaler";
    project.add("state").is_stateful = true;
    const auto view = project.refresh();
    ASSERT_TRUE(view) << view.error();
    EXPECT_TRUE(view->complete);
    EXPECT_THAT(names(*view), ElementsAre(in_a("web")));
    project.group().target = 1;  // so that another view is made
    ASSERT_TRUE(project.next());
    EXPECT_THAT(project.warnings(),
                ElementsAre(HasSubstr("is sized by Google's autoscaler \"scaler\""),
                            HasSubstr("is stateful")));
}

TEST(GceDiscovery, ListsANamedUnscalableGroupAsUnreadable) {
    Project project;
    project.config.groups = {named(in_a("web"), 0, 3)};
    project.add("web", 1).autoscaler = "scaler";
    const auto view = project.refresh();
    EXPECT_THAT(names(*view), ElementsAre(in_a("web")));
    EXPECT_FALSE(view->complete);
    EXPECT_EQ(view->unreadable.at(0).code, ErrorCode::unsupported);
    EXPECT_EQ(view->unreadable.at(0).subject, in_a("web"));
    EXPECT_FALSE(project.increase(1, 1)) << "the plugin does not change it";
}

TEST(GceDiscovery, KeepsTheLastStateOfGroupsInAnUnreachableLocation) {
    Project project;
    project.add("web", 2);
    project.gce.add("us-central1-b/db", 1);
    ASSERT_TRUE(project.refresh());
    project.gce.silent_places = {"zones/us-central1-b"};
    project.group().target = 3;
    const auto view = project.next();
    ASSERT_TRUE(view) << view.error();
    EXPECT_FALSE(view->complete);
    EXPECT_THAT(names(*view), ElementsAre(in_a("web"), "p/us-central1-b/db"));
    ASSERT_THAT(view->unreadable, SizeIs(1));
    EXPECT_EQ(view->unreadable[0].subject, "p/us-central1-b/db");
    EXPECT_EQ(view->groups[0].target, 3);
    EXPECT_EQ(view->groups[1].target, 1);
    EXPECT_THAT(view->machines, SizeIs(3));
    EXPECT_THAT(project.warnings(), ElementsAre(HasSubstr("in us-central1-b cannot be listed")));
    project.gce.silent_places.clear();
    EXPECT_TRUE(project.next()->complete);
}

TEST(GceDiscovery, IgnoresUnreachableLocationsThatAreNotConfigured) {
    Project project;
    project.config.locations = {"us-central1-a"};
    project.add("web");
    project.gce.silent_places = {"zones/us-central1-b"};
    EXPECT_TRUE(project.refresh()->complete);
}

TEST(GceDiscovery, ReadsOtherGroupsIfOneCannotBeRead) {
    Project project;
    project.add("web", 1);
    project.add("odd", 1);
    ASSERT_TRUE(project.refresh());
    project.gce.broken_groups = {"us-central1-a/odd"};
    const auto view = project.next();
    ASSERT_TRUE(view) << view.error();
    EXPECT_THAT(names(*view), ElementsAre(in_a("odd"), in_a("web")));
    ASSERT_THAT(view->unreadable, SizeIs(1));
    EXPECT_EQ(view->unreadable[0].subject, in_a("odd"));
    EXPECT_THAT(view->machines, SizeIs(2));
}

TEST(GceDiscovery, KeepsTheInstancesOfAGroupWhoseListFails) {
    Project project;
    project.add("web", 1);
    project.add("db", 1);
    ASSERT_TRUE(project.refresh());
    project.group().target = 2;
    project.gce.refuse("listManagedInstances", 403, "forbidden", "not allowed");
    const auto view = project.next();
    ASSERT_TRUE(view) << view.error();
    EXPECT_FALSE(view->complete);
    EXPECT_EQ(view->unreadable.at(0).subject, in_a("web"));
    EXPECT_EQ(view->unreadable.at(0).code, ErrorCode::permission);
    EXPECT_THAT(view->machines, SizeIs(2));
    EXPECT_TRUE(project.next()->complete) << "it is retried";
}

TEST(GceDiscovery, ReadsOtherProjectsIfOneFails) {
    Project project;
    project.config.groups = {named("q/us-central1-a/web", 0, 3)};
    project.add("web", 1);
    project.gce.refuse("aggregatedList", 403, "forbidden", "not allowed");
    const auto view = project.refresh();
    ASSERT_TRUE(view) << view.error();
    EXPECT_EQ(project.gce.calls("aggregatedList"), 2);
    EXPECT_FALSE(view->complete);
}

TEST(GceDiscovery, FailsWithTheReasonOfGoogleIfNothingCanBeListed) {
    Project project;
    project.add("web");
    project.gce.refuse("aggregatedList", 403, "forbidden",
                       "Required 'compute.instanceGroupManagers.list' permission");
    const auto view = project.refresh();
    ASSERT_FALSE(view);
    EXPECT_EQ(view.error().code, ErrorCode::permission);
    EXPECT_THAT(view.error().message, HasSubstr("compute.instanceGroupManagers.list"));
    EXPECT_TRUE(project.next()) << "it is retried";
}

TEST(GceDiscovery, RetriesAThrottledList) {
    Project project;
    project.add("web", 1);
    project.gce.refuse("aggregatedList", 403, "rateLimitExceeded", "Rate Limit Exceeded");
    EXPECT_TRUE(project.refresh());
    EXPECT_EQ(project.gce.calls("aggregatedList"), 2);
}

TEST(GceDiscovery, WarnsOnceAboutUnusualGroups) {
    Project project;
    project.add("web").update_type = "PROACTIVE";
    project.add_regional("single", "ANY_SINGLE_ZONE");
    project.add("update").versions = {"t1", "t2"};
    project.add("flexible").flexible_types = {"n2-standard-4", "e2-standard-2"};
    project.add("standby").suspended = 1;
    ASSERT_TRUE(project.refresh());
    project.group().target = 1;
    ASSERT_TRUE(project.next());
    EXPECT_THAT(project.warnings(),
                ::testing::UnorderedElementsAre(
                    HasSubstr("update type is PROACTIVE"), HasSubstr("ANY_SINGLE_ZONE"),
                    HasSubstr("it is being updated: 2 instance templates"),
                    HasSubstr("has 2 machine types"),
                    HasSubstr("suspended and stopped instances are not counted")));
}

}  // namespace
}  // namespace capstan::gce
