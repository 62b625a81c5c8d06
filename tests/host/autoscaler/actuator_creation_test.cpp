// Creation and deletion of groups by the actuator.
#include "autoscaler/actuator.hpp"

#include <gmock/gmock.h>

#include "fake_cluster.hpp"
#include "virtual_assembly.hpp"

namespace capstan::autoscaler {
namespace {

using ::testing::ElementsAre;
using namespace std::chrono_literals;

const std::string provisioning_cloud =
    "[pipeline]\nclouds = [\"east\"]\n" +
    simulated("east", "latency = \"3s\", groups = [" + simulated_group("a") +
                          "], machine_types = ["
                          "{ machine = { type = \"m\", cpu = \"4\", memory = \"16Gi\" } }, "
                          "{ machine = { type = \"none\", cpu = \"4\", memory = \"16Gi\" }, "
                          "fail_create = { code = \"quota\", message = \"no more\" } }]");

const PluginInstanceId east("east");

struct ActuatorCreation : ::testing::Test {
    engine::Decision decision{};
    VirtualAssembly assembly{provisioning_cloud};
    FakeCluster cluster;
    engine::CallContext call_context{.seed = 7, .now = Time(1h)};

    void add_creation(const std::string& name, const std::string& type, int nodes,
                      const PluginInstanceId& cloud = east) {
        decision.creations.push_back({.group = NodeGroupId(name),
                                      .cloud = cloud,
                                      .plan = {.name = name, .machine_type = type}});
        add_increase(name, nodes, cloud);
    }
    void add_increase(const std::string& name, int nodes, const PluginInstanceId& cloud = east) {
        decision.increases.push_back(
            {.group = NodeGroupId(name), .cloud = cloud, .from = 0, .by = nodes});
    }
    void add_deletion(const std::string& name) {
        decision.deletions.push_back({.group = NodeGroupId(name), .cloud = east});
    }
    engine::Results carry_out() {
        const engine::Results out =
            carry_out_now(decision, {}, assembly.clouds(), cluster, call_context, assembly.host());
        decision = {};
        return out;
    }
    /// "a 2" for each group that the cloud lists.
    std::vector<std::string> groups() {
        const auto view = assembly.clouds().refresh_now(assembly.host());
        std::vector<std::string> out;
        for (const engine::Group& each : *view.groups)
            out.push_back(each.group.id.value() + " " + std::to_string(*each.group.target));
        return out;
    }
};

std::vector<std::string> codes(const std::vector<std::optional<Error>>& errors) {
    std::vector<std::string> out;
    for (const auto& error : errors)
        out.push_back(error ? std::string(name_of(error->code)) : "done");
    return out;
}

TEST_F(ActuatorCreation, IncreasesAGroupAfterItsCreation) {
    add_creation("nap-m", "m", 2);
    add_increase("a", 1);
    const engine::Results results = carry_out();
    EXPECT_EQ(assembly.elapsed(), 6s) << "two calls of 3s each, one after the other";
    EXPECT_THAT(codes(results.creations), ElementsAre("done"));
    EXPECT_THAT(codes(results.increases), ElementsAre("done", "done"));
    EXPECT_THAT(groups(), ElementsAre("a 1", "nap-m 2"));
}

TEST_F(ActuatorCreation, CancelsTheIncreaseOfAGroupThatCouldNotBeCreated) {
    add_creation("nap-none", "none", 1);
    add_creation("nap-m", "m", 1);
    add_creation("nap-west", "m", 1, PluginInstanceId("west"));
    const engine::Results results = carry_out();
    EXPECT_THAT(codes(results.creations), ElementsAre("quota", "done", "internal"));
    EXPECT_THAT(codes(results.increases), ElementsAre("cancelled", "done", "cancelled"));
    EXPECT_THAT(groups(), ElementsAre("a 0", "nap-m 1"));
}

TEST_F(ActuatorCreation, RepeatingADecisionHasNoSecondEffect) {
    for (int i = 0; i < 2; ++i) {
        add_creation("nap-m", "m", 2);
        const engine::Results results = carry_out();
        EXPECT_THAT(codes(results.creations), ElementsAre("done"));
        EXPECT_THAT(codes(results.increases), ElementsAre("done"));
    }
    EXPECT_THAT(groups(), ElementsAre("a 0", "nap-m 2"));
}

TEST_F(ActuatorCreation, DeletesOnlyEmptyGroupsThatWereCreated) {
    add_creation("nap-empty", "m", 0);
    decision.increases.clear();
    add_creation("nap-full", "m", 1);
    carry_out();
    for (const char* name : {"a", "nap-empty", "nap-full", "unknown"}) add_deletion(name);
    EXPECT_THAT(codes(carry_out().deletions),
                ElementsAre("permission", "done", "conflict", "not_found"));
    EXPECT_THAT(groups(), ElementsAre("a 0", "nap-full 1"));
}

}  // namespace
}  // namespace capstan::autoscaler
