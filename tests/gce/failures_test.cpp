// Stock-outs, quotas, failed operations, preempted instances, hanging requests and missing
// permissions.
#include <algorithm>

#include <boost/json/parse.hpp>

#include "../clouds/hung_request.hpp"
#include "fault_reaction.hpp"
#include "gce_scenario.hpp"

namespace capstan::gce {
namespace {

namespace json = boost::json;
using e2e::becomes;
using ::testing::Contains;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::SizeIs;

/// Spot before on-demand, by the label of the Zalando fork's expander.
ServerSetup spot_and_on_demand(const char* capacity) {
    ServerSetup setup{
        .groups = {
            {.name = "spot", .spot = true, .labels = {{"zalando.org/scaling-priority", "100"}}},
            {.name = "on-demand"}}};
    setup.more["capacity"] = json::parse(capacity);
    return setup;
}
const ScenarioOptions spot_first{.expanders = R"(["label_priority", "least_waste"])",
                                 .more = "[scale_up]\nbackoff = \"until_joined\"\n"};

std::string machine_of(const GceServer& gce, const std::string& group) {
    const auto machines = gce.machines(group);
    return machines.empty() ? "" : std::string(machines.front().at("id").as_string());
}

TEST_F(GceDaemon, FallsBackToOnDemandInThePassThatFindsTheStockOut) {
    GceScenario& s =
        begin(spot_and_on_demand(R"([{"group": "shop-spot", "limit": 0}])"), spot_first);
    s.run();
    EXPECT_TRUE(becomes(60s, [&] { return s.has_ready_pods(1); }));
    EXPECT_EQ(s.gce().target("on-demand"), 1);
    EXPECT_EQ(s.gce().target("spot"), 1) << "one machine stays requested, to detect new capacity";
    expect_reaction_in_same_pass(find_reaction(s.gce(), "spot", "on-demand"));
    EXPECT_TRUE(s.has_logged("ZONE_RESOURCE_POOL_EXHAUSTED")) << "the code of Google";

    s.gce().set("capacity", json::array{});
    s.gce().set("time", json::object{{"advance", 31}});
    EXPECT_TRUE(becomes(60s, [&] {
        const auto machines = s.gce().machines("spot");
        return machines.size() == 1 && machines.front().at("ready").as_bool();
    }));
}

TEST_F(GceDaemon, FallsBackIfAQuotaIsExceeded) {
    GceScenario& s = begin(
        spot_and_on_demand(R"([{"group": "shop-spot", "limit": 0, "code": "QUOTA_EXCEEDED"}])"),
        spot_first);
    s.run();
    EXPECT_TRUE(becomes(60s, [&] { return s.has_ready_pods(1); }));
    EXPECT_EQ(s.gce().target("on-demand"), 1);
    expect_reaction_in_same_pass(find_reaction(s.gce(), "spot", "on-demand"));
    EXPECT_TRUE(s.has_logged("Quota 'CPUS' exceeded"));
}

/// Google accepts the request, and its operation fails some seconds later.
TEST_F(GceDaemon, FallsBackSecondsAfterAFailedOperation) {
    GceScenario& s = begin(spot_and_on_demand("[]"), spot_first);
    s.gce().set("delays", json::object{{"operation", 6}});
    s.gce().set("failures",
                json::parse(R"([{"method": "compute.instanceGroupManagers.createInstances",
                                  "code": "QUOTA_EXCEEDED", "message": "Quota 'CPUS' exceeded."}])"));
    s.run();
    EXPECT_TRUE(becomes(90s, [&] { return s.has_ready_pods(1); }));
    EXPECT_EQ(s.gce().target("on-demand"), 1);
    EXPECT_EQ(s.gce().target("spot"), 0);
    EXPECT_THAT(s.gce().created("spot"), SizeIs(1)) << "it is backed off";
    EXPECT_TRUE(s.has_logged("accepted increase failed"));
}

TEST_F(GceDaemon, KeepsANodeWhoseMachineCannotBeDeleted) {
    GceScenario& s = begin({.groups = {{.name = "web", .target = 1}}});
    s.run();
    ASSERT_TRUE(becomes(60s, [&] { return s.has_ready_pods(1); }));
    s.gce().set("delays", json::object{{"operation", 6}});
    s.gce().set("failures",
                json::parse(R"([{"method": "compute.instanceGroupManagers.deleteInstances",
                                  "code": "INTERNAL_ERROR", "message": "try again"}])"));
    s.scale(0);
    EXPECT_TRUE(becomes(90s, [&] {
        return s.has_logged("the cloud accepted the removal of the machine, then failed");
    }));
    EXPECT_THAT(s.nodes(), SizeIs(1));
}

