#include "runtime/clouds.hpp"

#include <gmock/gmock.h>

#include "virtual_assembly.hpp"

namespace capstan::runtime {
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

TEST(Clouds, AreOneListOfGroupsById) {
    VirtualAssembly virtually(two_clouds);
    const CloudsView view = virtually.clouds().refresh_now(virtually.host());
    EXPECT_THAT(ids(view), ElementsAre("east/batch", "west/db", "east/web"));
    EXPECT_THAT((*view.groups)[0].described, NotNull());
    EXPECT_EQ((*view.groups)[2].machines.size(), 2u);
}

TEST(Clouds, AreReadAtTheSameTime) {
    VirtualAssembly virtually(two_clouds);
    virtually.clouds().refresh_now(virtually.host());
    EXPECT_EQ(virtually.elapsed(), 10s) << "refresh, then descriptions, 5 s each in the west";
    virtually.clouds().refresh_now(virtually.host());
    EXPECT_EQ(virtually.elapsed(), 15s) << "the descriptions are known by now";
}

TEST(Clouds, AGroupOfTwoCloudsIsTheFirstOnes) {
    VirtualAssembly virtually(two_clouds);
    const CloudsView view = virtually.clouds().refresh_now(virtually.host());
    ASSERT_EQ(view.problems.size(), 1u);
    EXPECT_EQ(view.problems[0].subject, "web");
    EXPECT_EQ(view.problems[0].message,
              "plugin west: group \"web\": plugin east has a group of this id, too, and stands "
              "before it");
}

TEST(Clouds, ARefreshThatIsUnderWayServesAll) {
    VirtualAssembly virtually(two_clouds);
    int served = 0;
    for (int i = 0; i < 3; ++i) virtually.clouds().refresh([&](const CloudsView&) { ++served; });
    EXPECT_EQ(served, 0);
    virtually.host().virtual_loop()->advance(10s);
    EXPECT_EQ(served, 3);
    EXPECT_EQ(ids(virtually.clouds().view()).size(), 3u);
}

TEST(Clouds, ACloudThatDoesNotAnswerHoldsUpNothingForEver) {
    VirtualAssembly virtually("[pipeline]\nclouds = [\"slow\", \"quick\"]\n" +
                              simulated("slow", "latency = \"1h\"") +
                              simulated("quick", "groups = [" + simulated_group("web") + "]"));
    const CloudsView view = virtually.clouds().refresh_now(virtually.host());
    EXPECT_THAT(ids(view), ElementsAre("quick/web"));
    ASSERT_EQ(view.problems.size(), 1u);
    EXPECT_EQ(view.problems[0].code, ErrorCode::deadline);
}

TEST(Clouds, SeeMachinesBootAsVirtualTimePasses) {
    VirtualAssembly virtually("[pipeline]\nclouds = [\"east\"]\n" +
                              simulated("east", "groups = [" + simulated_group("web") + "]"));
    const auto cloud = virtually.clouds().find(PluginInstanceId("east"));
    ASSERT_THAT(cloud, NotNull());
    cloud->increase({.group = NodeGroupId("web"), .delta = 1}, [](const Result<Resized>&) {});
    const auto state = [&] {
        const CloudsView view = virtually.clouds().refresh_now(virtually.host());
        return view.groups->at(0).machines.at(0).state;
    };
    EXPECT_EQ(state(), MachineState::creating);
    virtually.host().virtual_loop()->advance(59s);
    EXPECT_EQ(state(), MachineState::creating);
    virtually.host().virtual_loop()->advance(1s);
    EXPECT_EQ(state(), MachineState::running);
}

TEST(Clouds, AreTheSameListWhileNothingBecomesOfThem) {
    const std::string one = "[pipeline]\nclouds = [\"m\"]\n" +
                            simulated("m", "groups = [" + simulated_group("db") + "]");
    const std::string two = "[pipeline]\nclouds = [\"z\", \"m\"]\n" +
                            simulated("z", "groups = [" + simulated_group("web") + "]") +
                            simulated("m", "groups = [" + simulated_group("db") + "]");
    for (const std::string& clouds : {one, two}) {
        VirtualAssembly virtually(clouds);
        const auto refresh = [&] {
            return virtually.clouds().refresh_now(virtually.host()).groups;
        };
        const auto before = refresh();
        EXPECT_EQ(refresh(), before);
        virtually.clouds()
            .find(PluginInstanceId("m"))
            ->increase({.group = NodeGroupId("db"), .delta = 1}, [](const Result<Resized>&) {});
        const auto grown = refresh();
        EXPECT_EQ(grown->at(0).group.target, 1);
        EXPECT_EQ(before->at(0).group.target, 0);
        EXPECT_EQ(refresh(), grown);
        virtually.host().virtual_loop()->advance(1min);
        EXPECT_NE(refresh(), grown) << "it runs";
    }
}

TEST(Clouds, TwoGroupsOfOneIdAreAProblemEachTime) {
    VirtualAssembly virtually(two_clouds);
    for (int i = 0; i < 3; ++i) {
        const CloudsView view = virtually.clouds().refresh_now(virtually.host());
        EXPECT_EQ(view.problems.size(), 1u);
        EXPECT_EQ(view.groups->size(), 3u);
    }
}

TEST(Clouds, WithoutAnyThereAreNoGroups) {
    VirtualAssembly virtually("");
    const CloudsView view = virtually.clouds().refresh_now(virtually.host());
    EXPECT_THAT(*view.groups, IsEmpty());
    EXPECT_THAT(view.problems, IsEmpty());
    EXPECT_THAT(virtually.clouds().find(PluginInstanceId("east")), IsNull());
}

TEST(Clouds, ANameWithoutAnInstanceIsAnError) {
    VirtualAssembly virtually("");
    Pipeline pipeline;
    pipeline.clouds = {PluginInstanceId("aws")};
    const auto clouds = Clouds::make(pipeline, virtually.host());
    ASSERT_FALSE(clouds);
    EXPECT_EQ(clouds.error().message, "pipeline: there is no instance aws");
}

TEST(Clouds, OneThatHasNotStartedCountsAsUnreadUntilItJoins) {
    VirtualAssembly virtually(two_clouds);
    const auto none =
        PluginHost::open(virtually.config(), virtually.plugins(), {.clock = std::make_shared<io::ManualClock>()});
    ASSERT_TRUE(none) << none.error();
    Pipeline both;
    both.clouds = {PluginInstanceId("east"), PluginInstanceId("west")};
    const auto clouds = Clouds::make(both, **none, {}, Missing::has_not_started);
    ASSERT_TRUE(clouds) << clouds.error();
    ASSERT_TRUE((*clouds)->join(virtually.host().find(both.clouds[0])));
    const CloudsView before = (*clouds)->refresh_now(virtually.host());
    EXPECT_THAT(ids(before), ElementsAre("east/batch", "east/web"));
    ASSERT_EQ(before.problems.size(), 1u);
    EXPECT_EQ(before.problems.front().message, "plugin west: it has not started");
    EXPECT_TRUE(before.unread.contains(both.clouds[1]));
    EXPECT_THAT((*clouds)->find(both.clouds[1]), IsNull());
    ASSERT_TRUE((*clouds)->join(virtually.host().find(both.clouds[1])));
    const CloudsView after = (*clouds)->refresh_now(virtually.host());
    EXPECT_THAT(ids(after), ElementsAre("east/batch", "west/db", "east/web"));
    EXPECT_TRUE(after.unread.empty());
    EXPECT_EQ((*clouds)->instances().size(), 2u);
}

TEST(Clouds, AreReadInRealTimeToo) {
    const Assembly assembly(two_clouds);
    const auto host = PluginHost::start(assembly.config(), assembly.plugins(), {});
    ASSERT_TRUE(host) << host.error();
    Pipeline east;
    east.clouds = {PluginInstanceId("east")};
    const auto clouds = Clouds::make(east, **host);
    ASSERT_TRUE(clouds) << clouds.error();
    EXPECT_THAT(ids((*clouds)->refresh_now(**host)), ElementsAre("east/batch", "east/web"));
}

}  // namespace
}  // namespace capstan::runtime
