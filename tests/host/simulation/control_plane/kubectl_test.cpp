/// kubectl against a cluster that lives.
#include "../api_server/kubectl.hpp"
#include "simulation/control_plane/control_plane.hpp"

namespace capstan::simulation::control_plane {
namespace {

using ::testing::AllOf;
using ::testing::ContainsRegex;
using ::testing::HasSubstr;
using ::testing::Not;

/// Ten times as fast as a real one.
struct LivingKubectl : api_server::Kubectl {
    ControlPlane control_plane{store_, {.speed = 10}};

    void play_cluster() override { control_plane.start(); }
    void add_nodes(int count) {
        for (int i = 1; i <= count; ++i)
            create("nodes", "",
                   R"({"metadata":{"name":"n)" + std::to_string(i) +
                       R"("},"status":{"capacity":{"cpu":"4","memory":"16Gi","pods":"110"}}})");
        say("wait --for=condition=Ready nodes --all --timeout=30s");
    }
    std::string deploy(const std::string& name, int replicas) {
        return apply("apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: " + name +
                     "}\nspec:\n  replicas: " + std::to_string(replicas) +
                     "\n  selector: {matchLabels: {app: " + name +
                     "}}\n  template:\n    metadata: {labels: {app: " + name +
                     "}}\n    spec:\n      containers:\n      - name: c\n        image: web:1\n"
                     "        resources: {requests: {cpu: 500m}}\n");
    }
};

TEST_F(LivingKubectl, CreatesADeploymentAndSeesItRollOut) {
    add_nodes(2);
    deploy("web", 3);
    EXPECT_THAT(say("rollout status deployment/web --timeout=30s"),
                HasSubstr("deployment \"web\" successfully rolled out"));
    EXPECT_THAT(say("get deployment web"), ContainsRegex("web +3/3 +3 +3"));
    EXPECT_THAT(say("get pods -o wide"), ContainsRegex("web-[a-z0-9]+-[a-z0-9]+ +1/1 +Running"));
    EXPECT_THAT(say("describe deployment web"),
                AllOf(ContainsRegex("3 desired .* 3 updated .* 3 total .* 3 available"),
                      HasSubstr("ScalingReplicaSet")));
}

TEST_F(LivingKubectl, SeesWhatItCreatedByFlagsComeToLife) {
    add_nodes(2);
    say("create deployment web --image=web:1 --replicas=3");
    say("rollout status deployment/web --timeout=30s");
    say("expose deployment web --port=80");
    say("create poddisruptionbudget web --selector=app=web --min-available=2");
    say("wait pdb/web --for=jsonpath='{.status.disruptionsAllowed}'=1 --timeout=30s");
    say("rollout restart deployment/web");
    say("rollout status deployment/web --timeout=30s");
    EXPECT_THAT(say("get deployment,service,pdb"),
                AllOf(ContainsRegex("deployment.apps/web +3/3 +3 +3"),
                      ContainsRegex("service/web +ClusterIP"),
                      ContainsRegex("poddisruptionbudget.policy/web +2 +N/A +1 ")));
    say("create job count --image=count");
    say("wait --for=condition=complete job/count --timeout=30s");
}

TEST_F(LivingKubectl, ScalesAndRollsToANewImageAndBack) {
    add_nodes(2);
    deploy("web", 1);
    say("scale deployment web --replicas=4");
    say("rollout status deployment/web --timeout=30s");
    EXPECT_THAT(say("get deployment web"), ContainsRegex("web +4/4"));
    say("set image deployment/web c=web:2");
    say("rollout status deployment/web --timeout=30s");
    EXPECT_THAT(say("get rs -o wide"),
                AllOf(ContainsRegex("0 +0 +0 .* web:1"), ContainsRegex("4 +4 +4 .* web:2")));
    EXPECT_THAT(say("rollout history deployment/web"), ContainsRegex("1 +<none>\n2 +<none>"));
    say("rollout undo deployment/web");
    say("rollout status deployment/web --timeout=30s");
    EXPECT_THAT(say("get rs -o wide"), ContainsRegex("4 +4 +4 .* web:1"));
}

