#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <csignal>

#include "../host/commands/shell.hpp"
#include "cluster.hpp"

namespace capstan::e2e {
namespace {

using namespace std::chrono_literals;
using testing::HasSubstr;

constexpr auto one_group = R"(
[pipeline]
clouds = ["simulated"]
[pipeline.scale_up]
expanders = ["least_waste"]
[plugin.simulated.settings]
groups = [{ id = "web", min = 0, max = 5, machine = { cpu = "4", memory = "16Gi" } }]
)";

constexpr auto five_pods = R"(
apiVersion: apps/v1
kind: Deployment
metadata: {name: web, namespace: default}
spec:
  replicas: 5
  selector: {matchLabels: {app: web}}
  template:
    metadata: {labels: {app: web}}
    spec:
      containers: [{name: main, image: web, resources: {requests: {cpu: "1500m"}}}]
)";

struct Stories : testing::Test {
    void SetUp() override {
        if (const auto because = Cluster::missing_because()) GTEST_SKIP() << *because;
        Cluster::get().clear();
    }
    static std::int64_t target(const Daemon& daemon) {
        const auto groups = daemon.ask("/api/v1/groups");
        return groups ? groups->at(0).at("target").to_number<std::int64_t>() : -1;
    }
    static std::string holder() {
        try {
            return Cluster::get().kubectl({"get", "lease", "cluster-autoscaler",
                                           "--namespace=kube-system",
                                           "--output=jsonpath={.spec.holderIdentity}"});
        } catch (const std::runtime_error&) {
            return {};
        }
    }
};

TEST_F(Stories, TheManifestGrantsAllThatCapstanNeeds) {
    const Daemon daemon("rights", one_group);
    const commands::Ran doctor =
        commands::capstan("doctor --config '" + daemon.config().string() + "'");
    EXPECT_EQ(doctor.code, 0) << doctor.out << doctor.err;
    EXPECT_THAT(doctor.out, HasSubstr("rules granted"));
}

TEST_F(Stories, PodsWithoutRoomGrowAGroupAndHearOfIt) {
    const Daemon daemon("grow", one_group);
    Cluster::get().apply(five_pods);
    EXPECT_TRUE(becomes(30s, [&] { return target(daemon) == 3; })) << daemon.log();
    EXPECT_TRUE(becomes(10s, [] {
        return Cluster::get()
                   .kubectl({"get", "events", "--field-selector=reason=TriggeredScaleUp"})
                   .find("web 0->3") != std::string::npos;
    })) << Cluster::get().kubectl({"get", "events"});
}

TEST_F(Stories, AKilledLeaderIsFollowedByTheOneWhoStoodBy) {
    Daemon first("first", one_group);
    ASSERT_TRUE(becomes(30s, [] { return !holder().empty(); })) << first.log();
    const std::string leader = holder();
    Daemon second("second", one_group);
    ASSERT_TRUE(becomes(30s, [&] { return second.ask("/api/v1/status").has_value(); }))
        << second.log();
    EXPECT_EQ(holder(), leader);
    first.process().end(SIGKILL);
    EXPECT_TRUE(becomes(40s, [&] { return !holder().empty() && holder() != leader; }))
        << second.log();
    Cluster::get().apply(five_pods);
    EXPECT_TRUE(becomes(30s, [&] { return target(second) == 3; })) << second.log();
}

TEST_F(Stories, AnApiServerThatIsKilledIsFoundAgain) {
    const Daemon daemon("outage", one_group);
    ASSERT_TRUE(becomes(30s, [&] { return target(daemon) == 0; })) << daemon.log();
    Cluster::get().restart_api_server();
    ASSERT_TRUE(becomes(60s, [] {
        try {
            Cluster::get().apply(five_pods);
            return true;
        } catch (const std::runtime_error&) {
            return false;
        }
    }));
    EXPECT_TRUE(becomes(60s, [&] { return target(daemon) == 3; })) << daemon.log();
}

TEST_F(Stories, OneWhoStopsHandsTheLeaseBack) {
    Daemon daemon("stop", one_group);
    ASSERT_TRUE(becomes(30s, [] { return !holder().empty(); })) << daemon.log();
    EXPECT_EQ(daemon.process().end(SIGTERM), 0) << daemon.log();
    EXPECT_EQ(holder(), "");
}

}  // namespace
}  // namespace capstan::e2e
