// Removals of machines.
#include <gmock/gmock.h>

#include "project.hpp"

namespace capstan::gce {
namespace {

using std::chrono::minutes;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

/// A group of three machines after a refresh.
struct Full : Project {
    Full() {
        add("web", 3);
        std::ignore = refresh();
        gce.forget_calls();
    }
    std::string id(std::size_t i) { return id_of(group().instances.at(i)); }
};

TEST(GceRemovals, DeleteInstancesAndLowerTheTargetInOneCall) {
    Full project;
    const auto removed = project.remove({project.id(0), project.id(2)});
    ASSERT_TRUE(removed) << removed.error();
    EXPECT_THAT(removed->failed, IsEmpty());
    EXPECT_EQ(project.group().target, 1);
    const auto requests = project.gce.requests("deleteInstances");
    ASSERT_THAT(requests, SizeIs(1));
    EXPECT_THAT(requests[0].body.find("instances")->items(), SizeIs(2));
    EXPECT_TRUE(requests[0].body.find("skipInstancesOnValidationError")->boolean());
    const auto view = project.next();
    EXPECT_EQ(view->groups[0].target, 1);
    EXPECT_THAT(states(*view), ElementsAre("deleting", "running", "deleting"));
    project.gce.settle(web_key);
    EXPECT_THAT(states(*project.next()), ElementsAre("running"));
}

TEST(GceRemovals, DeleteAThousandInstancesPerCall) {
    Project project;
    project.config.discovery = {{"web", 0, 5000}};
    project.add("web", 2500);
    ASSERT_TRUE(project.refresh());
    std::vector<std::string> all;
    for (const FakeVm& vm : project.group().instances) all.push_back(id_of(vm));
    const auto removed = project.remove(all);
    ASSERT_TRUE(removed) << removed.error();
    EXPECT_THAT(removed->failed, IsEmpty());
    EXPECT_EQ(project.gce.calls("deleteInstances"), 3);
    EXPECT_EQ(project.group().target, 0);
}

TEST(GceRemovals, ReportAnErrorForTheInstanceThatItNames) {
    Full project;
    const std::string name = project.group().instances[1].name;
    project.gce.endings["deleteInstances"] = {{"RESOURCE_NOT_READY", "it is not ready",
                                               "projects/p/zones/us-central1-a/instances/" + name}};
    const auto removed = project.remove({project.id(0), project.id(1)});
    ASSERT_TRUE(removed) << removed.error();
    ASSERT_THAT(removed->failed, SizeIs(1));
    EXPECT_EQ(removed->failed[0].subject, project.id(1));
    EXPECT_THAT(removed->failed[0].message, HasSubstr("it is not ready"));
}

TEST(GceRemovals, ReportAnErrorForAllInstancesIfItNamesNone) {
    Full project;
    project.gce.refuse("deleteInstances", 403, "forbidden", "not allowed");
    const auto removed = project.remove({project.id(0), project.id(1)});
    ASSERT_TRUE(removed) << removed.error();
    ASSERT_THAT(removed->failed, SizeIs(2));
    EXPECT_EQ(removed->failed[0].code, ErrorCode::permission);
    EXPECT_EQ(removed->failed[1].subject, project.id(1));
    EXPECT_TRUE(project.increase(1, 3)) << "the target is unchanged";
}

TEST(GceRemovals, StayAboveTheMinimumUnlessForced) {
    Project project;
    project.config.discovery = {{"web", 2, 10}};
    project.add("web", 3);
    ASSERT_TRUE(project.refresh());
    const std::vector<std::string> two{id_of(project.group().instances[0]),
                                       id_of(project.group().instances[1])};
    const auto removed = project.remove(two);
    ASSERT_FALSE(removed);
    EXPECT_EQ(removed.error().code, ErrorCode::invalid_argument);
    EXPECT_EQ(project.gce.calls("deleteInstances"), 0);
    EXPECT_THAT(project.remove(two, true)->failed, IsEmpty());
    EXPECT_EQ(project.group().target, 1);
}

TEST(GceRemovals, DoNotDeleteADeletingInstanceAgain) {
    Full project;
    ASSERT_TRUE(project.remove({project.id(0)}));
    EXPECT_THAT(project.remove({project.id(0)})->failed, IsEmpty());
    ASSERT_TRUE(project.next());
    EXPECT_THAT(project.remove({project.id(0), project.id(0)})->failed, IsEmpty());
    EXPECT_EQ(project.gce.calls("deleteInstances"), 1);
    EXPECT_EQ(project.group().target, 2);
}

TEST(GceRemovals, DoNotDeleteAnInstanceAgainWhileTheListLags) {
    Full project;
    project.gce.lag(true);
    ASSERT_TRUE(project.remove({project.id(0)}));
    ASSERT_TRUE(project.next());
    EXPECT_THAT(project.remove({project.id(0)})->failed, IsEmpty());
    EXPECT_EQ(project.gce.calls("deleteInstances"), 1);
}

TEST(GceRemovals, AreAllowedAfterARaiseByAnotherClient) {
    Full project;
    ASSERT_TRUE(project.remove({project.id(0), project.id(1)}));
    project.group().target = 4;
    project.gce.settle(web_key);
    ASSERT_TRUE(project.next());
    EXPECT_THAT(
        project.remove({project.id(0), project.id(1), project.id(2), project.id(3)})->failed,
        IsEmpty());
    EXPECT_EQ(project.group().target, 0);
}

TEST(GceRemovals, RecreateInstancesIfTheTargetIsKept) {
    Full project;
    const std::string id = project.id(0);
    EXPECT_THAT(project.remove({id}, false, web, true)->failed, IsEmpty());
    EXPECT_EQ(project.gce.calls("deleteInstances"), 0);
    EXPECT_THAT(project.gce.requests("recreateInstances").at(0).body.find("instances")->items(),
                SizeIs(1));
    const auto view = project.next();
    EXPECT_EQ(view->groups[0].target, 3);
    EXPECT_EQ(machine(*view, id).state, MachineState::deleting) << "the old instance";
    project.gce.settle(web_key);
    EXPECT_EQ(machine(*project.next(), id).state, MachineState::running) << "the new instance";
}

TEST(GceRemovals, CountAnInstanceAgainIfItIsNotRecreatedInTenMinutes) {
    Full project;
    ASSERT_TRUE(project.remove({project.id(0)}, false, web, true));
    project.group().instances[0].action = "NONE";
    project.group().instances[0].status = "RUNNING";
    EXPECT_EQ(states(*project.next()).at(0), "deleting");
    EXPECT_EQ(states(*project.next(minutes(10))).at(0), "running");
}

TEST(GceRemovals, DeleteARemainingInstanceAgainAfterTwoMinutes) {
    Full project;
    ASSERT_TRUE(project.remove({project.id(0)}));
    project.group().instances[0].action = "NONE";
    project.group().target = 3;
    ASSERT_TRUE(project.next(minutes(2)));
    ASSERT_TRUE(project.next());
    EXPECT_THAT(project.remove({project.id(0)})->failed, IsEmpty());
    EXPECT_EQ(project.gce.calls("deleteInstances"), 2);
}

TEST(GceRemovals, RetryALostResponseWithoutASecondEffect) {
    Full project;
    project.gce.lose_responses("deleteInstances");
    EXPECT_THAT(project.remove({project.id(0)})->failed, IsEmpty());
    EXPECT_EQ(project.group().target, 2);
}

TEST(GceRemovals, ReportAnUnknownResultWithoutAnyResponse) {
    Full project;
    project.gce.lose_responses("deleteInstances", 10);
    const auto removed = project.remove({project.id(0)});
    ASSERT_THAT(removed->failed, SizeIs(1));
    EXPECT_EQ(removed->failed[0].code, ErrorCode::deadline);
    ASSERT_TRUE(project.next());
    EXPECT_THAT(project.remove({project.id(0)})->failed, IsEmpty()) << "it is being deleted";
    EXPECT_EQ(project.group().target, 2);
}

TEST(GceRemovals, RemoveOtherInstancesIfOneIsNotInTheGroup) {
    Full project;
    project.gce.add("us-central1-b/web", 1);
    const std::string other = id_of(project.gce.groups.at("us-central1-b/web").instances[0]);
    const auto removed =
        project.remove({id_of("web-none"), "no-such-machine", other, project.id(0)});
    ASSERT_THAT(removed->failed, SizeIs(3));
    EXPECT_EQ(removed->failed[0].code, ErrorCode::not_found);
    EXPECT_EQ(removed->failed[0].subject, id_of("web-none"));
    EXPECT_EQ(project.group().target, 2);
}

TEST(GceRemovals, RejectSuspendedAndAbandonedInstances) {
    for (const char* action : {"SUSPENDING", "STOPPING", "ABANDONING"}) {
        Full project;
        project.group().instances[0].action = action;
        project.group().target = 2;
        ASSERT_TRUE(project.next());
        const auto removed = project.remove({project.id(0)});
        ASSERT_THAT(removed->failed, SizeIs(1)) << action;
        EXPECT_EQ(removed->failed[0].code, ErrorCode::invalid_argument);
        EXPECT_EQ(project.gce.calls("deleteInstances"), 0);
    }
}

TEST(GceRemovals, DeleteAnInstanceThatIsBeingCreatedByItsName) {
    Full project;
    ASSERT_TRUE(project.increase(1, 3));
    ASSERT_TRUE(project.next());
    EXPECT_THAT(project.remove({project.id(3)}, true)->failed, IsEmpty());
    EXPECT_EQ(project.group().target, 3);
}

TEST(GceRemovals, LowerATargetThatWasJustIncreased) {
    Full project;
    ASSERT_TRUE(project.increase(1, 3));
    ASSERT_TRUE(project.remove({project.id(0)}));
    ASSERT_TRUE(project.next());
    EXPECT_EQ(*project.increase(1, 3), Resized{4});
    EXPECT_EQ(project.group().target, 4);
}

TEST(GceRemovals, WarnOnceThatGoogleMayRedistributeAnEvenGroup) {
    Project project;
    project.add_regional("even", "EVEN", 3).redistribution = "PROACTIVE";
    project.add_regional("kept", "EVEN", 3).redistribution = "NONE";
    ASSERT_TRUE(project.refresh());
    for (const char* name : {"even", "kept"}) {
        const FakeMig& group = project.gce.groups.at(std::string("us-central1/") + name);
        for (std::size_t i = 0; i < 2; ++i)
            ASSERT_TRUE(project.remove({id_of(group.instances[i])}, false,
                                       NodeGroupId(std::string("p/us-central1/") + name)));
    }
    EXPECT_THAT(project.warnings(), ElementsAre(HasSubstr("p/us-central1/even\" has shape EVEN")));
}

}  // namespace
}  // namespace capstan::gce
