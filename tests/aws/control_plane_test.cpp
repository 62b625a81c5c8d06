// The plugin aws in a cluster with a real control plane: its scheduler, evictions and permissions.
#include <csignal>
#include <memory>
#include <string>
#include <vector>

#include <boost/json/parse.hpp>

#include "../clouds/control_plane.hpp"
#include "aws_server.hpp"

namespace capstan::aws {
namespace {

namespace json = boost::json;
using e2e::becomes;
using ::testing::HasSubstr;
using namespace std::chrono_literals;

class AwsOnARealControlPlane : public clouds::CloudsOnARealControlPlane {
protected:
    void SetUp() override {
        const std::string because = AwsServer::missing_because();
        if (!because.empty()) GTEST_SKIP() << because;
        e2e::ControlPlaneTest::SetUp();
    }
    void begin(const ServerSetup& setup, clouds::ScenarioOptions options = {}) {
        options.discovery = "[\"k8s.io/cluster-autoscaler/shop=owned\"]";
        aws_ = std::make_shared<AwsServer>(setup);
        CloudsOnARealControlPlane::begin({part_of(aws_, options)}, options);
    }
    AwsServer& aws() { return *aws_; }

private:
    std::shared_ptr<AwsServer> aws_{};
};

TEST_F(AwsOnARealControlPlane, GrowsAcrossZonesAndShrinksWithinABudget) {
    ServerSetup setup;
    for (const std::string& zone : three_zones)
        setup.groups.push_back({.name = "web-" + zone.substr(zone.size() - 1), .zones = {zone}});
    setup.more["delays"] = json::parse(R"({"boot": 1, "terminate": 1})");
    begin(setup);
    cluster->apply(e2e::deployment(6, "1500m") + "---\n" + e2e::budget(2));
    EXPECT_TRUE(becomes(120s, [&] { return ready_pods() == 6; }));
    for (const auto& [zone, count] : nodes_by_zone()) EXPECT_EQ(count, 2) << zone;

    scale(2);
    EXPECT_TRUE(becomes(180s, [&] { return has_ready_nodes(2) && daemon().target() == 2; }));
    EXPECT_EQ(ready_pods(), 2);
    for (const Call& call : aws().calls("TerminateInstanceInAutoScalingGroup"))
        EXPECT_EQ(call.status, 200) << call.response;
}

TEST_F(AwsOnARealControlPlane, FallsBackToOnDemandAndSurvivesAKillWithLaggingLists) {
    ServerSetup setup{.groups = {{.name = "spot",
                                  .types = {"m5.large", "m5d.large"},
                                  .spot = true,
                                  .labels = {{"zalando.org/scaling-priority", "100"}}},
                                 {.name = "on-demand"}},
                      .policies = {"policy.json", "policy_doctor.json"}};
    setup.more["capacity"] =
        json::parse(R"([{"group": "spot", "limit": 0, "code": "InsufficientInstanceCapacity"}])");
    setup.more["lag"] = 2;
    setup.more["delays"] = json::parse(R"({"launch": 1, "boot": 5})");
    begin(setup, {.expanders = R"(["label_priority", "least_waste"])",
                  .more = "[scale_up]\nbackoff = \"until_joined\"\n"});
    cluster->apply(e2e::deployment(3, "1500m"));
    ASSERT_TRUE(becomes(120s, [&] { return aws().desired("on-demand") == 3; }));
    EXPECT_TRUE(becomes(30s, [&] { return aws().desired("spot") == 1; }))
        << "one machine stays requested";
    daemon().process().end(SIGKILL);
    daemon().start();
    EXPECT_TRUE(becomes(120s, [&] { return ready_pods() == 3; }));
    EXPECT_EQ(aws().most_desired("on-demand"), 3) << "no extra machine";

    const std::string at = " --config '" + daemon().config().string() + "'";
    const commands::CommandResult doctor = commands::capstan("doctor" + at);
    EXPECT_THAT(doctor.out, HasSubstr("2 groups found")) << doctor.err;
    const commands::CommandResult explained = commands::capstan("explain group --live spot" + at);
    EXPECT_EQ(explained.code, 0) << explained.err;
    EXPECT_THAT(explained.out, HasSubstr("InsufficientInstanceCapacity"));
}

/// Test cases 1, 2 (by the label) and 7 of the proposal on node auto-provisioning.
TEST_F(AwsOnARealControlPlane, CreatesAGroupForALabelAndDeletesItAfterwards) {
    begin(bare_account(), provisioned());
    cluster->apply(e2e::deployment(1, "6", {"nodeSelector: {tier: gold}"}));
    EXPECT_TRUE(becomes(120s, [&] { return ready_pods() == 1; }));
    const std::vector<std::string> made = aws().groups();
    ASSERT_THAT(made, ::testing::SizeIs(1));
    EXPECT_THAT(made.front(), HasSubstr("m5-2xlarge"));

    scale(0);
    EXPECT_TRUE(becomes(180s, [&] { return aws().groups().empty(); }));
    EXPECT_TRUE(becomes(20s, [&] { return aws().calls("DeleteLaunchTemplate").size() == 1; }))
        << "the template is deleted";
}

}  // namespace
}  // namespace capstan::aws
