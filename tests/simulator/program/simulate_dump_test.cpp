// What `capstan simulate` and `capstan explain` answer to dumps of clusters in a bad state.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <boost/json.hpp>

#include "../../host/commands/shell.hpp"

namespace capstan::commands {
namespace {

namespace json = boost::json;
using ::testing::AllOf;
using ::testing::ContainsRegex;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;

struct DumpedNode {
    std::string name{};
    std::string zone = "a";
    std::string taint{};  ///< its key; empty: none
    bool is_ready = true, is_cordoned = false;
    std::string provider_id{};
    std::string labels{};  ///< additional ones: R"(,"team":"x")"
};

/// A node of 4 cores, of the pool "web". Its kubelet reported at noon.
std::string node_json(const DumpedNode& node) {
    const std::string status = node.is_ready ? "True" : "Unknown";
    const std::string taint =
        node.taint.empty() ? "" : R"({"key":")" + node.taint + R"(","effect":"NoSchedule"})";
    return R"({"kind":"Node","apiVersion":"v1","metadata":{"name":")" + node.name +
           R"(","creationTimestamp":"2026-11-20T10:00:00Z","labels":{"kubernetes.io/hostname":")" +
           node.name + R"(","agentpool":"web","topology.kubernetes.io/zone":")" + node.zone +
           R"(")" + node.labels + R"(}},"spec":{"providerID":")" + node.provider_id +
           R"(","unschedulable":)" + (node.is_cordoned ? "true" : "false") + R"(,"taints":[)" +
           taint + R"(]},"status":{"capacity":{"cpu":"4","memory":"16Gi","pods":"110"},
           "allocatable":{"cpu":"4","memory":"16Gi","pods":"110"},"conditions":[
           {"type":"Ready","status":")" +
           status + R"(","lastTransitionTime":"2026-11-27T11:40:00Z",
           "lastHeartbeatTime":"2026-11-27T12:00:00Z"}]}})";
}

/// A pod of a ReplicaSet with 3 cores; `node`: empty: it is pending.
std::string pod_json(const std::string& name, const std::string& node) {
    const std::string status = node.empty() ? R"("phase":"Pending")" : R"("phase":"Running")";
    return R"({"kind":"Pod","apiVersion":"v1","metadata":{"namespace":"shop","name":")" + name +
           R"(","uid":")" + name + R"(","creationTimestamp":"2026-11-27T11:50:00Z",
           "ownerReferences":[{"apiVersion":"apps/v1","kind":"ReplicaSet","name":"web","uid":"u1",
           "controller":true}]},"spec":{"nodeName":")" +
           node + R"(","containers":[{"resources":{"requests":{"cpu":"3"}}}]},"status":{)" +
           status + "}}";
}

std::string dump_of(const std::vector<std::string>& objects) {
    std::string out;
    for (const std::string& object : objects) out += (out.empty() ? "" : ",") + object;
    return R"({"kind":"List","apiVersion":"v1","items":[)" + out + "]}";
}

/// The texts of the report's events of a kind.
std::vector<std::string> events_of(const json::value& report, std::string_view kind) {
    std::vector<std::string> out;
    for (const json::value& event : report.at("events").as_array())
        if (std::string_view(event.at("kind").as_string()) == kind)
            out.emplace_back(event.at("text").as_string());
    return out;
}

/// `all` nodes, of which the last `bad` ones look like `like`; each has a pod if there are healthy
/// ones. One more pod is pending.
std::string nodes_with_bad_ones(int all, int bad, const DumpedNode& like) {
    std::vector<std::string> objects{pod_json("pending", "")};
    for (int i = 1; i <= all; ++i) {
        DumpedNode node = i > all - bad ? like : DumpedNode{};
        node.name = "n" + std::to_string(i);
        objects.push_back(node_json(node));
        if (bad < all) objects.push_back(pod_json("web-" + std::to_string(i), node.name));
    }
    return dump_of(objects);
}

struct BadNodes {
    const char* name;
    int all, bad;
    DumpedNode look;
    friend std::ostream& operator<<(std::ostream& out, const BadNodes& bad) {
        return out << bad.name;
    }
};

class BadNodesInADump : public ::testing::TestWithParam<BadNodes> {};

