#include "autoscaler/clouds.hpp"

#include <gmock/gmock.h>

#include "virtual_assembly.hpp"

namespace capstan::autoscaler {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::IsNull;
using ::testing::NotNull;
using namespace std::chrono_literals;

const std::string two_clouds =
    "[pipeline]\nclouds = [\"east\", \"west\"]\n" +
    simulated("east", "groups = [" + simulated_group("web", "size = 2") + ", " +
                          simulated_group("batch") + "]") +
    simulated("west", "latency = \"5s\", groups = [" + simulated_group("db") + ", " +
                          simulated_group("web", "size = 7") + "]");

std::vector<std::string> ids(const CloudsView& view) {
    std::vector<std::string> out;
    for (const engine::Group& group : *view.groups)
        out.push_back(group.cloud.value() + "/" + group.group.id.value());
    return out;
}

TEST(Clouds, ListGroupsOfAllCloudsById) {
    VirtualAssembly assembly(two_clouds);
    const CloudsView view = assembly.clouds().refresh_now(assembly.host());
    EXPECT_THAT(ids(view), ElementsAre("east/batch", "west/db", "east/web"));
    EXPECT_THAT((*view.groups)[0].described, NotNull());
    EXPECT_EQ((*view.groups)[2].machines.size(), 2u);
}

TEST(Clouds, AreReadConcurrently) {
    VirtualAssembly assembly(two_clouds);
    assembly.clouds().refresh_now(assembly.host());
    EXPECT_EQ(assembly.elapsed(), 10s) << "refresh, then describe, 5 s each in west";
    assembly.clouds().refresh_now(assembly.host());
    EXPECT_EQ(assembly.elapsed(), 15s) << "the templates are already known";
}

TEST(Clouds, KeepTheFirstOfTwoGroupsWithOneId) {
    VirtualAssembly assembly(two_clouds);
    const CloudsView view = assembly.clouds().refresh_now(assembly.host());
    ASSERT_EQ(view.problems.size(), 1u);
    EXPECT_EQ(view.problems[0].subject, "web");
    EXPECT_EQ(view.problems[0].message,
              "plugin west: group \"web\": duplicate group id: plugin east is earlier in "
              "pipeline.clouds and wins");
}

/// "slow/db" for each group kept from an earlier reading.
std::vector<std::string> kept_groups(const CloudsView& view) {
    std::vector<std::string> out;
    for (const engine::Group& group : *view.groups)
        if (!group.unreadable_because.empty())
            out.push_back(group.cloud.value() + "/" + group.group.id.value());
    return out;
}

/// A cloud that responds after 20 seconds, and one that responds immediately.
struct CloudsSlowCloud : ::testing::Test {
    CloudsView refresh() { return assembly.clouds().refresh_now(assembly.host()); }
    /// Sets the patience that belongs to a scan interval of ten seconds.
    void set_patience() {
        assembly.clouds().set_patience(patience_of(10s));
        began = assembly.elapsed();
    }
    Duration elapsed() const { return assembly.elapsed() - began; }

