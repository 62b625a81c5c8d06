// Scale-up and scale-down by the shipped `capstan run`, with the server that simulates Google
// Cloud.
#include <algorithm>

#include <boost/json/parse.hpp>

#include "gce_scenario.hpp"

namespace capstan::gce {
namespace {

namespace json = boost::json;
using e2e::becomes;
using ::testing::AllOf;
using ::testing::Each;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::SizeIs;

constexpr auto delays = R"({"launch": 0.5, "boot": 1, "delete": 1})";

/// Names of all instances of deleteInstances requests.
std::vector<std::string> deleted(const GceServer& gce) {
    std::vector<std::string> out;
    for (const Call& call : gce.calls("deleteInstances")) {
        EXPECT_EQ(call.status, 200) << call.response;
        for (std::string& name : call.instances()) out.push_back(std::move(name));
    }
    return out;
}

TEST_F(GceDaemon, GrowsForPodsAndShrinksWithoutThem) {
    GceScenario& s =
        begin({.groups = {{.name = "web"}}, .more = {{"delays", json::parse(delays)}}});
    s.run();
    EXPECT_TRUE(becomes(60s, [&] { return s.has_ready_pods(1); }));
    s.scale(3);
    EXPECT_TRUE(becomes(60s, [&] { return s.has_ready_pods(3); }));
    EXPECT_THAT(s.nodes(), SizeIs(3)) << "each fits one pod";
    EXPECT_THAT(s.gce().created("web"), SizeIs(3));

    s.scale(1);
    EXPECT_TRUE(becomes(90s, [&] { return s.gce().target("web") == 1 && s.nodes().size() == 1; }));
    EXPECT_TRUE(s.has_ready_pods(1));
    EXPECT_THAT(deleted(s.gce()), SizeIs(2)) << "each machine is removed once";
    EXPECT_THAT(s.gce().calls("resize"), IsEmpty()) << "instances are created and deleted by name";
    for (const Call& call : s.gce().calls("deleteInstances"))
        EXPECT_EQ(call.principal, account) << "with the account of its own instance";
}

TEST_F(GceDaemon, KeepsThreeZonesBalanced) {
    ServerSetup setup;
    for (const std::string& zone : three_zones)
        setup.groups.push_back({.name = "web-" + zone.substr(zone.size() - 1), .place = zone});
    GceScenario& s = begin(setup, {.scale_up = "splitter = \"node_groups\"\n"});
    s.scale(6);
    s.run();
    EXPECT_TRUE(becomes(90s, [&] { return s.has_ready_pods(6); }));
    for (const Group& group : setup.groups) EXPECT_EQ(s.gce().target(group.name), 2) << group.name;
}

TEST_F(GceDaemon, SupportsDoctorExplainAndPlan) {
    GceScenario& s =
        begin({.groups = {{.name = "web"}, {.name = "small", .type = "n1-standard-1"}}});
    commands::CommandResult doctor;
    EXPECT_TRUE(becomes(30s,
                        [&] {
                            doctor = s.run_command("doctor");
                            return doctor.code == 0;
                        }))
        << doctor.out << doctor.err;
    EXPECT_THAT(doctor.out, AllOf(HasSubstr("2 groups found"), Not(HasSubstr("MISSING"))));
    EXPECT_THAT(s.gce().calls("testIamPermissions"), Not(IsEmpty()));
    EXPECT_THAT(s.gce().calls("createInstances"), IsEmpty()) << "doctor changes nothing";

    const auto pods = s.api().names("/api/v1/namespaces/default/pods");
    ASSERT_THAT(pods, SizeIs(1));
    const commands::CommandResult explained =
        s.run_command("explain pod --live default/" + pods.front());
    EXPECT_EQ(explained.code, 0) << explained.err;
    EXPECT_THAT(explained.out, AllOf(HasSubstr("shop-web"), HasSubstr("can schedule it"),
                                     HasSubstr("shop-small")));
    const commands::CommandResult plan = s.run_command("plan");
    EXPECT_EQ(plan.code, 3) << plan.err;
    EXPECT_THAT(plan.out, HasSubstr("increase " + id_of({.name = "web"}) + " by 1"));
}

TEST_F(GceDaemon, ComparesATemplateWithTheLastNode) {
    const Group web{.name = "web", .labels = {{"team", "a"}}};
    GceScenario& s = begin({.groups = {web}});
    s.run();
    ASSERT_TRUE(becomes(60s, [&] { return s.has_ready_pods(1); }));
    const std::string node = s.nodes().front();
    commands::CommandResult explained;
    EXPECT_TRUE(becomes(90s,
                        [&] {
                            explained = s.run_command("explain group --live " + id_of(web));
                            return explained.out.find("compared with node " + node) !=
                                   std::string::npos;
                        }))
        << "a node that just became ready may not have all resources yet\n"
        << explained.out;
    EXPECT_EQ(explained.code, 0) << explained.err;
    EXPECT_THAT(explained.out, AllOf(HasSubstr("n2-standard-2"), HasSubstr("team")));
}

TEST_F(GceDaemon, CreatesNoExtraMachineAfterAKill) {
    GceScenario& s = begin({.groups = {{.name = "web"}},
                            .more = {{"delays", json::parse(R"({"launch": 1, "boot": 5})")}}});
    s.scale(3);
    s.run();
    ASSERT_TRUE(becomes(60s, [&] { return s.gce().target("web") == 3; }));
    s.kill();
    EXPECT_THAT(s.nodes(), IsEmpty()) << "its machines have not joined yet";
    s.run();
    EXPECT_TRUE(becomes(60s, [&] { return s.has_ready_pods(3); }));
    EXPECT_THAT(s.gce().created("web"), SizeIs(3));
    EXPECT_THAT(s.nodes(), SizeIs(3));
}

TEST_F(GceDaemon, CreatesNoExtraMachineWithALaggingList) {
    GceScenario& s = begin({.groups = {{.name = "web"}}, .more = {{"lag", 4}}});
    s.scale(3);
    s.run();
    EXPECT_TRUE(becomes(90s, [&] { return s.has_ready_pods(3); }));
    EXPECT_THAT(s.gce().created("web"), SizeIs(3));
    s.scale(1);
    EXPECT_TRUE(becomes(90s, [&] { return s.nodes().size() == 1; }));
    EXPECT_EQ(s.gce().target("web"), 1);
    EXPECT_TRUE(s.has_ready_pods(1));
}

/// An operation takes longer than a call waits for it. The accepted request is not repeated.
TEST_F(GceDaemon, WaitsForASlowOperation) {
    GceScenario& s = begin(
        {.groups = {{.name = "web"}}, .more = {{"delays", json::parse(R"({"operation": 15})")}}});
    s.scale(3);
    s.run();
    EXPECT_TRUE(becomes(120s, [&] { return s.has_ready_pods(3); }));
    EXPECT_THAT(s.gce().created("web"), SizeIs(3));
    s.scale(1);
    EXPECT_TRUE(becomes(120s, [&] { return s.gce().target("web") == 1; }));
    EXPECT_TRUE(becomes(30s, [&] { return s.nodes().size() == 1; }));
    EXPECT_THAT(deleted(s.gce()), SizeIs(2)) << "each machine is removed once";
}

TEST_F(GceDaemon, RetriesAfterAFailedOperation) {
    GceScenario& s = begin({.groups = {{.name = "web"}}},
                           {.more = "[scale_up]\ninitial_node_group_backoff_duration = \"3s\"\n"});
    s.gce().set("failures",
                json::parse(R"([{"method": ".*createInstances", "code": "INTERNAL_ERROR",
                                  "message": "It went wrong."}])"));
    s.run();
    EXPECT_TRUE(becomes(90s, [&] { return s.has_ready_pods(1); }));
    EXPECT_TRUE(s.has_logged("It went wrong.")) << "the message of Google";
    EXPECT_EQ(s.gce().target("web"), 1);
}

}  // namespace
}  // namespace capstan::gce
