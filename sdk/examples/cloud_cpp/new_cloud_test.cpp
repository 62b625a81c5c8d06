#include "new_cloud.hpp"

#include <gmock/gmock.h>

#include <capstan/testing/fake_call.hpp>
#include <capstan/testing/fake_host.hpp>
#include <capstan/testing/fake_settings.hpp>
#include <capstan/to_abi.hpp>

namespace {

using capstan::ErrorCode;
using capstan::MachineId;
using capstan::NodeGroupId;
using capstan::testing::FakeHost;
using capstan::testing::FakeSettings;
using capstan::testing::list;
using capstan::testing::settings_of;
using capstan::testing::table;
using namespace std::chrono_literals;

/// One group, "web", of 1 to 4 machines that take a minute to boot.
struct Cloud {
    FakeHost host;
    FakeSettings settings = settings_of<NewCloud>();
    NewCloud cloud;

    Cloud() : cloud(host.host(), configured()) {}
    capstan::Settings configured() {
        settings.set("boot", 60s);
        settings.set("groups", list(table({{"id", "web"},
                                           {"min", 1},
                                           {"max", 4},
                                           {"cpu", "4"},
                                           {"memory", "16Gi"},
                                           {"zone", "z1"},
                                           {"price_per_hour", 0.2},
                                           {"unneeded_time", "2m"}})));
        return settings.view();
    }
    capstan::Resize resize(int delta, int expected, std::string key = {}) {
        return {.group = NodeGroupId("web"),
                .delta = delta,
                .expected_target = expected,
                .idempotency_key = std::move(key)};
    }
    std::vector<std::string> running() {
        std::vector<std::string> out;
        for (const auto& machine : cloud.refresh().machines) {
            if (machine.state == capstan::MachineState::running) out.push_back(machine.id.value());
        }
        return out;
    }
    int target() { return cloud.refresh().groups.at(0).target.value(); }
};

template <class T>
ErrorCode code_of(const capstan::Result<T>& result) {
    return result ? ErrorCode{} : result.error().code;
}

TEST(NewCloud, StartsWithItsMinimumRunning) {
    Cloud c;
    EXPECT_EQ(c.target(), 1);
    EXPECT_EQ(c.running(), (std::vector<std::string>{"new_cloud://web/1"}));
}

TEST(NewCloud, MachinesRunWhenTheyHaveBooted) {
    Cloud c;
    EXPECT_EQ(c.cloud.increase(c.resize(2, 1))->target, 3);
    EXPECT_EQ(c.running().size(), 1u);
    c.host.advance(60s);
    EXPECT_EQ(c.running().size(), 3u);
}

TEST(NewCloud, NeverGrowsPastTheMaximumNorFromAnOutdatedTarget) {
    Cloud c;
    EXPECT_EQ(code_of(c.cloud.increase(c.resize(4, 1))), ErrorCode::invalid_argument);
    EXPECT_EQ(code_of(c.cloud.increase(c.resize(1, 2))), ErrorCode::conflict);
    EXPECT_EQ(code_of(c.cloud.increase({.group = NodeGroupId("db"), .delta = 1})),
              ErrorCode::not_found);
    EXPECT_EQ(c.target(), 1);
}

TEST(NewCloud, TheSameRequestTwiceHasOneEffect) {
    Cloud c;
    EXPECT_EQ(c.cloud.increase(c.resize(1, 1, "k"))->target, 2);
    EXPECT_EQ(c.cloud.increase(c.resize(1, 1, "k"))->target, 2);
    EXPECT_EQ(c.target(), 2);
}

TEST(NewCloud, CancelsOnlyMachinesThatDoNotRunYet) {
    Cloud c;
    c.cloud.increase(c.resize(2, 1)).value();
    EXPECT_EQ(code_of(c.cloud.decrease_target(c.resize(3, 3))), ErrorCode::invalid_argument);
    EXPECT_EQ(c.cloud.decrease_target(c.resize(2, 3))->target, 1);
    EXPECT_EQ(c.running().size(), 1u);
}

TEST(NewCloud, RemovesMachinesDownToTheMinimumAndNamesThoseItDoesNotHave) {
    Cloud c;
    c.cloud.increase(c.resize(1, 1)).value();
    const capstan::Removal both{
        .group = NodeGroupId("web"),
        .machines = {MachineId("new_cloud://web/1"), MachineId("new_cloud://web/2")}};
    EXPECT_EQ(code_of(c.cloud.remove(both)), ErrorCode::invalid_argument);
    const auto removed =
        c.cloud.remove({.group = NodeGroupId("web"),
                        .machines = {MachineId("new_cloud://web/2"), MachineId("other")}});
    ASSERT_EQ(removed->failed.size(), 1u);
    EXPECT_EQ(removed->failed[0].subject, "other");
    EXPECT_EQ(c.target(), 1);
}

TEST(NewCloud, DescribesAndPricesItsMachines) {
    Cloud c;
    const capstan::NodeTemplate node = c.cloud.describe(NodeGroupId("web")).value();
    EXPECT_EQ(node.capacity.amount("cpu"), 4000);
    EXPECT_EQ(node.labels.at("topology.kubernetes.io/zone"), "z1");
    const capstan::CloudView view = c.cloud.refresh();
    EXPECT_EQ(view.groups.at(0).price->per_hour, 0.2);
    EXPECT_EQ(view.groups.at(0).options->unneeded_time, 2min);
}

TEST(NewCloud, AppliesChangedGroupsWhileItRuns) {
    Cloud its;
    const std::string fingerprint = its.cloud.describe(NodeGroupId("web"))->fingerprint;
    its.settings.set(
        "groups",
        list(table({{"id", "web"}, {"max", 9}, {"cpu", "8"}, {"memory", "1Gi"}}),
             table({{"id", "new"}, {"min", 2}, {"max", 2}, {"cpu", "1"}, {"memory", "1Gi"}})));
    ASSERT_TRUE(its.cloud.reconfigure(its.settings.view()));
    const auto groups = its.cloud.refresh().groups;
    ASSERT_EQ(groups.size(), 2u);
    EXPECT_EQ(groups[0].max, 9);
    EXPECT_EQ(groups[0].target, 1) << "its machine stays";
    EXPECT_EQ(groups[1].target, 2);
    EXPECT_NE(its.cloud.describe(NodeGroupId("web"))->fingerprint, fingerprint);
    EXPECT_TRUE(its.cloud.increase(its.resize(8, 1)));
    its.settings.set("groups",
                     list(table({{"id", "new"}, {"max", 2}, {"cpu", "1"}, {"memory", "1Gi"}})));
    ASSERT_TRUE(its.cloud.reconfigure(its.settings.view()));
    EXPECT_EQ(its.cloud.refresh().groups.size(), 1u);
    EXPECT_EQ(its.cloud.refresh().machines.size(), 2u);
}

TEST(NewCloud, RefusesSettingsThatContradictEachOther) {
    FakeSettings settings = settings_of<NewCloud>();
    settings.set(
        "groups",
        list(table({{"id", "a"}, {"min", 3}, {"max", 2}, {"cpu", "1"}, {"memory", "1Gi"}}),
             table({{"id", "a"}, {"max", 2}, {"initial", 9}, {"cpu", "1"}, {"memory", "1Gi"}})));
    NewCloud::check(settings.view());
    EXPECT_EQ(settings.rejections(), (std::vector<capstan::testing::Rejection>{
                                         {"groups[0].min", "is above max, 2"},
                                         {"groups[1].id", "duplicate group id"},
                                         {"groups[1].initial", "is not between min and max"}}));
}

}  // namespace