    VirtualAssembly assembly{
        "[pipeline]\nclouds = [\"slow\", \"quick\"]\n" +
        simulated("slow", "latency = \"20s\", groups = [" + simulated_group("db") + "]") +
        simulated("quick", "groups = [" + simulated_group("web") + "]")};
    Duration began{};
};

TEST_F(CloudsSlowCloud, KeepsItsGroupsAndIsNotAwaitedAgain) {
    refresh();
    set_patience();
    const CloudsView silent = refresh();
    EXPECT_EQ(elapsed(), 15s);
    EXPECT_THAT(ids(silent), ElementsAre("slow/db", "quick/web"));
    EXPECT_THAT(kept_groups(silent), ElementsAre("slow/db"));
    EXPECT_EQ(silent.states.at(0).status, CloudStatus::unresponsive);
    EXPECT_EQ(silent.states.at(0).because,
              "cloud slow has not responded since 2026-01-01T00:00:40Z");
    EXPECT_EQ(silent.states.at(1).status, CloudStatus::answered);
    ASSERT_EQ(silent.problems.size(), 1u);
    EXPECT_EQ(silent.problems[0].code, ErrorCode::deadline);
    EXPECT_EQ(refresh().groups, silent.groups) << "its call is still running";
    EXPECT_EQ(elapsed(), 15s);
}

TEST_F(CloudsSlowCloud, IsUsedWhenItsLateResponseArrives) {
    refresh();
    set_patience();
    // Shared, because the last call ends with the host, after this function.
    const auto calls = std::make_shared<int>(0);
    assembly.clouds().set_on_late([calls] { ++*calls; });
    refresh();
    assembly.host().virtual_loop()->advance(5s);
    EXPECT_EQ(*calls, 1);
    EXPECT_THAT(kept_groups(refresh()), IsEmpty());
    EXPECT_EQ(elapsed(), 20s) << "with the late response";
    EXPECT_THAT(kept_groups(refresh()), ElementsAre("slow/db"));
    EXPECT_EQ(elapsed(), 25s) << "half a scan interval";
}

TEST_F(CloudsSlowCloud, IsCalledAgainIfItsLateResponseIsOld) {
    refresh();
    set_patience();
    refresh();
    assembly.host().virtual_loop()->advance(1min);
    EXPECT_THAT(kept_groups(refresh()), ElementsAre("slow/db"));
}

TEST_F(CloudsSlowCloud, HasNoGroupsIfItNeverResponded) {
    set_patience();
    const CloudsView first = refresh();
    EXPECT_EQ(elapsed(), 15s);
    EXPECT_THAT(ids(first), ElementsAre("quick/web"));
    EXPECT_THAT(first.unread,
                ElementsAre(std::pair(
                    PluginInstanceId("slow"),
                    std::string("cloud slow has not responded since 2026-01-01T00:00:00Z"))));
    assembly.host().virtual_loop()->advance(25s);
    EXPECT_THAT(ids(refresh()), ElementsAre("slow/db", "quick/web")) << "described meanwhile";
}

TEST_F(CloudsSlowCloud, IsNotCalledTwiceIfThePipelineChanges) {
    refresh();
    set_patience();
    refresh();
    config::Pipeline other = assembly.config().pipeline;
    other.clouds = {PluginInstanceId("quick")};
    ASSERT_TRUE(assembly.clouds().set_pipeline(other, assembly.host()));
    EXPECT_THAT(ids(refresh()), ElementsAre("quick/web"));
    other.clouds = {PluginInstanceId("quick"), PluginInstanceId("slow")};
    ASSERT_TRUE(assembly.clouds().set_pipeline(other, assembly.host()));
    const CloudsView again = refresh();
    EXPECT_THAT(kept_groups(again), ElementsAre("slow/db")) << "known from before";
    EXPECT_EQ(again.states.at(1).because,
              "cloud slow has not responded since 2026-01-01T00:00:40Z");
    EXPECT_EQ(elapsed(), 15s);
    assembly.host().virtual_loop()->advance(5s);
    EXPECT_THAT(kept_groups(refresh()), IsEmpty()) << "with the response to the first call";
    EXPECT_EQ(elapsed(), 20s);
}

TEST_F(CloudsSlowCloud, IsNotCalledTwiceIfGroupSourcesAreAdded) {
    refresh();
    set_patience();
    refresh();
    config::Pipeline other = assembly.config().pipeline;
    other.scale_up.group_sources = {PluginInstanceId("provisioning")};
    ASSERT_TRUE(assembly.clouds().set_pipeline(other, assembly.host()));
    assembly.host().virtual_loop()->advance(5s);
    EXPECT_THAT(kept_groups(refresh()), IsEmpty()) << "with the response to the first call";
    EXPECT_EQ(elapsed(), 20s);
}

TEST_F(CloudsSlowCloud, KeepsItsGroupsIfAnotherPipelineIsInvalid) {
    refresh();
    config::Pipeline other = assembly.config().pipeline;
    other.clouds = {PluginInstanceId("quick"), PluginInstanceId("unknown")};
    ASSERT_FALSE(assembly.clouds().set_pipeline(other, assembly.host()));
    EXPECT_THAT(ids(assembly.clouds().refresh_now(assembly.host())),
                ElementsAre("slow/db", "quick/web"));
}

TEST_F(CloudsSlowCloud, IsNotCalledWhileBackedOff) {
    refresh();
    set_patience();
    const CloudsView backed_off = assembly.clouds().refresh_now(
        assembly.host(),
        {.backed_off = {{PluginInstanceId("slow"), "cloud slow is backed off for 20s: no"}}});
    EXPECT_EQ(elapsed(), 0s);
    EXPECT_THAT(kept_groups(backed_off), ElementsAre("slow/db"));
    EXPECT_EQ(backed_off.states.at(0).status, CloudStatus::backed_off);
    EXPECT_FALSE(backed_off.results().contains(PluginInstanceId("slow")));
    EXPECT_EQ(backed_off.results().at(PluginInstanceId("quick")), std::nullopt);
}

TEST(Clouds, ReportAFailedCloud) {
    VirtualAssembly assembly(
        "[pipeline]\nclouds = [\"east\"]\n" +
        simulated("east", "fail = { code = \"throttled\", message = \"slow down\" }, groups = [" +
                              simulated_group("web") + "]"));
    const CloudsView view = assembly.clouds().refresh_now(assembly.host());
    EXPECT_THAT(*view.groups, IsEmpty()) << "it never responded";
    EXPECT_EQ(view.states.at(0).status, CloudStatus::failed);
    EXPECT_EQ(view.results().at(PluginInstanceId("east"))->code, ErrorCode::throttled);
}

TEST(Clouds, WaitForAFractionOfTheScanInterval) {
    EXPECT_EQ(patience_of(1s).unresponsive_after, 5s);
    EXPECT_EQ(patience_of(3s).unresponsive_after, 9s);
    EXPECT_EQ(patience_of(10s).unresponsive_after, 15s);
    EXPECT_EQ(patience_of(1min).unresponsive_after, 15s);
}

TEST(Clouds, WaitForASlowCloudUntilTheDeadline) {
    VirtualAssembly assembly("[pipeline]\nclouds = [\"slow\", \"quick\"]\n" +
                             simulated("slow", "latency = \"1h\"") +
                             simulated("quick", "groups = [" + simulated_group("web") + "]"));
    const CloudsView view = assembly.clouds().refresh_now(assembly.host());
    EXPECT_THAT(ids(view), ElementsAre("quick/web"));
    ASSERT_EQ(view.problems.size(), 1u);
    EXPECT_EQ(view.problems[0].code, ErrorCode::deadline);
}

TEST(Clouds, ReportBootingMachines) {
    VirtualAssembly assembly("[pipeline]\nclouds = [\"east\"]\n" +
                             simulated("east", "groups = [" + simulated_group("web") + "]"));
    const auto cloud = assembly.clouds().find(PluginInstanceId("east"));
    ASSERT_THAT(cloud, NotNull());
    cloud->increase({.group = NodeGroupId("web"), .delta = 1}, [](const Result<Resized>&) {});
    const auto state = [&] {
        const CloudsView view = assembly.clouds().refresh_now(assembly.host());
        return view.groups->at(0).machines.at(0).state;
    };
    EXPECT_EQ(state(), MachineState::creating);
    assembly.host().virtual_loop()->advance(59s);
    EXPECT_EQ(state(), MachineState::creating);
    assembly.host().virtual_loop()->advance(1s);
    EXPECT_EQ(state(), MachineState::running);
}

TEST(Clouds, ReturnTheSameObjectWhileNothingChanges) {
    const std::string one = "[pipeline]\nclouds = [\"m\"]\n" +
                            simulated("m", "groups = [" + simulated_group("db") + "]");
    const std::string two = "[pipeline]\nclouds = [\"z\", \"m\"]\n" +
                            simulated("z", "groups = [" + simulated_group("web") + "]") +
                            simulated("m", "groups = [" + simulated_group("db") + "]");
    for (const std::string& clouds : {one, two}) {
        VirtualAssembly assembly(clouds);
        const auto refresh = [&] { return assembly.clouds().refresh_now(assembly.host()).groups; };
        const auto before = refresh();
        EXPECT_EQ(refresh(), before);
        assembly.clouds()
            .find(PluginInstanceId("m"))
            ->increase({.group = NodeGroupId("db"), .delta = 1}, [](const Result<Resized>&) {});
        const auto grown = refresh();
        EXPECT_EQ(grown->at(0).group.target, 1);
        EXPECT_EQ(before->at(0).group.target, 0);
        EXPECT_EQ(refresh(), grown);
        assembly.host().virtual_loop()->advance(1min);
        EXPECT_NE(refresh(), grown) << "the machine is running";
    }
}

TEST(Clouds, ReportADuplicateGroupEachTime) {
    VirtualAssembly assembly(two_clouds);
    for (int i = 0; i < 3; ++i) {
        const CloudsView view = assembly.clouds().refresh_now(assembly.host());
        EXPECT_EQ(view.problems.size(), 1u);
        EXPECT_EQ(view.groups->size(), 3u);
    }
}

TEST(Clouds, HaveNoGroupsWithoutAPlugin) {
    VirtualAssembly assembly("");
    const CloudsView view = assembly.clouds().refresh_now(assembly.host());
    EXPECT_THAT(*view.groups, IsEmpty());
    EXPECT_THAT(view.problems, IsEmpty());
    EXPECT_THAT(assembly.clouds().find(PluginInstanceId("east")), IsNull());
}

TEST(Clouds, RefuseAnUnknownInstance) {
    VirtualAssembly assembly("");
    config::Pipeline pipeline;
    pipeline.clouds = {PluginInstanceId("aws")};
    const auto clouds = Clouds::make(pipeline, assembly.host());
    ASSERT_FALSE(clouds);
    EXPECT_EQ(clouds.error().message, "pipeline: no plugin aws");
}

TEST(Clouds, ListACloudAsUnreadUntilItJoins) {
    VirtualAssembly assembly(two_clouds);
    const auto none = PluginHost::open(assembly.config(), assembly.plugins(),
                                       {.clock = std::make_shared<io::ManualClock>()});
    ASSERT_TRUE(none) << none.error();
    config::Pipeline both;
    both.clouds = {PluginInstanceId("east"), PluginInstanceId("west")};
    const auto clouds = Clouds::make(both, **none, {}, Missing::has_not_started);
    ASSERT_TRUE(clouds) << clouds.error();
    ASSERT_TRUE((*clouds)->join(assembly.host().find(both.clouds[0])));
    const CloudsView before = (*clouds)->refresh_now(assembly.host());
    EXPECT_THAT(ids(before), ElementsAre("east/batch", "east/web"));
    ASSERT_EQ(before.problems.size(), 1u);
    EXPECT_EQ(before.problems.front().message, "plugin west: not started");
    EXPECT_TRUE(before.unread.contains(both.clouds[1]));
    EXPECT_THAT((*clouds)->find(both.clouds[1]), IsNull());
    ASSERT_TRUE((*clouds)->join(assembly.host().find(both.clouds[1])));
    const CloudsView after = (*clouds)->refresh_now(assembly.host());
    EXPECT_THAT(ids(after), ElementsAre("east/batch", "west/db", "east/web"));
    EXPECT_TRUE(after.unread.empty());
    EXPECT_EQ((*clouds)->instances().size(), 2u);
}

TEST(Clouds, AreReadInRealTime) {
    const Assembly assembly(two_clouds);
    const auto host = PluginHost::start(assembly.config(), assembly.plugins(), {});
    ASSERT_TRUE(host) << host.error();
    config::Pipeline east;
    east.clouds = {PluginInstanceId("east")};
    const auto clouds = Clouds::make(east, **host);
    ASSERT_TRUE(clouds) << clouds.error();
    EXPECT_THAT(ids((*clouds)->refresh_now(**host)), ElementsAre("east/batch", "east/web"));
}

}  // namespace
}  // namespace capstan::autoscaler