TEST_P(BadNodesInADump, AreNoModelsForNewOnes) {
    const BadNodes& nodes = GetParam();
    const std::string text = nodes_with_bad_ones(nodes.all, nodes.bad, nodes.look);
    const CommandResult ran = capstan("simulate --cluster - -o json", text);
    ASSERT_EQ(ran.code, 0) << ran.err;
    const json::value report = json::parse(ran.out);
    const std::string more = std::to_string(nodes.all) + " -> " + std::to_string(nodes.all + 1);
    EXPECT_THAT(events_of(report, "increase"), ElementsAre("increase web-a by 1: " + more))
        << ran.out;
    EXPECT_EQ(report.at("summary").at("pods").at("bound"), 1);
    EXPECT_EQ(report.at("end").at("reason"), "complete");
}

INSTANTIATE_TEST_SUITE_P(
    Dump, BadNodesInADump,
    ::testing::Values(
        BadNodes{"AllCordoned",
                 6,
                 6,
                 {.taint = "node.kubernetes.io/unschedulable", .is_cordoned = true}},
        BadNodes{"AllToBeDeleted", 6, 6, {.taint = "ToBeDeletedByClusterAutoscaler"}},
        // With more nodes, the cluster would count as unhealthy.
        BadNodes{
            "AllNotInitialized", 3, 3, {.taint = "node.cloudprovider.kubernetes.io/uninitialized"}},
        BadNodes{"AllWithAStartupTaint",
                 3,
                 3,
                 {.taint = "startup-taint.cluster-autoscaler.kubernetes.io/cni"}},
        BadNodes{
            "TwoUnreachable", 6, 2, {.taint = "node.kubernetes.io/unreachable", .is_ready = false}},
        BadNodes{"TwoCordoned",
                 6,
                 2,
                 {.taint = "node.kubernetes.io/unschedulable", .is_cordoned = true}}),
    [](const auto& bad) { return std::string(bad.param.name); });

/// Three healthy nodes with a pod each, and a pending pod.
std::string healthy(const std::string& provider_prefix, bool own_label_per_zone = false) {
    std::vector<std::string> objects{pod_json("pending-1", ""), pod_json("pending-2", ""),
                                     pod_json("pending-3", "")};
    for (const char* zone : {"a", "b", "c"}) {
        const std::string name = std::string("n-") + zone;
        DumpedNode node{.name = name, .zone = zone, .provider_id = provider_prefix + name};
        if (own_label_per_zone)
            node.labels = R"(,"eks.amazonaws.com/nodegroup":"web-)" + std::string(zone) + "\"";
        objects.push_back(node_json(node));
        objects.push_back(pod_json("web-" + std::string(zone), name));
    }
    return dump_of(objects);
}

TEST(SimulateDump, BalancesByThePresetOfTheNodesCloud) {
    const std::string text = healthy("aws:///eu-central-1a/i-", true);
    const CommandResult ran = capstan("simulate --cluster - -o json", text);
    EXPECT_THAT(events_of(json::parse(ran.out), "increase").size(), 3u) << ran.out;
    EXPECT_THAT(ran.err, HasSubstr("plugin.labels: preset \"aws\""));
    const CommandResult own = capstan(
        "simulate --cluster - -o json --set 'plugin.labels.settings={preset=\"generic\"}'", text);
    EXPECT_THAT(events_of(json::parse(own.out), "increase").size(), 1u) << own.err << own.out;
    EXPECT_THAT(own.err, Not(HasSubstr("preset")));
}

TEST(SimulateDump, SaysWhenItWasTakenAndHowLongItRuns) {
    const std::string text = healthy("kind://docker/");
    const CommandResult ran = capstan("simulate --cluster -", text);
    EXPECT_THAT(ran.err, AllOf(HasSubstr("the dump was taken at 2026-11-27T12:00:00Z (latest "
                                         "heartbeat of node n-a)"),
                               Not(HasSubstr("preset"))));
    EXPECT_THAT(ran.out,
                AllOf(HasSubstr("from 2026-11-27T12:00:00Z (latest heartbeat of node n-a)"),
                      HasSubstr("for at most 24h; --until DURATION"),
                      HasSubstr("0s        2026-11-27T12:00:00Z  increase")));
    const CommandResult longer = capstan("simulate --cluster - --until 30h -o json", text);
    EXPECT_THAT(longer.out, HasSubstr("\"span_ms\":108000000")) << longer.err;
}

TEST(SimulateDump, WarnsOfAbsentKindsInAFewWords) {
    const CommandResult ran = capstan("simulate --cluster - -o json", healthy("kind://docker/"));
    const std::size_t at = ran.err.find("capstan: the dump has no");
    ASSERT_NE(at, std::string::npos) << ran.err;
    EXPECT_LT(ran.err.find('\n', at) - at, 120u);
}

