#include <capstan/failed_changes.hpp>

#include <string>
#include <utility>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <capstan/testing/fake_host.hpp>

namespace {

using namespace std::chrono_literals;
using capstan::CloudView;
using capstan::Error;
using capstan::ErrorCode;
using capstan::FailedChanges;
using capstan::Machine;
using capstan::MachineId;
using capstan::MachineState;
using capstan::NodeGroup;
using capstan::NodeGroupId;
using capstan::testing::FakeHost;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

const NodeGroupId web("web");
const Error no_stock{ErrorCode::out_of_capacity, "no stock"};

class FailedChangesTest : public ::testing::Test {
protected:
    FakeHost host;
    FailedChanges failed{host.host()};
    std::vector<NodeGroup> groups{{.id = web, .target = 1}};
    std::vector<Machine> listed{{.id = MachineId("m-1"), .group = web}};

    CloudView refresh(capstan::Duration later = 10s) {
        host.advance(later);
        failed.update();
        CloudView out{.groups = groups, .machines = listed};
        failed.show_in(out);
        return out;
    }
    std::vector<std::string> ids(capstan::Duration later = 10s) {
        std::vector<std::string> out;
        for (const Machine& machine : refresh(later).machines) out.push_back(machine.id.value());
        return out;
    }
};

TEST_F(FailedChangesTest, AreShownAsFailedMachinesWithTheError) {
    failed.add(web, {{.id = MachineId("m-2"), .machine_type = "big", .zone = "a"}}, no_stock);
    const CloudView view = refresh();
    ASSERT_THAT(view.machines, SizeIs(2));
    EXPECT_EQ(view.machines[1], (Machine{.id = MachineId("m-2"),
                                         .group = web,
                                         .state = MachineState::failed,
                                         .machine_type = "big",
                                         .zone = "a",
                                         .error = no_stock}));
}

TEST_F(FailedChangesTest, WakeTheHostAndLogOneWarning) {
    failed.add(web, 3, no_stock);
    EXPECT_THAT(host.take_wakes(),
                ElementsAre(HasSubstr("group \"web\": accepted increase failed")));
    ASSERT_THAT(host.log_lines(), SizeIs(1));
    EXPECT_EQ(host.log_lines()[0].message, "group \"web\": accepted increase failed: no stock");
}

TEST_F(FailedChangesTest, GenerateIdsForMachinesWithoutOne) {
    failed.add(web, 2, no_stock);
    failed.add(web, 1, no_stock);
    EXPECT_THAT(ids(), ElementsAre("m-1", "web/failed-1", "web/failed-2", "web/failed-3"));
}

TEST_F(FailedChangesTest, AreShownForAMinute) {
    failed.add(web, 1, no_stock);
    const auto version = failed.version();
    for (int i = 0; i < 5; ++i) EXPECT_THAT(ids(), SizeIs(2)) << i;
    EXPECT_EQ(failed.version(), version);
    EXPECT_THAT(ids(), SizeIs(1));
    EXPECT_NE(failed.version(), version);
}

TEST_F(FailedChangesTest, AreShownInTwoRefreshesHoweverLate) {
    failed.add(web, 1, no_stock);
    EXPECT_THAT(ids(10min), SizeIs(2));
    EXPECT_THAT(ids(10min), SizeIs(2));
    EXPECT_THAT(ids(10min), SizeIs(1));
}

TEST_F(FailedChangesTest, AreNotShownForAListedMachine) {
    failed.add(web, {{.id = MachineId("m-1")}}, no_stock);
    const CloudView view = refresh();
    ASSERT_THAT(view.machines, SizeIs(1));
    EXPECT_EQ(view.machines[0], listed[0]);
}

TEST_F(FailedChangesTest, AreNotShownForADeletedGroup) {
    failed.add(web, 1, no_stock);
    groups.clear();
    listed.clear();
    EXPECT_THAT(ids(), IsEmpty());
}

TEST_F(FailedChangesTest, ShowTheErrorOfARemovalWhileTheMachineExists) {
    failed.add_removals(web, {MachineId("m-1"), MachineId("m-2")}, no_stock);
    EXPECT_THAT(host.take_wakes(), SizeIs(1));
    CloudView view = refresh();
    ASSERT_THAT(view.machines, SizeIs(1));
    EXPECT_EQ(view.machines[0].state, MachineState::running);
    EXPECT_EQ(view.machines[0].error, no_stock);
    listed[0].state = MachineState::deleting;
    EXPECT_EQ(refresh().machines[0].error, std::nullopt) << "the machine is being deleted now";
}

TEST_F(FailedChangesTest, ShowAFailedMachineInAGroupThatWasNotCreated) {
    const NodeGroupId made("made");
    failed.add_group({.id = made, .max = 7}, no_stock);
    const CloudView view = refresh();
    ASSERT_THAT(view.groups, SizeIs(2));
    EXPECT_EQ(view.groups[1], (NodeGroup{.id = made, .max = 7, .target = 0}));
    ASSERT_THAT(view.machines, SizeIs(2));
    EXPECT_EQ(view.machines[1].group, made);
    EXPECT_EQ(view.machines[1].error, no_stock);
    groups.push_back({.id = made, .target = 0});
    EXPECT_THAT(ids(), ElementsAre("m-1")) << "the group exists now";
}

TEST_F(FailedChangesTest, AreForgottenWhenTheMachineIsRemoved) {
    failed.add(web, {{.id = MachineId("m-2")}}, no_stock);
    failed.add_removals(web, {MachineId("m-1")}, no_stock);
    EXPECT_TRUE(failed.forget(MachineId("m-2"))) << "the cloud has nothing to remove";
    EXPECT_FALSE(failed.forget(MachineId("m-1"))) << "the cloud must be called again";
    EXPECT_FALSE(failed.forget(MachineId("m-3")));
    const CloudView view = refresh();
    EXPECT_EQ(view.machines, listed);
}

}  // namespace
