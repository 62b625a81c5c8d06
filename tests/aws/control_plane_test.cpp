// The same on a real control plane: its scheduler, its evictions, its rights.
#include <csignal>
#include <iostream>
#include <map>
#include <memory>
#include <sstream>
#include <string>
#include <vector>

#include <boost/json/parse.hpp>

#include "../e2e/stories.hpp"
#include "aws_server.hpp"

namespace capstan::aws {
namespace {

namespace json = boost::json;
using e2e::becomes;
using ::testing::HasSubstr;
using namespace std::chrono_literals;

/// What a story's configuration says beside what all of them say.
struct Wishes {
    std::string expanders = R"(["least_waste"])";
    std::string scale_up{};  ///< lines of [pipeline.scale_up]
    std::string settings{};  ///< lines of the plugin's settings
    std::string more{};      ///< tables
};

/// As an operator would write it.
std::string config(const AwsServer& aws, const Wishes& wishes) {
    std::ostringstream out;
    out << "[pipeline]\nclouds = [\"aws\"]\n[pipeline.scale_up]\nexpanders = " << wishes.expanders
        << "\nsimilarity = [\"resources\", \"labels\"]\nsplitter = \"node_groups\"\n"
        << wishes.scale_up
        << "[plugin.labels]\nsettings = { preset = \"aws\" }\n[plugin.aws]\ngrants = { http = "
           "[\"127.0.0.1\"] }\n[plugin.aws.settings]\nregion = \""
        << region << "\"\nendpoint_url = \"" << aws.url() << "\"\nrefresh_every = \"1s\"\n"
        << "discovery = [\"k8s.io/cluster-autoscaler/shop=owned\"]\ncluster = \"" << cluster_name
        << "\"\ncredentials = { imds_endpoint = \"" << aws.url() << "\" }\n"
        << wishes.settings
        << "[scale_down]\ndelay_after_add = \"3s\"\ndelay_after_failure = \"3s\"\n"
        << "unneeded_time = \"3s\"\nnode_delete_delay_after_taint = \"1s\"\neviction_retry = "
           "\"1s\"\n"
        << wishes.more;
    return std::move(out).str();
}

/// A server that plays AWS beside the cluster, and what turns its machines into nodes.
class AwsOnARealControlPlane : public e2e::Stories {
protected:
    void SetUp() override {
        const std::string because = AwsServer::missing_because();
        if (!because.empty()) GTEST_SKIP() << because;
        e2e::Stories::SetUp();
    }
    void TearDown() override {
        if (aws_) {
            EXPECT_THAT(aws_->violations(), ::testing::IsEmpty());
        }
        if (HasFailure()) std::cerr << folder_.read("joiner.log");
        daemon_.reset();
        joiner_.reset();
        e2e::Stories::TearDown();
    }
    void begin(const World& world, const Wishes& wishes = {}) {
        aws_ = std::make_unique<AwsServer>(world);
        joiner_ = std::make_unique<e2e::Process>(
            std::vector<std::string>{"build/python/bin/python", "tests/aws/joiner",
                                     (cluster->control_plane() / "admin.conf").string(),
                                     aws_->own_url()},
            std::map<std::string, std::string>{}, folder_.path() / "joiner.log");
        daemon_ = std::make_unique<e2e::Daemon>(*cluster, "daemon", config(*aws_, wishes));
    }
    AwsServer& aws() { return *aws_; }
    e2e::Daemon& daemon() { return *daemon_; }

private:
    commands::Folder folder_{};
    std::unique_ptr<AwsServer> aws_{};
    std::unique_ptr<e2e::Process> joiner_{};
    std::unique_ptr<e2e::Daemon> daemon_{};
};

TEST_F(AwsOnARealControlPlane, GrowsOverZonesAndShrinksWithinABudget) {
    World world;
    for (const std::string& zone : three_zones)
        world.groups.push_back({.name = "web-" + zone.substr(zone.size() - 1), .zones = {zone}});
    world.more["delays"] = json::parse(R"({"boot": 1, "terminate": 1})");
    begin(world);
    cluster->apply(e2e::deployment(6, "1500m") + "---\n" + e2e::budget(2));
    EXPECT_TRUE(becomes(120s, [&] { return ready_pods() == 6; }));
    for (const auto& [zone, count] : nodes_by_zone()) EXPECT_EQ(count, 2) << zone;

    scale(2);
    EXPECT_TRUE(becomes(180s, [&] { return has_ready_nodes(2) && daemon().target() == 2; }));
    EXPECT_EQ(ready_pods(), 2);
    for (const Call& call : aws().calls("TerminateInstanceInAutoScalingGroup"))
        EXPECT_EQ(call.status, 200) << call.answer;
}

TEST_F(AwsOnARealControlPlane, FallsOverToOnDemandAndGoesOnAfterAKillWithListsThatLag) {
    World world{.groups = {{.name = "spot",
                            .types = {"m5.large", "m5d.large"},
                            .spot = true,
                            .labels = {{"zalando.org/scaling-priority", "100"}}},
                           {.name = "on-demand"}},
                .policies = {"policy.json", "policy_doctor.json"}};
    world.more["capacity"] =
        json::parse(R"([{"group": "spot", "limit": 0, "code": "InsufficientInstanceCapacity"}])");
    world.more["lag"] = 2;
    world.more["delays"] = json::parse(R"({"launch": 1, "boot": 5})");
    begin(world, {.expanders = R"(["label_priority", "least_waste"])",
                  .more = "[scale_up]\nbackoff = \"until_joined\"\n"});
    cluster->apply(e2e::deployment(3, "1500m"));
    ASSERT_TRUE(becomes(120s, [&] { return aws().desired("on-demand") == 3; }));
    EXPECT_EQ(aws().desired("spot"), 1) << "one request stands";
    daemon().process().end(SIGKILL);
    daemon().start();
    EXPECT_TRUE(becomes(120s, [&] { return ready_pods() == 3; }));
    EXPECT_EQ(aws().most_desired("on-demand"), 3) << "no machine too many";

    const std::string at = " --config '" + daemon().config().string() + "'";
    const commands::Ran doctor = commands::capstan("doctor" + at);
    EXPECT_THAT(doctor.out, HasSubstr("2 groups found")) << doctor.err;
    const commands::Ran explained = commands::capstan("explain group --live spot" + at);
    EXPECT_EQ(explained.code, 0) << explained.err;
    EXPECT_THAT(explained.out, HasSubstr("InsufficientInstanceCapacity"));
}

/// Test cases 1 and 7 of the proposal on node auto-provisioning, and 2 by the label.
TEST_F(AwsOnARealControlPlane, MakesAGroupForAPodWithALabelAndDeletesItAfterIt) {
    World world{.policies = {"policy.json", "policy_provisioning.json"}};
    world.calls = {{"ec2",
                    "CreateLaunchTemplate",
                    {{"LaunchTemplateName", "nodes"},
                     {"LaunchTemplateData",
                      json::object{{"ImageId", "ami-ekslinux"}, {"UserData", node_config}}}}}};
    world.more["subnet_tags"] = json::object{{"kubernetes.io/cluster/shop", "shared"}};
    begin(world, {.scale_up = "group_sources = [\"provisioning\"]\n",
                  .settings = "provisioning = { launch_template = \"nodes\", subnet_tags = { "
                              "\"kubernetes.io/cluster/shop\" = \"shared\" }, instance_types = "
                              "[\"m5.*\"] }\n",
                  .more = "[plugin.provisioning]\nsettings = { max_groups = 10 }\n"});
    cluster->apply(e2e::deployment(1, "6", {"nodeSelector: {tier: gold}"}));
    EXPECT_TRUE(becomes(120s, [&] { return ready_pods() == 1; }));
    const std::vector<std::string> made = aws().groups();
    ASSERT_THAT(made, ::testing::SizeIs(1));
    EXPECT_THAT(made.front(), HasSubstr("m5-2xlarge"));

    scale(0);
    EXPECT_TRUE(becomes(180s, [&] { return aws().groups().empty(); }));
    EXPECT_TRUE(becomes(20s, [&] { return aws().calls("DeleteLaunchTemplate").size() == 1; }))
        << "nothing is left behind";
}

}  // namespace
}  // namespace capstan::aws