TEST(SimulateDump, ShowsTimesOfDayOnThePage) {
    const Folder folder;
    const std::string page = (folder.path() / "run.html").string();
    ASSERT_EQ(capstan("simulate --cluster - --report " + page, healthy("kind://docker/")).code, 0);
    EXPECT_THAT(folder.read("run.html"),
                AllOf(HasSubstr("Over time, from 2026-11-27T12:00:00Z"),
                      HasSubstr(">2026-11-27T12:01:20Z<"), HasSubstr("0s (2026-11-27T12:00:00Z)"),
                      HasSubstr(">12:01:30<")));
}

/// A pending pod without an owner; `spec`: more members of its spec.
std::string lone_pod_json(const std::string& name, const std::string& spec,
                          const std::string& status = R"("phase":"Pending")") {
    return R"({"kind":"Pod","apiVersion":"v1","metadata":{"namespace":"shop","name":")" + name +
           R"(","uid":")" + name + R"(","creationTimestamp":"2026-11-27T11:50:00Z"},"spec":{)" +
           spec + R"("containers":[{"resources":{"requests":{"cpu":"1"}}}]},"status":{)" + status +
           "}}";
}

TEST(SimulateDump, SaysOfEachBatchWhyItWasPassedOver) {
    const std::string text = dump_of(
        {node_json({.name = "n1"}), pod_json("web-1", "n1"),
         lone_pod_json("gated", R"("schedulingGates":[{"name":"quota"}],)"),
         lone_pod_json("cheap", R"("priority":-20,"nodeSelector":{"no":"such"},)"),
         lone_pod_json("foreign", R"("schedulerName":"volcano","nodeSelector":{"no":"such"},)")});
    const CommandResult ran = capstan(
        "simulate --cluster - --set "
        "'scale_up.allowed_scheduler_names=[\"default-scheduler\"]'",
        text);
    EXPECT_THAT(
        ran.out,
        AllOf(ContainsRegex("gated: 1 pod pending .*\n    waiting for a scheduling gate\n"),
              ContainsRegex("cheap: 1 pod pending .*\n    expendable: priority below -10 .*\n"),
              ContainsRegex("foreign: 1 pod pending .*\n    scheduler \"volcano\" is not in")))
        << ran.err;
}

TEST(SimulateDump, ExplainsANodeWithItsOwnProviderId) {
    const CommandResult ran =
        capstan("explain node n-a --cluster -", healthy("aws:///eu-central-1a/i-"));
    EXPECT_THAT(ran.out, AllOf(HasSubstr("aws:///eu-central-1a/i-n-a: running"),
                               Not(HasSubstr("simulated://"))))
        << ran.err;
}

TEST(SimulateDump, ShowsAWideMatrixWithSizesAndRequests) {
    const std::string command = "explain matrix --cluster - -o ";
    const CommandResult wide = capstan(command + "wide", healthy("kind://docker/", true));
    EXPECT_THAT(wide.out, AllOf(HasSubstr("shop/pending-1 (3 pods): cpu 3\n"),
                                ContainsRegex("  web-a-a +1 node +fits\n")))
        << wide.err;
    EXPECT_THAT(capstan(command + "text", healthy("kind://docker/", true)).out,
                HasSubstr("  web-a-a, web-b-b, web-c-c  fits\n"));
}

TEST(SimulateDump, IsExplainedAtATimeOfDay) {
    const std::string text = healthy("kind://docker/");
    const std::string command = "explain pod shop/pending-1 --cluster - --at ";
    const CommandResult later = capstan(command + "2026-11-27T12:05:00Z", text);
    EXPECT_THAT(later.out, HasSubstr("bound to node")) << later.err;
    EXPECT_EQ(later.out, capstan(command + "5m", text).out);
    const CommandResult early = capstan(command + "2026-11-27T11:00:00Z", text);
    EXPECT_EQ(early.code, 2);
    EXPECT_THAT(early.err, HasSubstr("--at: the run starts at 2026-11-27T12:00:00Z"));
    const CommandResult scenario =
        capstan("explain matrix --scenario examples/three_zones.toml --at 2026-11-27T12:05:00Z");
    EXPECT_EQ(scenario.code, 2);
    EXPECT_THAT(scenario.err, HasSubstr("--at: a time of day is for dumps only"));
}

}  // namespace
}  // namespace capstan::commands
