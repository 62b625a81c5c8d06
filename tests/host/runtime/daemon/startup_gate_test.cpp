#include "runtime/daemon/startup_gate.hpp"

#include <gmock/gmock.h>

#include <csignal>
#include <string>
#include <vector>

#include "live_cluster.hpp"
#include "runtime/test_host.hpp"

namespace capstan::runtime::daemon {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::Ge;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Le;
using namespace std::chrono_literals;

struct Hold : ::testing::Test {
    TestHost host;
    services::KubeGateway plugins{host.loop};
    std::shared_ptr<services::Logger> log = host.environment().log;
    services::StartupWatches& watches = plugins.early_watches();
};

TEST_F(Hold, HoldsNothingWhereNothingIsAwaited) {
    EXPECT_TRUE(StartupGate(nullptr, host.loop, *log).is_over());
    EXPECT_TRUE(StartupGate(&plugins, host.loop, *log).is_over());
    EXPECT_EQ(StartupGate(nullptr, host.loop, *log).reason(), "");
}

TEST_F(Hold, LastsUntilPluginsKnowWhatTheyFollow) {
    const auto pods = watches.add("pods for plugin a", [] {});
    const auto maps = watches.add("configmaps in shop for plugin b", [] {});
    StartupGate hold(&plugins, host.loop, *log);
    EXPECT_FALSE(hold.is_over());
    EXPECT_EQ(hold.reason(), "not synced yet: pods for plugin a, configmaps in shop for plugin b");
    watches.settle(pods);
    host.loop.advance(9s);
    EXPECT_FALSE(hold.is_over());
    EXPECT_EQ(hold.reason(), "not synced yet: configmaps in shop for plugin b");
    watches.settle(maps);
    EXPECT_TRUE(hold.is_over());
    EXPECT_EQ(hold.reason(), "");
    EXPECT_EQ(host.lines->text(), "");
}

TEST_F(Hold, LastsTenSecondsAtMostAndSaysOnceWhatIsMissing) {
    host.loop.advance(1min);
    watches.add("pods for plugin a", [] {});
    StartupGate hold(&plugins, host.loop, *log);
    host.loop.advance(10s - 1ms);
    EXPECT_FALSE(hold.is_over());
    host.loop.advance(1ms);
    EXPECT_TRUE(hold.is_over());
    EXPECT_EQ(hold.reason(), "") << "passes may begin";
    const std::string said = host.lines->text();
    EXPECT_THAT(said, HasSubstr("warn"));
    EXPECT_THAT(said, HasSubstr("starting passes; not synced after 10s: pods for plugin a"));
    EXPECT_TRUE(hold.is_over());
    EXPECT_EQ(host.lines->text(), said);
}

/// Two groups as good as each other, and an expander that goes by a ConfigMap.
struct Tiers {
    static std::string config(const std::string& expanders) {
        return "[pipeline.scale_up]\nexpanders = " + expanders + R"(
[plugin.lots]
class = "random"
[plugin.tiers]
class = "priority"
grants = { kube = ["configmaps:list,watch@kube-system"] }
settings = { config_map = "kube-system/prio" })";
    }
    static constexpr const char* map_first = "[\"tiers\", \"lots\"]";
    static constexpr const char* lots_first = "[\"lots\", \"tiers\"]";
    static constexpr const char* groups =
        "groups = [{ id = \"a\", max = 50, boot = \"1h\", machine = { cpu = \"4\", memory = "
        "\"16Gi\" } }, { id = \"b\", max = 50, boot = \"1h\", machine = { cpu = \"4\", memory = "
        "\"16Gi\" } }]";

    /// `preferred`: the group that has the higher priority.
    explicit Tiers(const std::string& preferred, const std::string& expanders = map_first)
        : cluster(config(expanders), groups) {
        cluster.make("configmaps", "kube-system",
                     {{"metadata", {{"name", "prio"}}},
                      {"data", {{"priorities", "1: ['.*']\n9: ['" + preferred + "']\n"}}}});
        cluster.add_waiting_pod("web-1");
        cluster.on_pass = [this](const PassReport& pass) {
            for (const auto& increase : pass.decision().increases)
                grown.push_back(increase.group.value());
        };
    }
    /// Lists of ConfigMaps, which only the expander asks for.
    void spoil(simulation::api_server::ApiFault fault) {
        fault.verb = "list";
        fault.resource = "configmaps";
        cluster.server->faults().add(std::move(fault));
    }

    LiveCluster cluster;
    std::vector<std::string> grown;  ///< groups, in the order of their decisions
};

