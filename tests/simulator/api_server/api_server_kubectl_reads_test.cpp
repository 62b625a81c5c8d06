#include "kubectl.hpp"

namespace capstan::simulator::api_server {
namespace {

using ::testing::AllOf;
using ::testing::ContainsRegex;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

TEST_F(Kubectl, ShowsNodesAndPodsInTheirColumns) {
    create_node("n1");
    create_node("n2", "False");
    create_pod("p1", "n1");
    EXPECT_THAT(kubectl("get nodes"), AllOf(ContainsRegex("NAME +STATUS +ROLES +AGE +VERSION"),
                                            ContainsRegex("n1 +Ready +<none> +[0-9]+s +v1.33.0"),
                                            ContainsRegex("n2 +NotReady")));
    EXPECT_THAT(kubectl("get po -o wide"),
                AllOf(ContainsRegex("NAME +READY +STATUS +RESTARTS +AGE +IP"),
                      ContainsRegex("p1 +1/1 +Running +0 .* n1 ")));
    EXPECT_THAT(kubectl("get pods -A"), ContainsRegex("default +p1 +1/1"));
    EXPECT_THAT(kubectl("get nodes -L zone --show-labels"), ContainsRegex("n1 .* a +zone=a"));
    EXPECT_THAT(kubectl("get all"), HasSubstr("pod/p1"));
    EXPECT_THAT(kubectl("get node,po"), AllOf(HasSubstr("node/n1"), HasSubstr("pod/p1")));
}

TEST_F(Kubectl, SelectsAndSortsObjects) {
    for (const char* name : {"n1", "n2", "n3"}) create_node(name);
    create_pod("p1", "n1");
    create_pod("p2", "n2");
    EXPECT_EQ(kubectl("get pods -l app=web --field-selector spec.nodeName=n2 -o name"), "pod/p2\n");
    EXPECT_EQ(kubectl("get nodes --chunk-size=2 -o name"), "node/n1\nnode/n2\nnode/n3\n");
    EXPECT_THAT(kubectl("get nodes --sort-by=.metadata.resourceVersion"),
                ContainsRegex("n1(.|\n)*n2(.|\n)*n3"));
    EXPECT_EQ(kubectl("get node n1 -o jsonpath='{.status.capacity.cpu}'"), "4");
    EXPECT_THAT(kubectl("get node n1 -o yaml"),
                AllOf(StartsWith("apiVersion: v1\nkind: Node\n"), HasSubstr("  name: n1\n")));
    EXPECT_THAT(kubectl("get pods -o custom-columns=A:.metadata.name,B:.spec.nodeName"),
                ContainsRegex("A +B\np1 +n1\np2 +n2"));
    EXPECT_THAT(run("get node absent").out,
                HasSubstr("Error from server (NotFound): nodes \"absent\" not found"));
}

TEST_F(Kubectl, WatchesChanges) {
    create_node("n1");
    const std::string seen = watch("get nodes -w", [this] { create_node("n2"); }, "n2");
    EXPECT_THAT(seen, ContainsRegex("NAME +STATUS(.|\n)*n1 +Ready(.|\n)*n2 +Ready"));
}

TEST_F(Kubectl, DescribesObjectsWithPodsAndEvents) {
    create_node("n1");
    create_pod("p1", "n1");
    create_deployment("d");
    const std::string uid = kubectl("get pod p1 -o jsonpath='{.metadata.uid}'");
    create("events", "default", R"({"metadata":{"name":"e"},"reason":"Noted","message":"so",
        "type":"Normal","involvedObject":{"kind":"Pod","namespace":"default","name":"p1",
        "uid":")" + uid + R"("},"source":{"component":"tester"},"count":1,
        "lastTimestamp":"2026-11-21T10:00:00Z"})");
    EXPECT_THAT(kubectl("describe node n1"),
                AllOf(ContainsRegex("Name: +n1"), ContainsRegex("p1 +0")));
    EXPECT_THAT(kubectl("describe pod p1"),
                AllOf(ContainsRegex("Node: +n1"), ContainsRegex("Noted .* tester +so")));
    EXPECT_THAT(kubectl("describe deploy d"), HasSubstr("2 desired"));
    EXPECT_THAT(kubectl("get events"), ContainsRegex("Normal +Noted +pod/p1 +so"));
    EXPECT_THAT(kubectl("events"), ContainsRegex("Noted +Pod/p1 +so"));
}

TEST_F(Kubectl, DiscoversTheServedResources) {
    EXPECT_THAT(kubectl("version"), HasSubstr("v1.33.0+capstan"));
    EXPECT_THAT(kubectl("api-resources"),
                AllOf(ContainsRegex("nodes +no +v1 +false +Node"),
                      ContainsRegex("deployments +deploy +apps/v1 +true +Deployment")));
    EXPECT_THAT(kubectl("api-versions"), HasSubstr("policy/v1"));
    EXPECT_EQ(kubectl("get --raw /readyz"), "ok");
    EXPECT_THAT(kubectl("auth can-i delete nodes"), HasSubstr("yes"));
    EXPECT_THAT(run("top nodes").out, HasSubstr("Metrics API not available"));
    create_pod("p1", "n1");
    EXPECT_THAT(kubectl("logs p1"), HasSubstr("pod p1 on node n1 is simulated"));
}

TEST_F(Kubectl, WaitsForConditionsAndDeletion) {
    create_node("n1");
    create_pod("p1", "n1");
    EXPECT_THAT(kubectl("wait node/n1 --for=condition=Ready --timeout=20s"),
                HasSubstr("condition met"));
    EXPECT_THAT(kubectl("wait pod/p1 --for=jsonpath='{.status.phase}'=Running --timeout=20s"),
                HasSubstr("condition met"));
    auto waiting = std::async(std::launch::async,
                              [this] { return run("wait pod/p1 --for=delete --timeout=40s"); });
    EXPECT_THAT(kubectl("delete pod p1"), HasSubstr("pod \"p1\" deleted"));
    EXPECT_EQ(waiting.get().status, 0);
    EXPECT_THAT(run("get pod p1").out, HasSubstr("NotFound"));
}

TEST_F(Kubectl, RetriesAfterTooManyRequestsAndShowsErrors) {
    create_node("n1");
    kubectl("get nodes");
    on_loop([this] {
        server_.faults().add(
            {.verb = "get", .resource = "nodes", .status = 429, .retry_after_s = 1});
    });
    EXPECT_THAT(kubectl("get node n1"), HasSubstr("Ready"));
    on_loop([this] {
        server_.faults().add(
            {.verb = "get", .resource = "nodes", .status = 500, .times = std::nullopt});
    });
    EXPECT_THAT(run("get node n1").out, HasSubstr("Error from server"));
    on_loop([this] {
        server_.faults().clear();
        server_.faults().add({.verb = "patch", .cuts = true, .is_carried_out = true});
    });
    EXPECT_NE(run("label node n1 x=y").status, 0) << "the response was lost";
    EXPECT_THAT(kubectl("get nodes -l x=y"), HasSubstr("n1"));
}

}  // namespace
}  // namespace capstan::simulator::api_server
