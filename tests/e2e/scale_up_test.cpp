#include <chrono>
#include <iostream>

#include "control_plane_fixture.hpp"

namespace capstan::e2e {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Pair;

using ControlPlaneScaleUp = ControlPlaneTest;

TEST_F(ControlPlaneScaleUp, ScalesThreeZonesEvenlyFromZero) {
    const Daemon daemon(*cluster, "zones", cloud_in({"a", "b", "c"}));
    PodWatch pods(*cluster);
    cluster->apply(deployment(12, "1500m"));
    ASSERT_TRUE(becomes(120s, [&] { return pods.ready() == 12 && has_ready_nodes(6); }));
    EXPECT_THAT(nodes_by_zone(), ElementsAre(Pair("a", 2), Pair("b", 2), Pair("c", 2)));
    EXPECT_EQ(daemon.target(), 6);
}

TEST_F(ControlPlaneScaleUp, RecordsAnEventOnThePod) {
    const Daemon daemon(*cluster, "events", cloud_in({"a"}));
    cluster->apply(deployment(1, "1500m"));
    const auto events = [&] {
        return cluster->kubectl({"get", "events", "--field-selector=reason=TriggeredScaleUp"});
    };
    ASSERT_TRUE(becomes(60s, [&] { return events().find("web-a") != std::string::npos; }));
    EXPECT_THAT(events(), HasSubstr("web-a 0->1"));
}

/// With `minDomains`, zones without nodes count as empty, so the first node does not get all pods.
constexpr auto over_zones =
    "topologySpreadConstraints: [{maxSkew: 1, minDomains: 3, topologyKey: "
    "topology.kubernetes.io/zone, whenUnsatisfiable: DoNotSchedule, labelSelector: {matchLabels: "
    "{app: web}}}]";

TEST_F(ControlPlaneScaleUp, CreatesNodesInAllZonesForSpreadPods) {
    const Daemon daemon(*cluster, "spread", cloud_in({"a", "b", "c"}));
    PodWatch pods(*cluster);
    cluster->apply(deployment(9, "1200m", {over_zones}));
    ASSERT_TRUE(becomes(120s, [&] { return pods.ready() == 9; }));
    std::map<std::string, std::size_t> by_zone;
    const auto on = pods.ready_by_node();
    for (const NodeView& node : cluster->nodes())
        if (on.contains(node.name)) by_zone[node.zone] += on.at(node.name).size();
    EXPECT_THAT(by_zone, ElementsAre(Pair("a", 3), Pair("b", 3), Pair("c", 3)));
    EXPECT_TRUE(has_ready_nodes(3));
}

TEST_F(ControlPlaneScaleUp, TriesAnotherGroupOfTheSameMachineTypeAfterAStockOut) {
    const auto group = [](const std::string& id, const std::string& more) {
        return "[[plugin.simulated.settings.groups]]\nid = \"" + id +
               "\"\nzone = \"a\"\nmax = 20\nboot = \"1s\"\n" + more +
               "machine = { type = \"m.4\", cpu = \"4\", memory = \"16Gi\" }\n";
    };
    const Daemon daemon(*cluster, "stock-out",
                        cloud_in({}) + group("first-a", "capacity = 1\n") + group("second-a", ""));
    PodWatch pods(*cluster);
    cluster->apply(deployment(3, "3"));
    EXPECT_TRUE(becomes(90s, [&] { return pods.ready() == 3 && has_ready_nodes(3); }));
}

TEST_F(ControlPlaneScaleUp, Creates1000NodesFor5000Pods) {
    const Daemon daemon(*cluster, "thousand", cloud_in({"a", "b", "c"}, 400));
    cluster->apply(deployment(5000, "800m"));
    const auto began = std::chrono::steady_clock::now();
    const auto seconds = [&] {
        return std::chrono::ceil<Seconds>(std::chrono::steady_clock::now() - began).count();
    };
    ASSERT_TRUE(becomes(600s, [&] { return daemon.target() == 1000; })) << daemon.target();
    std::cout << "1000 machines ordered after " << seconds() << " s\n";
    EXPECT_TRUE(becomes(300s, [&] { return ready_pods() == 5000; })) << ready_pods();
    std::cout << "5000 pods ready after " << seconds() << " s\n";
    EXPECT_TRUE(has_ready_nodes(1000));
    // A group whose last increase is not answered within a second is left out of the next pass, and
    // the other groups grow instead.
    for (const auto& [zone, count] : nodes_by_zone()) EXPECT_NEAR(count, 333, 33) << zone;
    EXPECT_EQ(daemon.target(), 1000);
}

}  // namespace
}  // namespace capstan::e2e