TEST_F(GceDaemon, RemovesNoRunningMachineIfARequestHangs) {
    ServerSetup setup{
        .more = {{"lag", 3},
                 {"delays", json::parse(R"({"launch": 0.5, "boot": 1})")},
                 {"capacity", json::parse(R"([{"zone": "us-central1-c", "limit": 1}])")}}};
    for (const std::string& zone : three_zones)
        setup.groups.push_back(
            {.name = "web-" + zone.substr(zone.size() - 1), .place = zone, .target = 1});
    GceScenario& s =
        begin(setup, {.scan_interval = "10s", .scale_up = "splitter = \"node_groups\"\n"});
    const json::object rule{{"fault", "hang_after"},
                            {"action", "POST .*/createInstances"},
                            {"count", 1},
                            {"seconds", 20}};
    clouds::grow_with_a_hung_request(
        s, {.rules = {rule}, .is_cancelled = [&] { return s.gce().target("web-c") == 1; }});
    EXPECT_THAT(s.gce().calls("resize"), IsEmpty());
}

/// The group recreates a preempted machine with the same name and another id.
TEST_F(GceDaemon, WaitsForAPreemptedMachineToReturn) {
    GceScenario& s = begin({.groups = {{.name = "spot", .target = 1, .spot = true}},
                            .more = {{"delays", json::parse(R"({"boot": 3, "delete": 1})")}}});
    s.run();
    ASSERT_TRUE(becomes(60s, [&] { return s.has_ready_pods(1); }));
    const std::string machine = machine_of(s.gce(), "spot");
    const auto number = [&] { return s.gce().machines("spot").front().at("number"); };
    const json::value before = number();
    s.gce().set("preempt", json::object{{"instance", machine}, {"notice", 1}});
    EXPECT_TRUE(becomes(30s, [&] { return !s.has_ready_pods(1); }));
    EXPECT_TRUE(becomes(60s, [&] { return s.has_ready_pods(1); })) << "the group recreates it";
    EXPECT_EQ(machine_of(s.gce(), "spot"), machine) << "with the same name";
    EXPECT_NE(number(), before);
    EXPECT_EQ(s.gce().target("spot"), 1);
    EXPECT_THAT(s.gce().calls("createInstances"), IsEmpty());
    EXPECT_THAT(s.gce().calls("deleteInstances"), IsEmpty());
}

/// An instance that an administrator removes from its group is not removed by Capstan.
TEST_F(GceDaemon, KeepsAnAbandonedMachine) {
    GceScenario& s = begin({.groups = {{.name = "web", .target = 1}}});
    s.run();
    ASSERT_TRUE(becomes(60s, [&] { return s.has_ready_pods(1); }));
    const std::string machine = machine_of(s.gce(), "web");
    s.gce().administer(
        {.method = "compute.instanceGroupManagers.abandonInstances",
         .parameters = {{"zone", "us-central1-a"}, {"instanceGroupManager", "shop-web"}},
         .body = {
             {"instances", json::array{"zones/us-central1-a/instances/" + std::string(machine)}}}});
    ASSERT_TRUE(becomes(30s, [&] { return s.gce().target("web") == 0; }));
    s.scale(3);
    EXPECT_TRUE(becomes(60s, [&] { return s.has_ready_pods(3); }));
    EXPECT_THAT(s.gce().created("web"), SizeIs(2)) << "its node keeps its pod";
    s.scale(0);
    EXPECT_TRUE(becomes(90s, [&] { return s.gce().target("web") == 0; }));
    EXPECT_TRUE(becomes(30s, [&] { return s.nodes().size() == 1; }));
    EXPECT_THAT(s.nodes(), Contains(machine)) << "although it is empty";
    for (const Call& call : s.gce().calls("deleteInstances"))
        EXPECT_THAT(call.instances(), Not(Contains(machine)));
}

