#include "kubectl.hpp"

namespace capstan::simulation::api_server {
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
    EXPECT_THAT(say("get nodes"), AllOf(ContainsRegex("NAME +STATUS +ROLES +AGE +VERSION"),
                                        ContainsRegex("n1 +Ready +<none> +[0-9]+s +v1.33.0"),
                                        ContainsRegex("n2 +NotReady")));
    EXPECT_THAT(say("get po -o wide"),
                AllOf(ContainsRegex("NAME +READY +STATUS +RESTARTS +AGE +IP"),
                      ContainsRegex("p1 +1/1 +Running +0 .* n1 ")));
    EXPECT_THAT(say("get pods -A"), ContainsRegex("default +p1 +1/1"));
    EXPECT_THAT(say("get nodes -L zone --show-labels"), ContainsRegex("n1 .* a +zone=a"));
    EXPECT_THAT(say("get all"), HasSubstr("pod/p1"));
    EXPECT_THAT(say("get node,po"), AllOf(HasSubstr("node/n1"), HasSubstr("pod/p1")));
}

TEST_F(Kubectl, FindsAndSortsWhatItIsAskedFor) {
    for (const char* name : {"n1", "n2", "n3"}) create_node(name);
    create_pod("p1", "n1");
    create_pod("p2", "n2");
    EXPECT_EQ(say("get pods -l app=web --field-selector spec.nodeName=n2 -o name"), "pod/p2\n");
    EXPECT_EQ(say("get nodes --chunk-size=2 -o name"), "node/n1\nnode/n2\nnode/n3\n");
    EXPECT_THAT(say("get nodes --sort-by=.metadata.resourceVersion"),
                ContainsRegex("n1(.|\n)*n2(.|\n)*n3"));
    EXPECT_EQ(say("get node n1 -o jsonpath='{.status.capacity.cpu}'"), "4");
    EXPECT_THAT(say("get node n1 -o yaml"),
                AllOf(StartsWith("apiVersion: v1\nkind: Node\n"), HasSubstr("  name: n1\n")));
    EXPECT_THAT(say("get pods -o custom-columns=A:.metadata.name,B:.spec.nodeName"),
                ContainsRegex("A +B\np1 +n1\np2 +n2"));
    EXPECT_THAT(run("get node absent").out,
                HasSubstr("Error from server (NotFound): nodes \"absent\" not found"));
}

TEST_F(Kubectl, WatchesWhatChanges) {
    create_node("n1");
    const std::string seen = watch("get nodes -w", [this] { create_node("n2"); }, "n2");
    EXPECT_THAT(seen, ContainsRegex("NAME +STATUS(.|\n)*n1 +Ready(.|\n)*n2 +Ready"));
}

TEST_F(Kubectl, DescribesWithPodsAndEvents) {
    create_node("n1");
    create_pod("p1", "n1");
    create_deployment("d");
    const std::string uid = say("get pod p1 -o jsonpath='{.metadata.uid}'");
    create("events", "default", R"({"metadata":{"name":"e"},"reason":"Said","message":"so",
        "type":"Normal","involvedObject":{"kind":"Pod","namespace":"default","name":"p1",
        "uid":")" + uid + R"("},"source":{"component":"tester"},"count":1,
        "lastTimestamp":"2026-11-21T10:00:00Z"})");
    EXPECT_THAT(say("describe node n1"), AllOf(ContainsRegex("Name: +n1"), ContainsRegex("p1 +0")));
    EXPECT_THAT(say("describe pod p1"),
                AllOf(ContainsRegex("Node: +n1"), ContainsRegex("Said .* tester +so")));
    EXPECT_THAT(say("describe deploy d"), HasSubstr("2 desired"));
    EXPECT_THAT(say("get events"), ContainsRegex("Normal +Said +pod/p1 +so"));
    EXPECT_THAT(say("events"), ContainsRegex("Said +Pod/p1 +so"));
}

TEST_F(Kubectl, LearnsWhatIsServed) {
    EXPECT_THAT(say("version"), HasSubstr("v1.33.0+capstan"));
    EXPECT_THAT(say("api-resources"),
                AllOf(ContainsRegex("nodes +no +v1 +false +Node"),
                      ContainsRegex("deployments +deploy +apps/v1 +true +Deployment")));
    EXPECT_THAT(say("api-versions"), HasSubstr("policy/v1"));
    EXPECT_EQ(say("get --raw /readyz"), "ok");
    EXPECT_THAT(say("auth can-i delete nodes"), HasSubstr("yes"));
    EXPECT_THAT(run("top nodes").out, HasSubstr("Metrics API not available"));
    create_pod("p1", "n1");
    EXPECT_THAT(say("logs p1"), HasSubstr("pod p1 on node n1 is simulated"));
}

TEST_F(Kubectl, WaitsUntilItHoldsOrIsGone) {
    create_node("n1");
    create_pod("p1", "n1");
    EXPECT_THAT(say("wait node/n1 --for=condition=Ready --timeout=20s"),
                HasSubstr("condition met"));
    EXPECT_THAT(say("wait pod/p1 --for=jsonpath='{.status.phase}'=Running --timeout=20s"),
                HasSubstr("condition met"));
    auto waiting = std::async(std::launch::async,
                              [this] { return run("wait pod/p1 --for=delete --timeout=40s"); });
    EXPECT_THAT(say("delete pod p1"), HasSubstr("pod \"p1\" deleted"));
    EXPECT_EQ(waiting.get().status, 0);
    EXPECT_THAT(run("get pod p1").out, HasSubstr("NotFound"));
}

TEST_F(Kubectl, TriesAgainWhenItIsToldToAndSaysWhatFailed) {
    create_node("n1");
    say("get nodes");
    on_loop([this] {
        server_.faults().add(
            {.verb = "get", .resource = "nodes", .status = 429, .retry_after_s = 1});
    });
    EXPECT_THAT(say("get node n1"), HasSubstr("Ready"));
    on_loop([this] {
        server_.faults().add(
            {.verb = "get", .resource = "nodes", .status = 500, .times = std::nullopt});
    });
    EXPECT_THAT(run("get node n1").out, HasSubstr("Error from server"));
    on_loop([this] {
        server_.faults().clear();
        server_.faults().add({.verb = "patch", .cuts = true, .is_carried_out = true});
    });
    EXPECT_NE(run("label node n1 x=y").status, 0) << "the answer was lost";
    EXPECT_THAT(say("get nodes -l x=y"), HasSubstr("n1"));
}

}  // namespace
}  // namespace capstan::simulation::api_server
