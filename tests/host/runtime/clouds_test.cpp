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
              "plugin west: group \"web\": duplicate group id: plugin east is earlier in "
              "pipeline.clouds and wins");
}

/// "slow/db" of groups that are as they were, and not touched.
std::vector<std::string> untouched(const CloudsView& view) {
    std::vector<std::string> out;
    for (const engine::Group& group : *view.groups)
        if (!group.unreadable_because.empty())
            out.push_back(group.cloud.value() + "/" + group.group.id.value());
    return out;
}

/// A cloud that takes 20 seconds to answer, beside one that answers at once.
struct SlowCloud : ::testing::Test {
    CloudsView refresh() { return virtually.clouds().refresh_now(virtually.host()); }
    /// From here on passes come every ten seconds.
    void be_patient() {
        virtually.clouds().set_patience(patience_of(10s));
        began = virtually.elapsed();
    }
    Duration elapsed() const { return virtually.elapsed() - began; }

    VirtualAssembly virtually{
        "[pipeline]\nclouds = [\"slow\", \"quick\"]\n" +
        simulated("slow", "latency = \"20s\", groups = [" + simulated_group("db") + "]") +
        simulated("quick", "groups = [" + simulated_group("web") + "]")};
    Duration began{};
};

TEST_F(SlowCloud, IsLeftAsItWasAfterAWhileAndNotWaitedForAgain) {
    refresh();
    be_patient();
    const CloudsView silent = refresh();
    EXPECT_EQ(elapsed(), 15s);
    EXPECT_THAT(ids(silent), ElementsAre("slow/db", "quick/web"));
    EXPECT_THAT(untouched(silent), ElementsAre("slow/db"));
    EXPECT_EQ(silent.states.at(0).status, CloudStatus::unresponsive);
    EXPECT_EQ(silent.states.at(0).because,
              "cloud slow has not responded since 2026-01-01T00:00:40Z");
    EXPECT_EQ(silent.states.at(1).status, CloudStatus::answered);
    ASSERT_EQ(silent.problems.size(), 1u);
    EXPECT_EQ(silent.problems[0].code, ErrorCode::deadline);
    EXPECT_EQ(refresh().groups, silent.groups) << "its call is under way still";
    EXPECT_EQ(elapsed(), 15s);
}

TEST_F(SlowCloud, IsUsedAsSoonAsItAnswersAndHoldsUpNoOtherPassAsLong) {
    refresh();
    be_patient();
    // The last call ends only when its host does.
    const auto told = std::make_shared<int>(0);
    virtually.clouds().set_on_late([told] { ++*told; });
    refresh();
    virtually.host().virtual_loop()->advance(5s);
    EXPECT_EQ(*told, 1);
    EXPECT_THAT(untouched(refresh()), IsEmpty());
    EXPECT_EQ(elapsed(), 20s) << "by the answer that came late";
    EXPECT_THAT(untouched(refresh()), ElementsAre("slow/db"));
    EXPECT_EQ(elapsed(), 25s) << "half a scan interval";
}

TEST_F(SlowCloud, IsAskedAgainWhereItsLateAnswerIsOld) {
    refresh();
    be_patient();
    refresh();
    virtually.host().virtual_loop()->advance(1min);
    EXPECT_THAT(untouched(refresh()), ElementsAre("slow/db"));
}

TEST_F(SlowCloud, ThatNeverAnsweredHasNoGroupsAndHoldsUpNoOthers) {
    be_patient();
    const CloudsView first = refresh();
    EXPECT_EQ(elapsed(), 15s);
    EXPECT_THAT(ids(first), ElementsAre("quick/web"));
    EXPECT_THAT(first.unread,
                ElementsAre(std::pair(
                    PluginInstanceId("slow"),
                    std::string("cloud slow has not responded since 2026-01-01T00:00:00Z"))));
    virtually.host().virtual_loop()->advance(25s);
    EXPECT_THAT(ids(refresh()), ElementsAre("slow/db", "quick/web")) << "described by now";
}

TEST_F(SlowCloud, IsNotAskedTwiceWhereItsPipelineChangesWhileItIsSilent) {
    refresh();
    be_patient();
    refresh();
    config::Pipeline other = virtually.config().pipeline;
    other.clouds = {PluginInstanceId("quick")};
    ASSERT_TRUE(virtually.clouds().follow(other, virtually.host()));
    EXPECT_THAT(ids(refresh()), ElementsAre("quick/web"));
    other.clouds = {PluginInstanceId("quick"), PluginInstanceId("slow")};
    ASSERT_TRUE(virtually.clouds().follow(other, virtually.host()));
    const CloudsView again = refresh();
    EXPECT_THAT(untouched(again), ElementsAre("slow/db")) << "it is known from before";
    EXPECT_EQ(again.states.at(1).because,
              "cloud slow has not responded since 2026-01-01T00:00:40Z");
    EXPECT_EQ(elapsed(), 15s);
    virtually.host().virtual_loop()->advance(5s);
    EXPECT_THAT(untouched(refresh()), IsEmpty()) << "by the call of before";
    EXPECT_EQ(elapsed(), 20s);
}

