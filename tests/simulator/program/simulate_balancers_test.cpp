// Balancers beside the autoscaler in virtual time: `capstan simulate` of scenarios and dumps.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "../../host/commands/shell.hpp"

namespace capstan::commands {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

constexpr const char* controller = R"(
[pipeline]
controllers = ["replicas"]
[plugin.replicas]
grants = { kube = ["balancers.balancer.x-k8s.io:list,watch,patch/status", "pods:list,watch",
    "deployments.apps:list,watch,get/scale,update/scale", "events:create"] }
)";

std::string deployment(const std::string& name, int replicas) {
    return R"({"kind":"Deployment","apiVersion":"apps/v1","metadata":{"namespace":"shop","name":")" +
           name + R"(","uid":")" + name + R"("},"spec":{"replicas":)" + std::to_string(replicas) +
           R"(,"template":{"metadata":{"labels":{"shop":"yes"}},"spec":{"nodeSelector":{"pool":")" +
           name + R"("},"containers":[{"name":"main","resources":{"requests":{"cpu":"1"}}}]}}}})";
}

std::string node_of_pool(const std::string& pool) {
    return R"({"kind":"Node","apiVersion":"v1","metadata":{"name":"node-)" + pool +
           R"(","creationTimestamp":"2026-11-20T10:00:00Z","labels":{"agentpool":")" + pool +
           R"(","pool":")" + pool + R"("}},"status":{"allocatable":{"cpu":"4","memory":"16Gi",
           "pods":"110"},"capacity":{"cpu":"4","memory":"16Gi","pods":"110"},"conditions":[
           {"type":"Ready","status":"True","lastHeartbeatTime":"2026-11-27T12:00:00Z"}]}})";
}

/// Deployment a has one pod, b wants none, and the Balancer wants eight in the ratio of 1 to 1.
std::string dump_with_balancer() {
    return R"({"kind":"List","apiVersion":"v1","items":[)" + node_of_pool("a") + "," +
           node_of_pool("b") + "," + deployment("a", 1) + "," + deployment("b", 0) +
           R"(,{"kind":"ReplicaSet","apiVersion":"apps/v1","metadata":{"namespace":"shop",
           "name":"a-1","uid":"a-1","ownerReferences":[{"apiVersion":"apps/v1","kind":"Deployment",
           "name":"a","uid":"a","controller":true}]},"spec":{"replicas":1}},
           {"kind":"Pod","apiVersion":"v1","metadata":{"namespace":"shop","name":"a-1-x","uid":"x",
           "labels":{"shop":"yes"},"creationTimestamp":"2026-11-27T11:50:00Z","ownerReferences":[
           {"apiVersion":"apps/v1","kind":"ReplicaSet","name":"a-1","uid":"a-1","controller":true}]},
           "spec":{"nodeName":"node-a","nodeSelector":{"pool":"a"},"containers":[{"resources":{
           "requests":{"cpu":"1"}}}]},"status":{"phase":"Running"}},
           {"kind":"Balancer","apiVersion":"balancer.x-k8s.io/v1alpha1","metadata":{
           "namespace":"shop","name":"web"},"spec":{"replicas":12,"selector":{"matchLabels":{
           "shop":"yes"}},"policy":{"policyName":"proportional","proportions":{"targetProportions":{
           "a":1,"b":1}}},"targets":[{"name":"a","scaleTargetRef":{"apiVersion":"apps/v1",
           "kind":"Deployment","name":"a"}},{"name":"b","scaleTargetRef":{"apiVersion":"apps/v1",
           "kind":"Deployment","name":"b"}}]}}]})";
}

TEST(SimulateBalancers, ScaleTheDeploymentsOfADump) {
    const Folder folder;
    const std::string config = folder.write("capstan.toml", controller);
    const CommandResult ran =
        capstan("simulate --cluster - --config " + config, dump_with_balancer());
    EXPECT_EQ(ran.code, 0) << ran.err;
    EXPECT_THAT(ran.err, Not(HasSubstr("not called")));
    EXPECT_THAT(
        ran.out,
        AllOf(HasSubstr("Balancer web: Scaled a from 1 to 6, b from 0 to 6 (12 replicas wanted)"),
              HasSubstr("increase a by 1: 1 -> 2"), HasSubstr("increase b by 1: 1 -> 2"),
              Not(HasSubstr("WITHOUT A NODE"))));
    EXPECT_EQ(ran.out, capstan("simulate --cluster - --config " + config, dump_with_balancer()).out)
        << "equal inputs give equal bytes";
}

TEST(SimulateBalancers, DoNotActWhileADumpIsExplainedAsItIs) {
    const Folder folder;
    const std::string config = folder.write("capstan.toml", controller);
    const std::string command = "explain matrix --cluster - --config " + config;
    EXPECT_THAT(capstan(command, dump_with_balancer()).out, HasSubstr("no pending pods"));
    EXPECT_THAT(capstan(command + " --at 15s", dump_with_balancer()).out, HasSubstr("shop/a-"));
}

TEST(SimulateBalancers, NeedTheirController) {
    const Folder folder;
    const std::string scenario = folder.write("s.toml", R"(
[[group]]
id = "web"
machine = { cpu = "4", memory = "16Gi" }
[[balancer]]
name = "shop"
targets = ["a", "b"]
[[step]]
pods = [{ name = "a", replicas = true }, { name = "b", replicas = true }]
)");
    const CommandResult ran = capstan("simulate " + scenario);
    EXPECT_EQ(ran.code, 2);
    EXPECT_THAT(ran.err, HasSubstr("[[balancer]] needs [pipeline] controllers = [\"replicas\"]"));
}

}  // namespace
}  // namespace capstan::commands
