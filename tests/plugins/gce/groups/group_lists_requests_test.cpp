// The number of requests of a refresh.
#include <gmock/gmock.h>

#include "project.hpp"

namespace capstan::gce {
namespace {

using std::chrono::minutes;
using std::chrono::seconds;

struct Large : Project {
    explicit Large(int groups, int machines = 0) {
        for (int i = 0; i < groups; ++i) add("group-" + std::to_string(1000 + i), machines);
    }
    FakeMig& group(int i) { return gce.groups.at(key(i)); }
    static std::string key(int i) { return "us-central1-a/group-" + std::to_string(1000 + i); }
    /// The number of requests of the next pass.
    int calls_of_next(Duration by = seconds(10)) {
        gce.forget_calls();
        const auto view = next(by);
        EXPECT_TRUE(view) << view.error();
        return gce.calls();
    }
};

TEST(GceRequestCounts, ElevenReadFiveHundredGroupsInTheFirstPass) {
    Large project(500, 10);
    const auto view = project.refresh();
    ASSERT_TRUE(view) << view.error();
    EXPECT_EQ(view->groups.size(), 500u);
    EXPECT_EQ(view->machines.size(), 5000u);
    EXPECT_EQ(project.gce.calls("aggregatedList"), 1);
    EXPECT_EQ(project.gce.calls("instances"), 10);
    EXPECT_EQ(project.gce.calls(), 11);
}

TEST(GceRequestCounts, ThreeReadFiveHundredIdleGroups) {
    Large project(500, 1);
    ASSERT_TRUE(project.refresh());
    for (int pass = 0; pass < 5; ++pass) {
        EXPECT_EQ(project.calls_of_next(), 3) << "500 groups in an hour are two in ten seconds";
        EXPECT_EQ(project.gce.calls("listManagedInstances"), 2);
    }
}

TEST(GceRequestCounts, EachInstanceListIsReadOncePerIntervalInDifferentPasses) {
    Large project(3, 1);
    project.config.refresh_every = minutes(1);
    ASSERT_TRUE(project.refresh());
    EXPECT_EQ(project.gce.calls("listManagedInstances"), 3);
    for (int pass = 1; pass <= 5; ++pass) EXPECT_EQ(project.calls_of_next(), 1) << pass;
    for (int pass = 6; pass <= 8; ++pass) EXPECT_EQ(project.calls_of_next(), 2) << pass;
    EXPECT_EQ(project.calls_of_next(), 1);
}

TEST(GceRequestCounts, OnlyChangingGroupsListTheirInstances) {
    Large project(3, 2);
    ASSERT_TRUE(project.refresh());
    project.group(1).instances[0].action = "RECREATING";
    EXPECT_EQ(project.calls_of_next(), 2);
    EXPECT_THAT(project.gce.requests("listManagedInstances").at(0).path,
                ::testing::HasSubstr("group-1001"));
    project.gce.settle(Large::key(1));
    EXPECT_EQ(project.calls_of_next(), 2) << "its entry has changed";
    EXPECT_EQ(project.calls_of_next(), 1) << "it is idle again";
}

TEST(GceRequestCounts, UpToSixteenGroupsListTheirInstancesOneByOne) {
    Large project(16, 1);
    ASSERT_TRUE(project.refresh());
    EXPECT_EQ(project.gce.calls("instances"), 0);
    EXPECT_EQ(project.gce.calls("listManagedInstances"), 16);
    Large larger(17, 1);
    ASSERT_TRUE(larger.refresh());
    EXPECT_EQ(larger.gce.calls("instances"), 1);
    EXPECT_EQ(larger.gce.calls("listManagedInstances"), 0);
}

TEST(GceRequestCounts, AGroupWithAnUnexpectedNumberOfInstancesListsItsInstances) {
    Large project(20, 2);
    project.gce.strangers["us-central1-a"] = {{.name = "group-1003-abcd", .number = 99}};
    project.group(5).instances[0].name = "by-hand-0001";
    project.group(7).instances[0].status = "STOPPING";
    const auto view = project.refresh();
    ASSERT_TRUE(view) << view.error();
    EXPECT_EQ(view->machines.size(), 40u);
    std::vector<std::string> requests;
    for (const auto& each : project.gce.requests("listManagedInstances"))
        requests.push_back(each.path);
    EXPECT_THAT(requests, ::testing::UnorderedElementsAre(::testing::HasSubstr("group-1003"),
                                                          ::testing::HasSubstr("group-1005"),
                                                          ::testing::HasSubstr("group-1007")));
}

TEST(GceRequestCounts, GroupsWithTheSameBaseNameInAZoneListTheirInstances) {
    Large project(20, 1);
    project.group(3).base = project.group(4).base;
    ASSERT_TRUE(project.refresh());
    EXPECT_EQ(project.gce.calls("listManagedInstances"), 2);
}

TEST(GceRequestCounts, GroupsListTheirInstancesIfTheZoneCannotBeListed) {
    Large project(20, 1);
    project.gce.refuse("instances", 403, "forbidden", "Required 'compute.instances.list'");
    const auto view = project.refresh();
    ASSERT_TRUE(view) << view.error();
    EXPECT_TRUE(view->complete);
    EXPECT_EQ(view->machines.size(), 20u);
    EXPECT_EQ(project.gce.calls("listManagedInstances"), 20);
    EXPECT_THAT(project.warnings(),
                ::testing::ElementsAre(::testing::HasSubstr("cannot be listed")));
}

TEST(GceRequestCounts, TwoMakeAnIncreaseAndOneListFollows) {
    Large project(3, 1);
    ASSERT_TRUE(project.refresh());
    project.gce.forget_calls();
    ASSERT_TRUE(project.increase(1, 1, "", NodeGroupId("p/us-central1-a/group-1001")));
    EXPECT_EQ(project.gce.calls("get"), 1) << "the group is read before it is changed";
    EXPECT_EQ(project.gce.calls("createInstances"), 1);
    EXPECT_EQ(project.gce.calls(), 2);
    EXPECT_EQ(project.calls_of_next(), 2);
}

TEST(GceRequestCounts, GroupsAreReadPageByPage) {
    Large project(5, 1);
    project.gce.page_size = 2;
    const auto view = project.refresh();
    ASSERT_TRUE(view) << view.error();
    EXPECT_EQ(view->groups.size(), 5u);
    EXPECT_EQ(project.gce.calls("aggregatedList"), 3);
}

TEST(GceRequestCounts, AnUnchangedViewIsNotMadeAgain) {
    Large project(3, 1);
    const auto first = testing::run(project.host, project.cloud().refresh({}));
    const auto second = testing::run(project.host, project.cloud().refresh({}));
    EXPECT_EQ(&first->raw(), &second->raw());
    project.group(1).target = 2;
    const auto third = testing::run(project.host, project.cloud().refresh({}));
    EXPECT_NE(&first->raw(), &third->raw());
}

TEST(GceRequestCounts, TemplatesOfFiveHundredSimilarGroupsAreReadOnce) {
    Large project(500);
    ASSERT_TRUE(project.refresh());
    project.gce.forget_calls();
    for (int i = 0; i < 500; ++i) ASSERT_TRUE(project.describe(NodeGroupId("p/" + Large::key(i))));
    EXPECT_EQ(project.gce.calls("instanceTemplates"), 1);
    EXPECT_EQ(project.gce.calls("images"), 1);
    EXPECT_EQ(project.gce.calls("machineTypes"), 1);
    EXPECT_EQ(project.gce.calls(), 3);
}

TEST(GceRequestCounts, OneProbesWhileGoogleThrottles) {
    Large project(3, 1);
    ASSERT_TRUE(project.refresh());
    project.gce.refuse("get", 403, "rateLimitExceeded", "Rate Limit Exceeded", 2);
    project.gce.forget_calls();
    for (int pass = 1; pass <= 2; ++pass) {
        const auto view = project.refresh({.probe = true});
        ASSERT_FALSE(view);
        EXPECT_EQ(view.error().code, ErrorCode::throttled);
        EXPECT_EQ(project.gce.calls(), pass);
    }
    ASSERT_TRUE(project.refresh({.probe = true}));
    EXPECT_EQ(project.gce.calls("aggregatedList"), 1) << "then all groups are listed";
}

TEST(GceRequestCounts, AProbeOfADeletedGroupSucceeds) {
    Large project(1, 1);
    ASSERT_TRUE(project.refresh());
    project.gce.groups.clear();
    ASSERT_TRUE(project.refresh({.probe = true}));
}

}  // namespace
}  // namespace capstan::gce
