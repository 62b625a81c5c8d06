// A cluster and its daemon without kubectl: the test sends its own requests.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <csignal>

#include "embedded_cluster.hpp"
#include "live_shop.hpp"

namespace capstan::e2e {
namespace {

using namespace std::chrono_literals;
using ::testing::HasSubstr;
using ::testing::Not;

TEST(LiveCluster, ScalesWithADeployment) {
    EmbeddedCluster cluster(live_shop, {"--run"});
    const Api& api = cluster.api();
    EXPECT_TRUE(becomes(30s, [&] { return api.ready_pods("web") == 1; })) << cluster.log();
    EXPECT_EQ(api.nodes_of("web"), 1);

    api.scale("web", 8);
    EXPECT_TRUE(becomes(30s, [&] { return api.ready_pods("web") == 8; })) << cluster.log();
    EXPECT_EQ(api.nodes_of("web"), 4);

    api.scale("web", 2);
    EXPECT_TRUE(becomes(60s, [&] { return api.nodes_of("web") == 1; })) << cluster.log();
    EXPECT_TRUE(becomes(10s, [&] { return api.ready_pods("web") == 2; })) << cluster.log();
}

TEST(LiveCluster, PlaysItsScenarioAndEnds) {
    EmbeddedCluster cluster(std::string(live_shop) + R"(
[[step]]
scale = { web = 4 }
advance = "8s"
expect_pending = 0
expect_nodes = { web = 2 }
[[step]]
scale = { web = 1 }
until = "idle"
expect_nodes = { web = 1 }
)",
                            {"--run", "--once", "--for", "2m"});
    EXPECT_TRUE(becomes(120s, [&] { return !cluster.process().is_running(); })) << cluster.log();
    EXPECT_EQ(cluster.process().end(SIGTERM), 0) << cluster.log();
    EXPECT_THAT(cluster.log(), HasSubstr("web is scaled to 4"));
    EXPECT_THAT(cluster.log(), HasSubstr("Scale-up: group web size set to"));
    EXPECT_THAT(cluster.log(), HasSubstr("the scenario has ended"));
    EXPECT_THAT(cluster.log(), Not(HasSubstr("expectation not met")));
}

TEST(LiveCluster, RunsNextToAnotherCluster) {
    EmbeddedCluster one(live_shop, {"--run"}), other(live_shop, {"--run"});
    for (EmbeddedCluster* cluster : {&one, &other})
        EXPECT_TRUE(becomes(60s, [&] { return cluster->api().ready_pods("web") == 1; }))
            << cluster->log();
}

TEST(LiveCluster, StopsItsDaemonWhenInterrupted) {
    EmbeddedCluster cluster(live_shop, {"--run"});
    ASSERT_TRUE(becomes(30s, [&] { return !cluster.api().leader().empty(); })) << cluster.log();
    EXPECT_EQ(cluster.process().end(SIGINT), 0) << cluster.log();
    EXPECT_THAT(cluster.log(), HasSubstr("stopped leading")) << "it released the Lease";
    EXPECT_THROW(cluster.api().leader(), std::runtime_error) << "the API server has stopped";
}

}  // namespace
}  // namespace capstan::e2e
