#include "autoscaler/daemon/startup_gate.hpp"

#include <gmock/gmock.h>

#include <csignal>
#include <string>
#include <vector>

#include "live_cluster.hpp"
#include "plugin_runtime/test_host.hpp"

namespace capstan::autoscaler::daemon {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::Ge;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Le;
using namespace std::chrono_literals;

struct StartupGateTest : ::testing::Test {
    plugin_runtime::TestHost host;
    plugin_runtime::services::KubeGateway plugins{host.loop};
    std::shared_ptr<plugin_runtime::services::Logger> log = host.environment().log;
    plugin_runtime::services::StartupWatches& watches = plugins.early_watches();
};

TEST_F(StartupGateTest, IsOpenIfNothingIsAwaited) {
    EXPECT_TRUE(StartupGate(nullptr, host.loop, *log).is_open());
    EXPECT_TRUE(StartupGate(&plugins, host.loop, *log).is_open());
    EXPECT_EQ(StartupGate(nullptr, host.loop, *log).reason(), "");
}

TEST_F(StartupGateTest, IsClosedUntilPluginWatchesAreSynced) {
    const auto pods = watches.add("pods for plugin a", [] {});
    const auto maps = watches.add("configmaps in shop for plugin b", [] {});
    StartupGate gate(&plugins, host.loop, *log);
    EXPECT_FALSE(gate.is_open());
    EXPECT_EQ(gate.reason(), "not synced yet: pods for plugin a, configmaps in shop for plugin b");
    watches.settle(pods);
    host.loop.advance(9s);
    EXPECT_FALSE(gate.is_open());
    EXPECT_EQ(gate.reason(), "not synced yet: configmaps in shop for plugin b");
    watches.settle(maps);
    EXPECT_TRUE(gate.is_open());
    EXPECT_EQ(gate.reason(), "");
    EXPECT_EQ(host.lines->text(), "");
}

TEST_F(StartupGateTest, OpensAfterTenSecondsWithAWarning) {
    host.loop.advance(1min);
    watches.add("pods for plugin a", [] {});
    StartupGate gate(&plugins, host.loop, *log);
    host.loop.advance(10s - 1ms);
    EXPECT_FALSE(gate.is_open());
    host.loop.advance(1ms);
    EXPECT_TRUE(gate.is_open());
    EXPECT_EQ(gate.reason(), "") << "passes may start";
    const std::string log_text = host.lines->text();
    EXPECT_THAT(log_text, HasSubstr("warn"));
    EXPECT_THAT(log_text, HasSubstr("starting passes; not synced after 10s: pods for plugin a"));
    EXPECT_TRUE(gate.is_open());
    EXPECT_EQ(host.lines->text(), log_text);
}

/// Two equal groups, and an expander that reads priorities from a ConfigMap.
struct PriorityCluster {
    static std::string config(const std::string& expanders) {
        return "[pipeline.scale_up]\nsimilarity = []\nexpanders = " + expanders + R"(
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
    explicit PriorityCluster(const std::string& preferred, const std::string& expanders = map_first)
        : cluster(config(expanders), groups) {
        cluster.make("configmaps", "kube-system",
                     {{"metadata", {{"name", "prio"}}},
                      {"data", {{"priorities", "1: ['.*']\n9: ['" + preferred + "']\n"}}}});
        cluster.add_pending_pod("web-1");
        cluster.on_pass = [this](const PassReport& pass) {
            for (const auto& increase : pass.decision().increases)
                increased.push_back(increase.group.value());
        };
    }
    /// Adds a fault to lists of ConfigMaps, which only the expander sends.
    void add_fault(simulator::api_server::ApiFault fault) {
        fault.verb = "list";
        fault.resource = "configmaps";
        cluster.server->faults().add(std::move(fault));
    }

    LiveCluster cluster;
    std::vector<std::string> increased;  ///< groups in the order of their increases
};

TEST(DaemonStartupGate, AppliesTheConfigMapInTheFirstPass) {
    for (const char* const preferred : {"a", "b"}) {
        PriorityCluster tiers(preferred);
        tiers.cluster.run(3s);
        EXPECT_THAT(tiers.increased, ElementsAre(preferred));
        EXPECT_THAT(tiers.cluster.begins.at(0), Le(500ms)) << "it waits no longer than necessary";
    }
}

TEST(DaemonStartupGate, WaitsForALateConfigMap) {
    for (const char* const preferred : {"a", "b"}) {
        PriorityCluster tiers(preferred);
        tiers.add_fault({.delay = 4s});
        tiers.cluster.run(6s);
        EXPECT_THAT(tiers.increased, ElementsAre(preferred));
        EXPECT_THAT(tiers.cluster.begins.at(0), AllOf(Ge(4s), Le(4500ms)));
    }
}

TEST(DaemonStartupGate, WaitsDuringTemporaryErrors) {
    for (const char* const preferred : {"a", "b"}) {
        PriorityCluster tiers(preferred);
        tiers.add_fault({.status = 503, .times = 2});
        tiers.cluster.run(11s);
        EXPECT_THAT(tiers.increased, ElementsAre(preferred));
    }
}

TEST(DaemonStartupGate, DoesNotWaitIfAccessIsForbidden) {
    PriorityCluster tiers("a");
    tiers.add_fault({.status = 403, .times = std::nullopt});
    tiers.cluster.run(3s);
    EXPECT_EQ(tiers.increased.size(), 1u) << "the expander keeps all options";
    EXPECT_THAT(tiers.cluster.begins.at(0), Le(500ms));
}

TEST(DaemonStartupGate, WaitsAtMostTenSeconds) {
    PriorityCluster tiers("a");
    tiers.add_fault({.status = 503, .times = std::nullopt});
    tiers.cluster.run(12s);
    EXPECT_EQ(tiers.increased.size(), 1u) << "the expander keeps all options";
    EXPECT_THAT(tiers.cluster.begins.at(0), AllOf(Ge(10s), Le(10500ms)));
}

TEST(DaemonStartupGate, ReadsTheConfigMapBeforeTheHostLeads) {
    PriorityCluster tiers("b");
    tiers.cluster.make("leases.coordination.k8s.io", "kube-system",
                       {{"metadata", {{"name", "cluster-autoscaler"}}},
                        {"spec", {{"holderIdentity", "another"}, {"leaseDurationSeconds", 15}}}});
    tiers.add_fault({.delay = 4s});
    tiers.cluster.run(30s);
    ASSERT_THAT(tiers.increased, ElementsAre("b"));
    EXPECT_THAT(tiers.cluster.begins.at(0), AllOf(Ge(15s), Le(25s))) << "a standby until then";
}

TEST(DaemonStartupGate, AppliesTheConfigMapAfterAReload) {
    for (const char* const preferred : {"a", "b"}) {
        PriorityCluster tiers(preferred, PriorityCluster::lots_first);
        const auto with =
            tiers.cluster.assemble(PriorityCluster::config(PriorityCluster::map_first));
        tiers.cluster.read_config = [&]() -> Result<std::shared_ptr<const LoadedConfig>> {
            return LiveCluster::loaded(*with);
        };
        tiers.cluster.at(3s, [&] {
            tiers.increased.clear();
            std::raise(SIGHUP);
        });
        tiers.cluster.at(4s, [&] { tiers.cluster.add_pending_pod("web-2"); });
        tiers.cluster.run(6s);
        EXPECT_THAT(tiers.increased, ElementsAre(preferred));
    }
}

TEST(SinglePass, AppliesTheConfigMap) {
    for (const char* const preferred : {"a", "b"}) {
        PriorityCluster tiers(preferred);
        tiers.add_fault({.delay = 4s});
        const auto pass = tiers.cluster.plan();
        ASSERT_EQ(pass->decision().increases.size(), 1u);
        EXPECT_EQ(pass->decision().increases[0].group.value(), preferred);
    }
}

TEST(SinglePass, WaitsAtMostTenSecondsForAWatch) {
    PriorityCluster tiers("a");
    tiers.add_fault({.status = 503, .times = std::nullopt});
    EXPECT_EQ(tiers.cluster.plan()->decision().increases.size(), 1u);
    EXPECT_THAT(tiers.cluster.now(), AllOf(Ge(10s), Le(11s)));
}

TEST(SinglePass, WaitsForPluginsLongerThanForTheCluster) {
    PriorityCluster tiers("a");
    tiers.add_fault({.status = 503, .times = std::nullopt});
    EXPECT_EQ(tiers.cluster.plan(3s)->decision().increases.size(), 1u);
    EXPECT_THAT(tiers.cluster.now(), AllOf(Ge(10s), Le(11s)));
}

}  // namespace
}  // namespace capstan::autoscaler::daemon
