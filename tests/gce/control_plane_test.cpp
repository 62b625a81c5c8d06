// The plugin gce in a cluster with a real control plane: its scheduler, evictions and permissions.
#include <csignal>
#include <memory>
#include <string>
#include <vector>

#include <boost/json/parse.hpp>

#include "../clouds/control_plane.hpp"
#include "gce_server.hpp"

namespace capstan::gce {
namespace {

namespace json = boost::json;
using e2e::becomes;
using ::testing::HasSubstr;
using ::testing::SizeIs;
using namespace std::chrono_literals;

class GceOnARealControlPlane : public clouds::CloudsOnARealControlPlane {
protected:
    void SetUp() override {
        const std::string because = GceServer::missing_because();
        if (!because.empty()) GTEST_SKIP() << because;
        e2e::ControlPlaneTest::SetUp();
    }
    void begin(const ServerSetup& setup, const clouds::ScenarioOptions& options = {}) {
        gce_ = std::make_shared<GceServer>(setup);
        CloudsOnARealControlPlane::begin({part_of(gce_, options)}, options);
    }
    GceServer& gce() { return *gce_; }

private:
    std::shared_ptr<GceServer> gce_{};
};

TEST_F(GceOnARealControlPlane, GrowsAcrossZonesAndShrinksWithinABudget) {
    ServerSetup setup;
    for (const std::string& zone : three_zones)
        setup.groups.push_back({.name = "web-" + zone.substr(zone.size() - 1), .place = zone});
    setup.more["delays"] = json::parse(R"({"boot": 1, "delete": 1})");
    begin(setup);
    cluster->apply(e2e::deployment(6, "1500m") + "---\n" + e2e::budget(2));
    EXPECT_TRUE(becomes(120s, [&] { return ready_pods() == 6; }));
    for (const auto& [zone, count] : nodes_by_zone()) EXPECT_EQ(count, 2) << zone;

    scale(2);
    EXPECT_TRUE(becomes(180s, [&] { return has_ready_nodes(2) && daemon().target() == 2; }));
    EXPECT_EQ(ready_pods(), 2);
    for (const Call& call : gce().calls("deleteInstances"))
        EXPECT_EQ(call.status, 200) << call.response;
}

TEST_F(GceOnARealControlPlane, FallsBackToOnDemandAndSurvivesAKillWithLaggingLists) {
    ServerSetup setup{
        .groups = {
            {.name = "spot", .spot = true, .labels = {{"zalando.org/scaling-priority", "100"}}},
            {.name = "on-demand"}}};
    setup.more["capacity"] = json::parse(R"([{"group": "shop-spot", "limit": 0}])");
    setup.more["lag"] = 2;
    setup.more["delays"] = json::parse(R"({"launch": 1, "boot": 5})");
    begin(setup, {.expanders = R"(["label_priority", "least_waste"])",
                  .more = "[scale_up]\nbackoff = \"until_joined\"\n"});
    cluster->apply(e2e::deployment(3, "1500m"));
    ASSERT_TRUE(becomes(120s, [&] { return gce().target("on-demand") == 3; }));
    EXPECT_TRUE(becomes(30s, [&] { return gce().target("spot") == 1; }))
        << "one machine stays requested";
    daemon().process().end(SIGKILL);
    daemon().start();
    EXPECT_TRUE(becomes(120s, [&] { return ready_pods() == 3; }));
    EXPECT_THAT(gce().created("on-demand"), SizeIs(3)) << "no extra machine";

    const std::string at = " --config '" + daemon().config().string() + "'";
    const commands::CommandResult doctor = commands::capstan("doctor" + at);
    EXPECT_THAT(doctor.out, HasSubstr("2 groups found")) << doctor.err;
    const commands::CommandResult explained =
        commands::capstan("explain group --live " + id_of(setup.groups.front()) + at);
    EXPECT_EQ(explained.code, 0) << explained.err;
    EXPECT_THAT(explained.out, HasSubstr("ZONE_RESOURCE_POOL_EXHAUSTED"));
}

/// Test cases 1, 2 (by the label) and 7 of the proposal on node auto-provisioning.
TEST_F(GceOnARealControlPlane, CreatesAGroupForALabelAndDeletesItAfterwards) {
    begin(bare_project(), provisioned());
    cluster->apply(e2e::deployment(1, "6", {"nodeSelector: {tier: gold}"}));
    EXPECT_TRUE(becomes(120s, [&] { return ready_pods() == 1; }));
    const std::vector<std::string> made = gce().groups();
    ASSERT_THAT(made, SizeIs(1));
    EXPECT_THAT(made.front(), HasSubstr("n2-standard-8"));

    scale(0);
    EXPECT_TRUE(becomes(180s, [&] { return gce().groups().empty(); }));
    EXPECT_TRUE(becomes(20s, [&] { return gce().get("templates").as_object().size() == 1; }))
        << "the template is deleted";
}

}  // namespace
}  // namespace capstan::gce