TEST_F(SlowCloud, IsNotAskedTwiceWhereGroupsAreToBeMadeWhileItIsSilent) {
    refresh();
    be_patient();
    refresh();
    config::Pipeline other = virtually.config().pipeline;
    other.scale_up.group_sources = {PluginInstanceId("provisioning")};
    ASSERT_TRUE(virtually.clouds().follow(other, virtually.host()));
    virtually.host().virtual_loop()->advance(5s);
    EXPECT_THAT(untouched(refresh()), IsEmpty()) << "by the call of before";
    EXPECT_EQ(elapsed(), 20s);
}

TEST_F(SlowCloud, StaysAsItWasWhereAnotherPipelineCannotBeFollowed) {
    refresh();
    config::Pipeline other = virtually.config().pipeline;
    other.clouds = {PluginInstanceId("quick"), PluginInstanceId("nothere")};
    ASSERT_FALSE(virtually.clouds().follow(other, virtually.host()));
    EXPECT_THAT(ids(virtually.clouds().refresh_now(virtually.host())),
                ElementsAre("slow/db", "quick/web"));
}

TEST_F(SlowCloud, IsNotAskedWhileItRests) {
    refresh();
    be_patient();
    const CloudsView resting = virtually.clouds().refresh_now(
        virtually.host(),
        {.backed_off = {{PluginInstanceId("slow"), "cloud slow is backed off for 20s: no"}}});
    EXPECT_EQ(elapsed(), 0s);
    EXPECT_THAT(untouched(resting), ElementsAre("slow/db"));
    EXPECT_EQ(resting.states.at(0).status, CloudStatus::backed_off);
    EXPECT_FALSE(resting.results().contains(PluginInstanceId("slow")));
    EXPECT_EQ(resting.results().at(PluginInstanceId("quick")), std::nullopt);
}

TEST(Clouds, ThatFailAreLeftAsTheyWere) {
    VirtualAssembly virtually(
        "[pipeline]\nclouds = [\"east\"]\n" +
        simulated("east", "fail = { code = \"throttled\", message = \"slow down\" }, groups = [" +
                              simulated_group("web") + "]"));
    const CloudsView view = virtually.clouds().refresh_now(virtually.host());
    EXPECT_THAT(*view.groups, IsEmpty()) << "it never answered";
    EXPECT_EQ(view.states.at(0).status, CloudStatus::failed);
    EXPECT_EQ(view.results().at(PluginInstanceId("east"))->code, ErrorCode::throttled);
}

TEST(Clouds, AreWaitedForByThePatienceOfTheScanInterval) {
    EXPECT_EQ(patience_of(1s).unresponsive_after, 5s);
    EXPECT_EQ(patience_of(3s).unresponsive_after, 9s);
    EXPECT_EQ(patience_of(10s).unresponsive_after, 15s);
    EXPECT_EQ(patience_of(1min).unresponsive_after, 15s);
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
    config::Pipeline pipeline;
    pipeline.clouds = {PluginInstanceId("aws")};
    const auto clouds = Clouds::make(pipeline, virtually.host());
    ASSERT_FALSE(clouds);
    EXPECT_EQ(clouds.error().message, "pipeline: no plugin aws");
}

TEST(Clouds, OneThatHasNotStartedCountsAsUnreadUntilItJoins) {
    VirtualAssembly virtually(two_clouds);
    const auto none = PluginHost::open(virtually.config(), virtually.plugins(),
                                       {.clock = std::make_shared<io::ManualClock>()});
    ASSERT_TRUE(none) << none.error();
    config::Pipeline both;
    both.clouds = {PluginInstanceId("east"), PluginInstanceId("west")};
    const auto clouds = Clouds::make(both, **none, {}, Missing::has_not_started);
    ASSERT_TRUE(clouds) << clouds.error();
    ASSERT_TRUE((*clouds)->join(virtually.host().find(both.clouds[0])));
    const CloudsView before = (*clouds)->refresh_now(virtually.host());
    EXPECT_THAT(ids(before), ElementsAre("east/batch", "east/web"));
    ASSERT_EQ(before.problems.size(), 1u);
    EXPECT_EQ(before.problems.front().message, "plugin west: not started");
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
    config::Pipeline east;
    east.clouds = {PluginInstanceId("east")};
    const auto clouds = Clouds::make(east, **host);
    ASSERT_TRUE(clouds) << clouds.error();
    EXPECT_THAT(ids((*clouds)->refresh_now(**host)), ElementsAre("east/batch", "east/web"));
}

}  // namespace
}  // namespace capstan::runtime
