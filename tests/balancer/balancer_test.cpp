// What the Balancer's proposal promises, observed on a cluster.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>
#include <string>

#include "balanced_cluster.hpp"
#include "permissions.hpp"

namespace capstan::balancer {
namespace {

using ::testing::ElementsAre;
using namespace std::chrono_literals;

constexpr const char* halves = R"({"policyName":"proportional",
    "proportions":{"targetProportions":{"a":50,"b":50}},"fallback":{"startupTimeout":"1m"}})";
constexpr const char* two_to_one = R"({"policyName":"proportional",
    "proportions":{"targetProportions":{"a":60,"b":30}}})";

/// The sizes of both Deployments at each of these times.
std::vector<std::string> sizes_at(BalancedCluster& cluster, std::vector<Duration> times) {
    auto out = std::make_shared<std::vector<std::string>>();
    for (const Duration time : times)
        cluster.at(time, [out, &cluster] { out->push_back(cluster.sizes()); });
    cluster.run(times.back() + 1s);
    return *out;
}

TEST(BalancerDaemon, RunsWithoutACloudAndKeepsTheRatio) {
    BalancedCluster cluster;
    cluster.balance(9, two_to_one);
    EXPECT_THAT(sizes_at(cluster, {30s}), ElementsAre("a 6/6 b 3/3"));
    EXPECT_EQ(cluster.condition("Balancing"), "True");
    EXPECT_EQ(cluster.status().at("replicas"), 9);
    EXPECT_EQ(cluster.status().at("selector"), "app=web");
}

/// The manifest's permissions, without those for targets of other kinds than Deployment.
std::set<std::string> granted() {
    std::set<std::string> out = permissions_in("deploy/kubernetes/balancer.yaml");
    std::erase_if(out, [](const std::string& permission) {
        return permission.find("statefulsets") != std::string::npos ||
               permission.find("replicasets") != std::string::npos;
    });
    return out;
}

TEST(BalancerDaemon, UsesExactlyThePermissionsOfItsManifest) {
    BalancedCluster cluster;
    cluster.balance(4, halves);
    for (const Duration round : {0s, 600s}) {
        cluster.at(round + 60s, [&] { cluster.fail_zone("a"); });
        cluster.at(round + 180s, [&] { cluster.restore_zone("a"); });
    }
    cluster.run(1000s);
    EXPECT_EQ(cluster.permissions(), granted());
}

TEST(BalancerDaemon, FallsBackWhenAZoneFailsAndReturnsWhenItRecovers) {
    BalancedCluster cluster;
    cluster.balance(10, halves);
    cluster.at(60s, [&] { cluster.fail_zone("a"); });
    cluster.at(240s, [&] { cluster.restore_zone("a"); });
    const std::vector<std::string> seen = sizes_at(cluster, {50s, 100s, 160s, 300s});
    EXPECT_THAT(seen, ElementsAre("a 5/5 b 5/5",    // the ratio is kept
                                  "a 0/5 b 5/5",    // the pods of zone a are pending
                                  "a 0/5 b 10/10",  // zone b gets as many replicas in addition
                                  "a 5/5 b 5/5"));  // zone a is back, the additional ones are gone
    ASSERT_EQ(cluster.timeline().size(), 4u) << ::testing::PrintToString(cluster.timeline());
    EXPECT_THAT(cluster.timeline()[2], ::testing::HasSubstr("web-b 5->10"));
    EXPECT_THAT(cluster.timeline()[3], ::testing::HasSubstr("web-b 10->5"));
    EXPECT_EQ(cluster.condition("FallenBack"), "False");
}

TEST(BalancerDaemon, FallsBackOnAZoneWithAStuckPod) {
    BalancedCluster cluster;
    cluster.balance(10, halves);
    cluster.at(30s, [&] { cluster.add_stuck_pod("b"); });
    cluster.at(120s, [&] { cluster.fail_zone("a"); });
    EXPECT_THAT(sizes_at(cluster, {110s, 240s, 600s}),
                ElementsAre("a 5/5 b 5/5", "a 0/5 b 10/10", "a 0/5 b 10/10"));
    EXPECT_EQ(cluster.condition("FallenBack"), "True");
}

TEST(BalancerDaemon, SaysThatReplicasHaveNowhereToGo) {
    BalancedCluster cluster;
    cluster.balance(10, halves);
    cluster.at(60s, [&] {
        cluster.fail_zone("a");
        cluster.fail_zone("b");
    });
    std::string while_lost;
    cluster.at(200s, [&] { while_lost = cluster.condition("Balancing"); });
    cluster.at(210s, [&] {
        cluster.restore_zone("a");
        cluster.restore_zone("b");
    });
    EXPECT_THAT(sizes_at(cluster, {200s, 300s}), ElementsAre("a 0/5 b 0/5", "a 5/5 b 5/5"));
    EXPECT_EQ(while_lost, "False");
    EXPECT_EQ(cluster.condition("Balancing"), "True");
    EXPECT_THAT(cluster.event_messages("UnableToBalance"),
                ElementsAre("replicas have nowhere to go (see status.overflow): pods do not start "
                            "in a, b, and no target can take more"));
}

TEST(BalancerDaemon, FollowsAnAutoscalerOnItsScale) {
    BalancedCluster cluster;
    cluster.balance(4, halves);
    // Like a HorizontalPodAutoscaler: reads the status, then sets the replicas.
    std::vector<std::string> scales;
    const auto step = [&](int replicas) {
        const boost::json::object before = cluster.scale(replicas);
        scales.push_back(std::to_string(before.at("spec").at("replicas").as_int64()) + " wanted, " +
                         std::to_string(before.at("status").at("replicas").as_int64()) +
                         " current, " +
                         std::string(before.at("status").at("selector").as_string()));
    };
    cluster.at(40s, [&] { step(16); });
    cluster.at(80s, [&] { step(6); });
    EXPECT_THAT(sizes_at(cluster, {30s, 75s, 130s}),
                ElementsAre("a 2/2 b 2/2", "a 8/8 b 8/8", "a 3/3 b 3/3"));
    EXPECT_THAT(scales,
                ElementsAre("4 wanted, 4 current, app=web", "16 wanted, 16 current, app=web"));
    EXPECT_THAT(cluster.event_messages("Rescaled"),
                ElementsAre("Scaled a from 0 to 2, b from 0 to 2 (4 replicas wanted)",
                            "Scaled a from 2 to 8, b from 2 to 8 (16 replicas wanted)",
                            "Scaled a from 8 to 3, b from 8 to 3 (6 replicas wanted)"));
}

}  // namespace
}  // namespace capstan::balancer