TEST(DaemonOfPlugins, GoesByTheConfigMapInItsFirstPass) {
    for (const char* const preferred : {"a", "b"}) {
        Tiers tiers(preferred);
        tiers.cluster.run(3s);
        EXPECT_THAT(tiers.grown, ElementsAre(preferred));
        EXPECT_THAT(tiers.cluster.begins.at(0), Le(500ms)) << "it waits no longer than it must";
    }
}

TEST(DaemonOfPlugins, WaitsForAConfigMapThatComesLate) {
    for (const char* const preferred : {"a", "b"}) {
        Tiers tiers(preferred);
        tiers.spoil({.delay = 4s});
        tiers.cluster.run(6s);
        EXPECT_THAT(tiers.grown, ElementsAre(preferred));
        EXPECT_THAT(tiers.cluster.begins.at(0), AllOf(Ge(4s), Le(4500ms)));
    }
}

TEST(DaemonOfPlugins, WaitsThroughTroubleThatPasses) {
    for (const char* const preferred : {"a", "b"}) {
        Tiers tiers(preferred);
        tiers.spoil({.status = 503, .times = 2});
        tiers.cluster.run(11s);
        EXPECT_THAT(tiers.grown, ElementsAre(preferred));
    }
}

TEST(DaemonOfPlugins, DoesNotWaitWhereTheServerForbids) {
    Tiers tiers("a");
    tiers.spoil({.status = 403, .times = std::nullopt});
    tiers.cluster.run(3s);
    EXPECT_EQ(tiers.grown.size(), 1u) << "all options pass";
    EXPECT_THAT(tiers.cluster.begins.at(0), Le(500ms));
}

TEST(DaemonOfPlugins, WaitsTenSecondsAtMost) {
    Tiers tiers("a");
    tiers.spoil({.status = 503, .times = std::nullopt});
    tiers.cluster.run(12s);
    EXPECT_EQ(tiers.grown.size(), 1u) << "all options pass";
    EXPECT_THAT(tiers.cluster.begins.at(0), AllOf(Ge(10s), Le(10500ms)));
}

TEST(DaemonOfPlugins, HasReadTheConfigMapLongSinceWhenItBeginsToLead) {
    Tiers tiers("b");
    tiers.cluster.make("leases.coordination.k8s.io", "kube-system",
                       {{"metadata", {{"name", "cluster-autoscaler"}}},
                        {"spec", {{"holderIdentity", "another"}, {"leaseDurationSeconds", 15}}}});
    tiers.spoil({.delay = 4s});
    tiers.cluster.run(30s);
    ASSERT_THAT(tiers.grown, ElementsAre("b"));
    EXPECT_THAT(tiers.cluster.begins.at(0), AllOf(Ge(15s), Le(25s))) << "a standby until then";
}

TEST(DaemonOfPlugins, GoesByTheConfigMapOnceAReloadPutsItsExpanderFirst) {
    for (const char* const preferred : {"a", "b"}) {
        Tiers tiers(preferred, Tiers::lots_first);
        const auto with = tiers.cluster.assemble(Tiers::config(Tiers::map_first));
        tiers.cluster.read_config = [&]() -> Result<std::shared_ptr<const LoadedConfig>> {
            return LiveCluster::loaded(*with);
        };
        tiers.cluster.at(3s, [&] {
            tiers.grown.clear();
            std::raise(SIGHUP);
        });
        tiers.cluster.at(4s, [&] { tiers.cluster.add_waiting_pod("web-2"); });
        tiers.cluster.run(6s);
        EXPECT_THAT(tiers.grown, ElementsAre(preferred));
    }
}

TEST(SinglePass, GoesByTheConfigMap) {
    for (const char* const preferred : {"a", "b"}) {
        Tiers tiers(preferred);
        tiers.spoil({.delay = 4s});
        const auto pass = tiers.cluster.plan();
        ASSERT_EQ(pass->decision().increases.size(), 1u);
        EXPECT_EQ(pass->decision().increases[0].group.value(), preferred);
    }
}

TEST(SinglePass, WaitsTenSecondsAtMostForWhatCannotBeRead) {
    Tiers tiers("a");
    tiers.spoil({.status = 503, .times = std::nullopt});
    EXPECT_EQ(tiers.cluster.plan()->decision().increases.size(), 1u);
    EXPECT_THAT(tiers.cluster.now(), AllOf(Ge(10s), Le(11s)));
}

TEST(SinglePass, WaitsForPluginsEvenPastItsPatienceWithACluster) {
    Tiers tiers("a");
    tiers.spoil({.status = 503, .times = std::nullopt});
    EXPECT_EQ(tiers.cluster.plan(3s)->decision().increases.size(), 1u);
    EXPECT_THAT(tiers.cluster.now(), AllOf(Ge(10s), Le(11s)));
}

}  // namespace
}  // namespace capstan::runtime::daemon
