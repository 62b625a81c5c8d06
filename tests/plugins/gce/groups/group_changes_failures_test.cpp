// Changes that Google accepted and that failed later.
#include <gmock/gmock.h>

#include "project.hpp"

namespace capstan::gce {
namespace {

using std::chrono::minutes;
using std::chrono::seconds;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

/// A group of three. Operations take longer than they are awaited.
struct Slow : Project {
    Slow() {
        add("web", 3);
        std::ignore = refresh();
        gce.polls = 7;
    }
    void fail_next(const std::string& method, const std::string& location = {}) {
        gce.endings[method] = {{"QUOTA_EXCEEDED", "Quota 'CPUS' exceeded.", location}};
    }
    /// Google drops the machines that it has not created.
    void drop_uncreated() {
        FakeMig& group = Project::group();
        group.target -= static_cast<int>(
            std::erase_if(group.instances, [](const FakeVm& vm) { return vm.number == 0; }));
    }
    std::string created(std::size_t i) {
        const Json body = gce.requests("createInstances").at(0).body;
        return body.find("instances")->items().at(i).text_at({"name"});
    }
};

TEST(GceLateFailures, ShowFailedMachinesOfAnIncrease) {
    Slow project;
    project.fail_next("createInstances");
    EXPECT_EQ(*project.increase(2, 3), Resized{5});
    project.drop_uncreated();
    const auto view = project.next(seconds(20));
    ASSERT_TRUE(view) << view.error();
    EXPECT_EQ(view->groups[0].target, 3);
    ASSERT_THAT(view->machines, SizeIs(5));
    for (std::size_t i = 0; i < 2; ++i) {
        const Machine& failed = machine(*view, id_of(project.created(i)));
        EXPECT_EQ(failed.state, MachineState::failed);
        EXPECT_EQ(failed.group, web);
        EXPECT_EQ(failed.zone, "us-central1-a");
        ASSERT_TRUE(failed.error);
        EXPECT_EQ(failed.error->code, ErrorCode::quota);
        EXPECT_THAT(failed.error->message, HasSubstr("Quota 'CPUS' exceeded."));
    }
}

TEST(GceLateFailures, WakeTheHostAndAreLoggedOnce) {
    Slow project;
    project.fail_next("createInstances");
    ASSERT_TRUE(project.increase(2, 3));
    project.host.advance(seconds(20));
    EXPECT_THAT(project.host.take_wakes(), ElementsAre(HasSubstr("p/us-central1-a/web")));
    EXPECT_THAT(project.warnings(),
                ElementsAre(AllOf(HasSubstr("web"), HasSubstr("accepted increase failed"),
                                  HasSubstr("Quota 'CPUS' exceeded."))));
}

TEST(GceLateFailures, EndAfterAMinuteOrWhenTheyAreRemoved) {
    Slow project;
    project.fail_next("createInstances");
    ASSERT_TRUE(project.increase(2, 3));
    project.drop_uncreated();
    ASSERT_THAT(project.next(seconds(20))->machines, SizeIs(5));
    EXPECT_THAT(project.remove({id_of(project.created(0))})->failed, IsEmpty());
    EXPECT_EQ(project.gce.calls("deleteInstances"), 0) << "there is nothing to delete";
    EXPECT_THAT(project.next()->machines, SizeIs(4));
    EXPECT_THAT(project.next(minutes(1))->machines, SizeIs(3));
}

TEST(GceLateFailures, DoNotIncludeListedInstances) {
    Slow project;
    project.fail_next("createInstances");
    ASSERT_TRUE(project.increase(1, 3));
    project.group().instances.back().is_abandoned = false;
    EXPECT_THAT(states(*project.next(seconds(20))),
                ElementsAre("running", "running", "running", "creating"))
        << "Google is still trying";
    EXPECT_THAT(project.remove({id_of(project.created(0))})->failed, IsEmpty());
    EXPECT_EQ(project.gce.calls("deleteInstances"), 1);
}

TEST(GceLateFailures, HaveNoZoneInARegionalGroup) {
    Project project;
    project.add_regional("db", "EVEN", 1);
    ASSERT_TRUE(project.refresh());
    project.gce.polls = 7;
    project.gce.endings["createInstances"] = {{"QUOTA_EXCEEDED", "Quota exceeded.", ""}};
    const NodeGroupId db("p/us-central1/db");
    ASSERT_TRUE(project.increase(1, 1, {}, db));
    FakeMig& group = project.gce.groups.at("us-central1/db");
    group.instances.pop_back();
    group.target = 1;
    const auto view = project.next(seconds(20));
    ASSERT_THAT(view->machines, SizeIs(2));
    const Machine& failed = view->machines[1];
    EXPECT_EQ(failed.state, MachineState::failed);
    EXPECT_EQ(failed.zone, "");
    EXPECT_THAT(project.remove({failed.id.value()}, false, db)->failed, IsEmpty());
}

TEST(GceLateFailures, ShowOneFailedMachineForEachMissingInstance) {
    Slow project;
    project.group().update_type = "PROACTIVE";
    project.group().replacement = "SUBSTITUTE";
    project.fail_next("resize");
    ASSERT_TRUE(project.increase(2, 3));
    project.group().target = 3;
    EXPECT_THAT(states(*project.next(seconds(20))),
                ElementsAre("running", "running", "running", "failed", "failed"));
}

TEST(GceLateFailures, ShowErrorsOfMachinesThatWereNotRemoved) {
    Slow project;
    project.fail_next("deleteInstances");
    const std::string id = id_of(project.group().instances[0]);
    EXPECT_THAT(project.remove({id})->failed, IsEmpty());
    project.group().instances[0].action = "NONE";
    project.group().target = 3;
    const auto view = project.next(seconds(20));
    EXPECT_EQ(machine(*view, id).state, MachineState::running);
    ASSERT_TRUE(machine(*view, id).error);
    EXPECT_EQ(machine(*view, id).error->code, ErrorCode::quota);
    EXPECT_THAT(project.remove({id})->failed, IsEmpty());
    EXPECT_EQ(project.gce.calls("deleteInstances"), 2) << "it can be removed again";
    EXPECT_EQ(machine(*project.next(), id).error, std::nullopt);
}

TEST(GceLateFailures, DoNotIncludeSlowSuccesses) {
    Slow project;
    ASSERT_TRUE(project.increase(1, 3));
    project.host.advance(seconds(20));
    EXPECT_THAT(project.warnings(), IsEmpty());
    EXPECT_THAT(project.host.take_wakes(), IsEmpty());
}

}  // namespace
}  // namespace capstan::gce