TEST_F(GceDaemon, IgnoresAutoscaledAndStatefulGroups) {
    ServerSetup setup{
        .groups = {{.name = "web"},
                   {.name = "sized"},
                   {.name = "stateful",
                    .more = {{"statefulPolicy", json::parse(R"({"preservedState": {"disks": {"data":
                                          {"autoDelete": "NEVER"}}}})")}}}}};
    GceScenario& s = begin(setup);
    s.gce().set("group", json::object{{"name", "shop-sized"}, {"autoscaler", "cpu"}});
    s.scale(3);
    s.run();
    EXPECT_TRUE(becomes(90s, [&] { return s.has_ready_pods(3); }));
    EXPECT_EQ(s.gce().target("web"), 3);
    EXPECT_EQ(s.gce().target("sized"), 0);
    EXPECT_EQ(s.gce().target("stateful"), 0);
    EXPECT_TRUE(s.has_logged("shop-sized"));
    EXPECT_TRUE(s.has_logged("shop-stateful")) << "each is logged";
}

TEST_F(GceDaemon, NamesAMissingPermission) {
    GceScenario& s = begin({.groups = {{.name = "web"}}},
                           {.more = "[scale_up]\ninitial_node_group_backoff_duration = \"3s\"\n"});
    const auto grant = [&](json::array permissions) {
        s.gce().set("policy",
                    json::object{{"name", account}, {"permissions", std::move(permissions)}});
    };
    grant({"compute.instanceGroupManagers.get", "compute.instanceGroupManagers.list",
           "compute.instances.list", "compute.instances.get", "compute.instanceTemplates.get",
           "compute.machineTypes.get", "compute.machineTypes.list", "compute.images.get",
           "compute.images.getFromFamily", "compute.zoneOperations.get"});
    s.run();
    EXPECT_TRUE(becomes(60s, [&] { return s.has_logged("compute.instanceGroupManagers.update"); }));
    EXPECT_TRUE(s.has_logged("instanceGroupManagers/shop-web")) << "the group is named";
    EXPECT_TRUE(s.daemon().process().is_running());
    grant({"*"});
    EXPECT_TRUE(becomes(120s, [&] { return s.has_ready_pods(1); })) << "after it is granted";
}

/// If a list cannot reach a zone, the groups of this zone keep their last state, and others are
/// scaled.
TEST_F(GceDaemon, ContinuesIfAZoneIsUnreachable) {
    GceScenario& s =
        begin({.groups = {{.name = "web-a"}, {.name = "web-b", .place = "us-central1-b"}}});
    s.run();
    ASSERT_TRUE(becomes(60s, [&] { return s.has_ready_pods(1); }));
    s.gce().set("unreachable", json::object{{"scopes", json::array{"zones/us-central1-a"}}});
    s.scale(3);
    EXPECT_TRUE(becomes(60s, [&] { return s.has_ready_pods(3); }));
    s.gce().set("unreachable", json::object{{"scopes", json::array{}}});
    s.scale(1);
    EXPECT_TRUE(becomes(90s, [&] { return s.nodes().size() == 1; }));
    EXPECT_TRUE(s.has_ready_pods(1));
}

}  // namespace
}  // namespace capstan::gce