TEST_F(LivingKubectl, WaitsForAJob) {
    add_nodes(1);
    apply(
        "apiVersion: batch/v1\nkind: Job\nmetadata: {name: sum}\nspec:\n  completions: 2\n"
        "  template:\n    spec:\n      restartPolicy: Never\n"
        "      containers: [{name: c, image: sum}]\n");
    EXPECT_THAT(say("wait --for=condition=complete job/sum --timeout=30s"),
                HasSubstr("job.batch/sum condition met"));
    EXPECT_THAT(say("get job sum"), ContainsRegex("sum +Complete +2/2"));
    EXPECT_THAT(say("get pods"), ContainsRegex("sum-[a-z0-9]+ +0/1 +Completed"));
}

TEST_F(LivingKubectl, DrainsANodeAsFarAsABudgetLetsIt) {
    add_nodes(1);
    deploy("web", 2);
    apply(
        "apiVersion: policy/v1\nkind: PodDisruptionBudget\nmetadata: {name: web}\n"
        "spec: {minAvailable: 2, selector: {matchLabels: {app: web}}}\n");
    say("rollout status deployment/web --timeout=30s");
    EXPECT_THAT(run("drain n1 --ignore-daemonsets --timeout=3s").out,
                HasSubstr("Cannot evict pod as it would violate the pod's disruption budget"));
    EXPECT_THAT(say("get node n1"), HasSubstr("SchedulingDisabled"));
    create("nodes", "", R"({"metadata":{"name":"n2"},"status":{"capacity":{"cpu":"4",
        "memory":"16Gi","pods":"110"}}})");
    say("patch pdb web --type=merge -p '{\"spec\":{\"minAvailable\":1}}'");
    EXPECT_THAT(say("drain n1 --ignore-daemonsets --timeout=50s"), HasSubstr("node/n1 drained"));
    say("rollout status deployment/web --timeout=30s");
    EXPECT_THAT(say("get pods -o wide"), AllOf(HasSubstr(" n2 "), Not(HasSubstr(" n1 "))));
}

TEST_F(LivingKubectl, DeletesInTheForegroundAndWaitsUntilAllIsGone) {
    add_nodes(1);
    deploy("web", 2);
    say("rollout status deployment/web --timeout=30s");
    say("delete deployment web --cascade=foreground --timeout=30s");
    EXPECT_THAT(say("get all -l app=web"), HasSubstr("No resources found"));
}

TEST_F(LivingKubectl, LeavesOrphansBehind) {
    add_nodes(1);
    deploy("web", 2);
    say("rollout status deployment/web --timeout=30s");
    say("delete deployment web --cascade=orphan --timeout=30s");
    EXPECT_THAT(say("get rs"), ContainsRegex("web-[a-z0-9]+ +2 +2 +2"));
}

TEST_F(LivingKubectl, SeesWhyAPodIsPending) {
    add_nodes(1);
    say("run huge --image=web --overrides='{\"spec\":{\"containers\":[{\"name\":\"huge\","
        "\"image\":\"web\",\"resources\":{\"requests\":{\"cpu\":\"100\"}}}]}}'");
    say("wait --for=condition=PodScheduled=false pod/huge --timeout=30s");
    EXPECT_THAT(say("describe pod huge"),
                ContainsRegex("Warning +FailedScheduling .* 0/1 nodes are available: 1 "
                              "Insufficient cpu"));
}

TEST_F(LivingKubectl, RollsStatefulSetsAndDaemonSetsOut) {
    add_nodes(2);
    for (const char* kind : {"StatefulSet", "DaemonSet"})
        apply("apiVersion: apps/v1\nkind: " + std::string(kind) +
              "\nmetadata: {name: db}\nspec:\n  selector: {matchLabels: {app: db" + kind +
              "}}\n  template:\n    metadata: {labels: {app: db" + kind +
              "}}\n    spec: {containers: [{name: c, image: db}]}\n");
    say("rollout status statefulset/db --timeout=30s");
    say("rollout status daemonset/db --timeout=30s");
    say("rollout restart daemonset/db");
    say("rollout status daemonset/db --timeout=50s");
    EXPECT_THAT(say("get daemonset db"), ContainsRegex("db +2 +2 +2 +2 +2"));
    EXPECT_THAT(say("get statefulset db"), ContainsRegex("db +1/1"));
}

}  // namespace
}  // namespace capstan::simulation::control_plane
