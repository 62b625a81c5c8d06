#include "group_history.hpp"

#include <gmock/gmock.h>

#include <algorithm>
#include <memory>

#include <capstan/testing/fake_host.hpp>
#include <capstan/testing/run_task.hpp>

#include "refreshed.hpp"
#include "simulated.hpp"
#include "test_settings.hpp"

namespace capstan::simulated {
namespace {

using testing::FakeHost;
using ::testing::IsEmpty;
using testing::run;
using namespace std::chrono_literals;

/// The group "web" of two machines, with a list lag of six seconds.
struct ListLag : ::testing::Test {
    FakeHost host;
    bool registers = false;
    std::unique_ptr<Simulated> cloud = start();

    std::unique_ptr<Simulated> start() const {
        testing::FakeSettings settings = settings_with({web({{"size", 2}, {"boot", "1m"}})});
        settings.set("list_lag", "6s");
        Config config = read_config(settings.view());
        config.register_nodes = registers;
        return std::make_unique<Simulated>(host.host(), std::move(config));
    }
    CloudView list() { return refreshed(host, *cloud).value(); }
    int target() { return list().groups.at(0).target.value(); }
    int count(MachineState state) {
        return static_cast<int>(std::ranges::count(list().machines, state, &Machine::state));
    }
    Result<Resized> increase(int by, int expected) {
        return run(host,
                   cloud->increase(
                       {.group = NodeGroupId("web"), .delta = by, .expected_target = expected}));
    }
};

TEST_F(ListLag, ReturnsAnIncreaseAtOnceAndListsItLater) {
    EXPECT_EQ(increase(3, 2)->target, 5);
    EXPECT_EQ(target(), 2);
    host.advance(5999ms);
    EXPECT_EQ(target(), 2);
    EXPECT_EQ(list().machines.size(), 2u);
    host.advance(1ms);
    EXPECT_EQ(target(), 5);
    EXPECT_EQ(count(MachineState::creating), 3);
}

TEST_F(ListLag, DoesNotAffectTheExpectedTarget) {
    ASSERT_TRUE(increase(3, 2));
    EXPECT_EQ(increase(3, 2).error().code, ErrorCode::conflict);
    EXPECT_EQ(increase(1, 5)->target, 6);
    host.advance(6s);
    EXPECT_EQ(target(), 6);
}

TEST_F(ListLag, DelaysEachChangeSeparately) {
    ASSERT_TRUE(increase(1, 2));
    host.advance(4s);
    ASSERT_TRUE(increase(1, 3));
    host.advance(2s);
    EXPECT_EQ(target(), 3);
    host.advance(4s);
    EXPECT_EQ(target(), 4);
}

TEST_F(ListLag, DelaysStateChangesOfMachines) {
    ASSERT_TRUE(increase(1, 2));
    host.advance(1min);
    EXPECT_EQ(count(MachineState::running), 2);
    host.advance(6s);
    EXPECT_EQ(count(MachineState::running), 3);
}

TEST_F(ListLag, ShowsRemovedMachinesForAWhile) {
    const Removal removal{.group = NodeGroupId("web"),
                          .machines = {MachineId("simulated://web/1")}};
    EXPECT_THAT(run(host, cloud->remove(removal))->failed, IsEmpty());
    EXPECT_EQ(target(), 2);
    EXPECT_EQ(count(MachineState::running), 2);
    host.advance(6s);
    EXPECT_EQ(target(), 1);
    EXPECT_EQ(list().machines.at(0).id, MachineId("simulated://web/2"));
}

TEST_F(ListLag, SurvivesARestartIfNodesAreRegistered) {
    registers = true;
    cloud = start();
    EXPECT_EQ(target(), 2);
    ASSERT_TRUE(increase(3, 2));
    host.advance(2s);
    cloud = start();
    EXPECT_EQ(target(), 2);
    EXPECT_EQ(increase(3, 2).error().code, ErrorCode::conflict);
    host.advance(4s);
    EXPECT_EQ(target(), 5);
}

TEST_F(ListLag, DoesNotApplyToANewGroup) {
    testing::FakeSettings settings =
        settings_with({web({{"size", 2}}), {{"id", "db"}, {"size", 1}, {"machine", machine()}}});
    settings.set("list_lag", "6s");
    cloud->reconfigure(read_config(settings.view()));
    const CloudView view = list();
    ASSERT_EQ(view.groups.size(), 2u);
    EXPECT_EQ(view.groups[0].target, 1);
}

}  // namespace
}  // namespace capstan::simulated
