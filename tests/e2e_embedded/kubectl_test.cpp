// A cluster and its daemon; kubectl makes the changes.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <csignal>

#include "embedded_cluster.hpp"
#include "live_shop.hpp"

namespace capstan::e2e {
namespace {

using namespace std::chrono_literals;

constexpr auto burst = R"(
apiVersion: apps/v1
kind: Deployment
metadata: {name: burst, namespace: default}
spec:
  replicas: 6
  selector: {matchLabels: {app: burst}}
  template:
    metadata: {labels: {app: burst}}
    spec:
      terminationGracePeriodSeconds: 5
      containers: [{name: main, image: burst, resources: {requests: {cpu: "1500m"}}}]
)";

constexpr auto budget = R"(
apiVersion: policy/v1
kind: PodDisruptionBudget
metadata: {name: burst, namespace: default}
spec:
  maxUnavailable: 1
  selector: {matchLabels: {app: burst}}
)";

struct LiveClusterWithKubectl : ::testing::Test {
    void SetUp() override {
        const std::string because = EmbeddedCluster::kubectl_missing_because();
        if (!because.empty()) GTEST_SKIP() << because;
    }
};

TEST_F(LiveClusterWithKubectl, SchedulesABurstOfPods) {
    EmbeddedCluster cluster(live_shop, {"--run"});
    cluster.kubectl({"apply", "-f", "-"}, burst);
    cluster.kubectl({"wait", "--for=condition=Available", "deployment/burst", "--timeout=40s"});
    EXPECT_EQ(cluster.api().ready_pods("burst"), 6) << cluster.log();
    cluster.kubectl({"wait", "--for=condition=Ready", "nodes", "--all", "--timeout=10s"});
    EXPECT_NE(cluster.kubectl({"get", "events", "-A"}).find("TriggeredScaleUp"), std::string::npos);
}

TEST_F(LiveClusterWithKubectl, ScalesDownWithinABudget) {
    EmbeddedCluster cluster(live_shop, {"--run"});
    cluster.kubectl({"apply", "-f", "-"}, burst);
    cluster.kubectl({"apply", "-f", "-"}, budget);
    const Api& api = cluster.api();
    ASSERT_TRUE(becomes(40s, [&] { return api.ready_pods("burst") == 6; })) << cluster.log();
    // Seven pods need four nodes. Without "web", and with four pods of "burst", two are enough.
    cluster.kubectl({"scale", "deployment", "web", "--replicas=0"});
    cluster.kubectl({"scale", "deployment", "burst", "--replicas=4"});
    ASSERT_TRUE(becomes(20s, [&] { return api.ready_pods("burst") == 4; })) << cluster.log();
    int min_ready = 4;
    EXPECT_TRUE(becomes(60s, [&] {
        min_ready = std::min(min_ready, api.ready_pods("burst"));
        return api.nodes_of("web") == 2;
    })) << cluster.log();
    EXPECT_GE(min_ready, 3);
    EXPECT_TRUE(becomes(20s, [&] { return api.ready_pods("burst") == 4; })) << cluster.log();
}

TEST_F(LiveClusterWithKubectl, CompletesItsWorkAfterADaemonIsKilled) {
    EmbeddedCluster cluster(live_shop);
    const Api& api = cluster.api();
    auto daemon = std::make_unique<Daemon>(cluster, "daemon");
    const auto restart = [&] {
        daemon->kill();
        daemon = std::make_unique<Daemon>(cluster, "daemon");
    };
    ASSERT_TRUE(becomes(30s, [&] { return api.ready_pods("web") == 1; })) << daemon->log();

    // While machines are being created.
    cluster.kubectl({"scale", "deployment", "web", "--replicas=8"});
    ASSERT_TRUE(becomes(20s, [&] {
        return daemon->log().find("increase web by 3") != std::string::npos;
    })) << daemon->log();
    restart();
    EXPECT_TRUE(becomes(60s, [&] { return api.ready_pods("web") == 8; })) << daemon->log();
    EXPECT_EQ(api.nodes_of("web"), 4) << "no machine was requested twice";

    // While a node is being drained.
    cluster.kubectl({"scale", "deployment", "web", "--replicas=4"});
    ASSERT_TRUE(becomes(60s, [&] {
        return !api.names("/api/v1/nodes", "ToBeDeletedByClusterAutoscaler").empty();
    })) << daemon->log();
    restart();
    EXPECT_TRUE(becomes(90s, [&] { return api.nodes_of("web") == 2; })) << daemon->log();
    EXPECT_TRUE(becomes(20s, [&] { return api.ready_pods("web") == 4; })) << daemon->log();
    EXPECT_TRUE(becomes(30s, [&] {
        return api.names("/api/v1/nodes", "ToBeDeletedByClusterAutoscaler").empty();
    })) << daemon->log();
}

TEST_F(LiveClusterWithKubectl, PassesTheLeaseToTheStandby) {
    EmbeddedCluster cluster(live_shop);
    const Api& api = cluster.api();
    Daemon first(cluster, "first");
    ASSERT_TRUE(becomes(30s, [&] { return api.ready_pods("web") == 1; })) << first.log();
    const std::string leader = api.leader();
    Daemon second(cluster, "second");
    ASSERT_TRUE(becomes(20s, [&] { return !second.log().empty(); }));
    EXPECT_EQ(api.leader(), leader);
    first.kill();
    EXPECT_TRUE(becomes(40s, [&] { return !api.leader().empty() && api.leader() != leader; }))
        << second.log();
    cluster.kubectl({"scale", "deployment", "web", "--replicas=8"});
    EXPECT_TRUE(becomes(40s, [&] { return api.ready_pods("web") == 8; })) << second.log();
    EXPECT_EQ(api.nodes_of("web"), 4) << "the machine of the first leader is kept";
}

}  // namespace
}  // namespace capstan::e2e
