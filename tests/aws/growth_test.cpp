// Scale-up and scale-down by the shipped `capstan run`, with moto as AWS.
#include <algorithm>
#include <map>

#include <boost/json/parse.hpp>

#include "aws_scenario.hpp"

namespace capstan::aws {
namespace {

using e2e::becomes;
using ::testing::AllOf;
using ::testing::Each;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::SizeIs;

constexpr auto delays = R"({"boot": 1, "terminate": 1})";

TEST_F(AwsDaemon, GrowsForPodsAndShrinksWithoutThem) {
    AwsScenario& s =
        begin({.groups = {{.name = "web"}}, .more = {{"delays", boost::json::parse(delays)}}});
    s.run();
    EXPECT_TRUE(becomes(60s, [&] { return s.has_ready_pods(1); }));
    s.scale(3);
    EXPECT_TRUE(becomes(60s, [&] { return s.has_ready_pods(3); }));
    EXPECT_THAT(s.nodes(), SizeIs(3)) << "each fits one pod";
    EXPECT_EQ(s.aws().most_desired("web"), 3);

    s.scale(1);
    EXPECT_TRUE(becomes(90s, [&] { return s.aws().desired("web") == 1 && s.nodes().size() == 1; }));
    EXPECT_TRUE(s.has_ready_pods(1));
    const std::vector<Call> removals = s.aws().calls("TerminateInstanceInAutoScalingGroup");
    EXPECT_THAT(removals, SizeIs(2)) << "each machine is removed once";
    for (const Call& call : removals) {
        EXPECT_EQ(call.status, 200) << call.response;
        EXPECT_EQ(call.parameter("ShouldDecrementDesiredCapacity"), "true");
        EXPECT_THAT(call.principal, HasSubstr(":assumed-role/capstan-shop/"))
            << "with the role of its own instance";
    }
}

TEST_F(AwsDaemon, RemovesNodesMatchedByAddress) {
    AwsScenario& s =
        begin({.groups = {{.name = "web"}},
               .more = {{"delays", boost::json::parse(delays)}, {"provider_ids", false}}});
    s.scale(3);
    s.run();
    EXPECT_TRUE(becomes(60s, [&] { return s.has_ready_pods(3); }));
    s.scale(1);
    EXPECT_TRUE(becomes(90s, [&] { return s.aws().desired("web") == 1 && s.nodes().size() == 1; }));
    EXPECT_TRUE(s.has_ready_pods(1));
    EXPECT_THAT(s.aws().calls("TerminateInstanceInAutoScalingGroup"), SizeIs(2));
    const std::vector<Call> requests = s.aws().calls("DescribeInstances");
    EXPECT_THAT(requests, SizeIs(::testing::AllOf(::testing::Ge(1), ::testing::Le(3))))
        << "at most once for each instance";
    for (const Call& call : requests) EXPECT_EQ(call.status, 200) << call.response;
}

TEST_F(AwsDaemon, KeepsThreeZonesBalanced) {
    ServerSetup setup;
    for (const std::string& zone : three_zones)
        setup.groups.push_back({.name = "web-" + zone.substr(zone.size() - 1), .zones = {zone}});
    AwsScenario& s = begin(setup, {.scale_up = "splitter = \"node_groups\"\n"});
    s.scale(6);
    s.run();
    EXPECT_TRUE(becomes(90s, [&] { return s.has_ready_pods(6); }));
    for (const Group& group : setup.groups) EXPECT_EQ(s.aws().desired(group.name), 2) << group.name;
}

TEST_F(AwsDaemon, SupportsDoctorExplainAndPlan) {
    AwsScenario& s =
        begin({.groups = {{.name = "web"}, {.name = "small", .types = {"c5.large"}, .max = 0}},
               .policies = {"policy.json", "policy_doctor.json"}});
    commands::CommandResult doctor;
    EXPECT_TRUE(becomes(30s, [&] {
        doctor = s.run_command("doctor");
        return doctor.code == 0;
    }));
    EXPECT_THAT(doctor.out, AllOf(HasSubstr("2 groups found"), Not(HasSubstr("MISSING"))));
    EXPECT_THAT(s.aws().calls("SetDesiredCapacity"), ::testing::IsEmpty())
        << "doctor changes nothing";

    const auto pods = s.api().names("/api/v1/namespaces/default/pods");
    ASSERT_THAT(pods, SizeIs(1));
    const commands::CommandResult explained =
        s.run_command("explain pod --live default/" + pods.front());
    EXPECT_EQ(explained.code, 0) << explained.err;
    EXPECT_THAT(explained.out,
                AllOf(HasSubstr("web"), HasSubstr("can schedule it"), HasSubstr("small")));
    const commands::CommandResult plan = s.run_command("plan");
    EXPECT_EQ(plan.code, 3) << plan.err;
    EXPECT_THAT(plan.out, HasSubstr("increase web by 1"));
}

TEST_F(AwsDaemon, ComparesATemplateWithTheLastNode) {
    AwsScenario& s = begin({.groups = {{.name = "web", .labels = {{"team", "a"}}}}});
    s.run();
    ASSERT_TRUE(becomes(60s, [&] { return s.has_ready_pods(1); }));
    const std::string node = s.nodes().front();
    commands::CommandResult explained;
    EXPECT_TRUE(becomes(90s, [&] {
        explained = s.run_command("explain group --live web");
        return explained.out.find("compared with node " + node) != std::string::npos;
    })) << explained.out;
    EXPECT_EQ(explained.code, 0) << explained.err;
    EXPECT_THAT(explained.out, AllOf(HasSubstr("m5.large"), HasSubstr("team")));
}

TEST_F(AwsDaemon, CreatesNoExtraMachineAfterAKill) {
    AwsScenario& s =
        begin({.groups = {{.name = "web"}},
               .more = {{"delays", boost::json::parse(R"({"launch": 1, "boot": 5})")}}});
    s.scale(3);
    s.run();
    ASSERT_TRUE(becomes(60s, [&] { return s.aws().desired("web") == 3; }));
    s.kill();
    EXPECT_THAT(s.nodes(), SizeIs(0)) << "its machines have not joined yet";
    s.run();
    EXPECT_TRUE(becomes(60s, [&] { return s.has_ready_pods(3); }));
    EXPECT_EQ(s.aws().most_desired("web"), 3);
    EXPECT_THAT(s.nodes(), SizeIs(3));
}

TEST_F(AwsDaemon, CreatesNoExtraMachineWithALaggingList) {
    AwsScenario& s = begin({.groups = {{.name = "web"}}, .more = {{"lag", 4}}});
    ASSERT_TRUE(becomes(30s, [&] { return !s.aws().groups().empty(); }));
    s.scale(3);
    s.run();
    EXPECT_TRUE(becomes(90s, [&] { return s.has_ready_pods(3); }));
    EXPECT_EQ(s.aws().most_desired("web"), 3);
    s.scale(1);
    EXPECT_TRUE(becomes(90s, [&] { return s.nodes().size() == 1; }));
    EXPECT_EQ(s.aws().desired("web"), 1);
    EXPECT_TRUE(s.has_ready_pods(1));
}

}  // namespace
}  // namespace capstan::aws
