// Launches that fail, interrupted instances, hanging requests and missing permissions.
#include <algorithm>

#include <boost/json/parse.hpp>

#include "../clouds/hung_request.hpp"
#include "aws_scenario.hpp"

namespace capstan::aws {
namespace {

namespace json = boost::json;
using e2e::becomes;
using ::testing::AllOf;
using ::testing::Each;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::SizeIs;

/// Spot before on-demand, by the label of the Zalando fork's expander.
ServerSetup spot_and_on_demand() {
    return {.groups = {{.name = "spot",
                        .types = {"m5.large", "m5d.large"},
                        .spot = true,
                        .labels = {{"zalando.org/scaling-priority", "100"}}},
                       {.name = "on-demand"}}};
}
constexpr auto spot_first = R"(["label_priority", "least_waste"])";

std::int64_t first_number(const std::vector<Call>& calls, const std::string& action,
                          const std::string& group, std::int64_t after = 0) {
    const auto found = std::ranges::find_if(calls, [&](const Call& call) {
        return call.number > after && call.action == action &&
               call.parameter("AutoScalingGroupName") == group;
    });
    return found == calls.end() ? 0 : found->number;
}

TEST_F(AwsDaemon, FallsBackToOnDemandInThePassThatFindsTheFailure) {
    ServerSetup setup = spot_and_on_demand();
    setup.more["capacity"] =
        json::parse(R"([{"group": "spot", "limit": 0, "code": "InsufficientInstanceCapacity"}])");
    AwsScenario& s =
        begin(setup, {.expanders = spot_first, .more = "[scale_up]\nbackoff = \"until_joined\"\n"});
    s.run();
    EXPECT_TRUE(becomes(60s, [&] { return s.has_ready_pods(1); }));
    EXPECT_EQ(s.aws().desired("on-demand"), 1);
    EXPECT_EQ(s.aws().desired("spot"), 1) << "one machine stays requested, to detect new capacity";

    const std::vector<Call> calls = s.aws().calls();
    const std::int64_t requested = first_number(calls, "SetDesiredCapacity", "spot");
    const std::int64_t listed = first_number(calls, "DescribeScalingActivities", "spot", requested);
    const std::int64_t listed_again =
        first_number(calls, "DescribeScalingActivities", "spot", listed);
    const std::int64_t fell_back = first_number(calls, "SetDesiredCapacity", "on-demand");
    ASSERT_GT(listed, requested);
    EXPECT_GT(fell_back, listed);
    EXPECT_TRUE(listed_again == 0 || fell_back < listed_again) << "each pass reads the activities";

    s.aws().set("capacity", json::array{});
    s.aws().set("time", json::object{{"advance", 31}});
    EXPECT_TRUE(becomes(60s, [&] { return s.aws().machines("spot").size() == 1; }));
}

/// Removes the statement of the policy that allows the action.
void forbid(const AwsServer& aws, const std::string& action) {
    json::object without = policy_of({"policy.json"});
    json::array& statements = without["Statement"].as_array();
    const auto allows = [&](const json::value& statement) {
        const json::array& actions = statement.at("Action").as_array();
        return std::ranges::find(actions, json::value(action)) != actions.end();
    };
    statements.erase(std::ranges::find_if(statements, allows));
    aws.set("policy", json::object{{"name", "capstan-shop"}, {"document", without}});
}

/// Setup words: lists are 3 s late, an instance takes 1.5 s to launch, and capacity is limited.
json::object late_lists(const char* capacity) {
    return {{"lag", 3},
            {"delays", json::parse(R"({"launch": 0.5, "boot": 1})")},
            {"capacity", json::parse(capacity)}};
}

TEST_F(AwsDaemon, RemovesNoMachineIfAZoneHasNoCapacity) {
    AwsScenario& s = begin({.groups = {{.name = "web"}},
                            .more = late_lists(R"([{"zone": "eu-central-1c", "limit": 0}])")});
    s.scale(4);
    s.run();
    EXPECT_TRUE(becomes(60s, [&] { return s.has_ready_pods(4); }))
        << "AWS launches in the other zones";
    EXPECT_FALSE(becomes(20s, [&] { return s.nodes().size() != 4; })) << "no node is removed";
    EXPECT_EQ(s.aws().desired("web"), 4);
    EXPECT_EQ(s.aws().most_desired("web"), 4);
}

TEST_F(AwsDaemon, ProtectsMachinesWhileItCancelsRequests) {
    AwsScenario& s = begin({.groups = {{.name = "web", .zones = {"eu-central-1a"}}},
                            .more = late_lists(R"([{"group": "web", "limit": 2}])")});
    s.scale(4);
    s.run();
    EXPECT_TRUE(becomes(90s, [&] { return s.aws().desired("web") == 2; }));
    EXPECT_TRUE(becomes(30s, [&] { return s.has_ready_pods(2); }));
    EXPECT_FALSE(becomes(10s, [&] { return s.nodes().size() != 2; }));
    const std::vector<Call> calls = s.aws().calls("SetInstanceProtection");
    ASSERT_FALSE(calls.empty());
    EXPECT_EQ(calls.front().status, 200) << calls.front().response;
}

/// One group with one running instance in each zone; one zone has no further capacity.
ServerSetup machine_in_each_zone() {
    ServerSetup setup{.more = late_lists(R"([{"zone": "eu-central-1c", "limit": 1}])")};
    // AWS retries a failed launch after 300 s, so that a minute passes without activities.
    setup.more["delays"].as_object()["retry"] = 300;
    for (const std::string& zone : three_zones)
        setup.groups.push_back(
            {.name = "web-" + zone.substr(zone.size() - 1), .zones = {zone}, .desired = 1});
    return setup;
}
const ScenarioOptions default_interval{.scan_interval = "10s",
                                       .scale_up = "splitter = \"node_groups\"\n"};

void grow_while_a_request_hangs(AwsScenario& s, const char* fault) {
    const json::object rule{
        {"fault", fault}, {"action", "SetDesiredCapacity"}, {"count", 1}, {"seconds", 20}};
    clouds::grow_with_a_hung_request(
        s, {.rules = {rule},
            .once_grown = [&] { s.aws().set("time", json::object{{"advance", 61}}); },
            .is_cancelled = [&] { return s.aws().desired("web-c") == 1; }});
    EXPECT_THAT(s.aws().calls("TerminateInstanceInAutoScalingGroup"), ::testing::IsEmpty());
}

TEST_F(AwsDaemon, RemovesNoRunningMachineIfARequestHangs) {
    AwsScenario& s = begin(machine_in_each_zone(), default_interval);
    grow_while_a_request_hangs(s, "hang");
    EXPECT_THAT(s.aws().calls("SetInstanceProtection"), Not(::testing::IsEmpty()));
}

TEST_F(AwsDaemon, RemovesNoRunningMachineIfARequestHangsAndNoneMayBeProtected) {
    AwsScenario& s = begin(machine_in_each_zone(), default_interval);
    forbid(s.aws(), "autoscaling:SetInstanceProtection");
    grow_while_a_request_hangs(s, "hang_after");
}

TEST_F(AwsDaemon, ReplacesAnInterruptedSpotMachine) {
    ServerSetup setup{.groups = {{.name = "spot", .desired = 1, .spot = true}},
                      .policies = {"policy.json", "policy_queue.json"}};
    setup.calls = {{"sqs", "CreateQueue", {{"QueueName", "capstan-shop"}}}};
    setup.more["queue_name"] = "capstan-shop";
    ScenarioOptions options;
    options.settings = "event_queue_url = \"SERVER/123456789012/capstan-shop\"\n";
    AwsScenario& s = begin(setup, options);
    s.run();
    ASSERT_TRUE(becomes(60s, [&] { return s.has_ready_pods(1); }));
    const std::string machine(s.aws().machines("spot").front().at("id").as_string());
    s.aws().set("interrupt", json::object{{"instance", machine}, {"notice", 10}});
    EXPECT_TRUE(becomes(30s, [&] {
        return s.has_logged(machine + " of spot has a termination notice: spot interruption");
    }));
    EXPECT_TRUE(becomes(30s, [&] { return s.aws().calls("DeleteMessageBatch").size() == 1; }));
    EXPECT_TRUE(becomes(90s, [&] {
        const auto nodes = s.nodes();
        return s.has_ready_pods(1) && !nodes.empty() && std::ranges::count(nodes, machine) == 0;
    })) << "its pod runs on a replacement";
    EXPECT_GE(s.aws().calls("SetDesiredCapacity").size(), 1u)
        << "the replacement was requested in time";
}

TEST_F(AwsDaemon, NamesAMissingPermission) {
    AwsScenario& s = begin({.groups = {{.name = "web"}}},
                           {.more = "[scale_up]\ninitial_node_group_backoff_duration = \"3s\"\n"});
    forbid(s.aws(), "autoscaling:SetDesiredCapacity");
    s.run();
    EXPECT_TRUE(becomes(60s, [&] { return s.has_logged("autoscaling:SetDesiredCapacity"); }));
    EXPECT_THAT(s.daemon().log(), HasSubstr("autoScalingGroupName/web")) << "the group is named";
    EXPECT_TRUE(s.daemon().process().is_running());
    s.aws().set("policy",
                json::object{{"name", "capstan-shop"}, {"document", policy_of({"policy.json"})}});
    EXPECT_TRUE(becomes(120s, [&] { return s.has_ready_pods(1); })) << "after it is granted";
}

TEST_F(AwsDaemon, CorrectsTheClockSkewAndRenewsExpiredCredentials) {
    AwsScenario& s = begin({.groups = {{.name = "web"}}});
    s.aws().set("time", json::object{{"offset", 3000}});
    s.run();
    EXPECT_TRUE(becomes(60s, [&] { return s.has_ready_pods(1); }))
        << "with a clock skew of 50 minutes";
    s.aws().set("expire", json::object{{"access_key_id", ""}});
    s.scale(2);
    EXPECT_TRUE(becomes(60s, [&] { return s.has_ready_pods(2); }));
}

}  // namespace
}  // namespace capstan::aws
