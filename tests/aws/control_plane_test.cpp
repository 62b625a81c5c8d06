// The same on a real control plane: its scheduler, its evictions, its rights.
#include <cstdlib>
#include <sstream>

#include <boost/json/parse.hpp>

#include "../e2e/stories.hpp"
#include "aws_server.hpp"

namespace capstan::aws {
namespace {

using e2e::becomes;
using namespace std::chrono_literals;

/// As an operator would write it.
std::string config(const AwsServer& aws) {
    std::ostringstream out;
    out << "[pipeline]\nclouds = [\"aws\"]\n[pipeline.scale_up]\nexpanders = [\"least_waste\"]\n"
        << "similarity = [\"resources\", \"labels\"]\nsplitter = \"node_groups\"\n"
        << "[plugin.labels]\nsettings = { preset = \"aws\" }\n[plugin.aws]\ngrants = { http = "
           "[\"127.0.0.1\"] }\n[plugin.aws.settings]\nregion = \""
        << region << "\"\nendpoint_url = \"" << aws.url() << "\"\nrefresh_every = \"1s\"\n"
        << "discovery = [\"k8s.io/cluster-autoscaler/shop=owned\"]\n"
        << "credentials = { imds_endpoint = \"" << aws.url() << "\" }\n"
        << "[scale_down]\ndelay_after_add = \"3s\"\ndelay_after_failure = \"3s\"\n"
        << "unneeded_time = \"3s\"\nnode_delete_delay_after_taint = \"1s\"\neviction_retry = "
           "\"1s\"\n";
    return std::move(out).str();
}

class AwsOnARealControlPlane : public e2e::Stories {
protected:
    void SetUp() override {
        const std::string because = AwsServer::missing_because();
        if (!because.empty()) GTEST_SKIP() << because;
        e2e::Stories::SetUp();
    }
};

TEST_F(AwsOnARealControlPlane, GrowsOverZonesAndShrinksWithinABudget) {
    World world;
    for (const std::string& zone : three_zones)
        world.groups.push_back({.name = "web-" + zone.substr(zone.size() - 1), .zones = {zone}});
    world.more["delays"] = boost::json::parse(R"({"boot": 1, "terminate": 1})");
    const AwsServer aws(world);
    const commands::Folder folder;
    const e2e::Process joiner({"build/python/bin/python", "tests/aws/joiner",
                               (cluster->control_plane() / "admin.conf").string(), aws.own_url()},
                              {}, folder.path() / "joiner.log");
    e2e::Daemon daemon(*cluster, "daemon", config(aws));
    cluster->apply(e2e::deployment(6, "1500m") + "---\n" + e2e::budget(2));
    EXPECT_TRUE(becomes(120s, [&] { return ready_pods() == 6; })) << folder.read("joiner.log");
    for (const auto& [zone, count] : nodes_by_zone()) EXPECT_EQ(count, 2) << zone;

    scale(2);
    EXPECT_TRUE(becomes(180s, [&] { return has_ready_nodes(2) && daemon.target() == 2; }));
    EXPECT_EQ(ready_pods(), 2);
    for (const Call& call : aws.calls("TerminateInstanceInAutoScalingGroup"))
        EXPECT_EQ(call.status, 200) << call.answer;
    EXPECT_THAT(aws.violations(), ::testing::IsEmpty());
}

}  // namespace
}  // namespace capstan::aws
