/// kubectl against a simulated control plane.
#include "../api_server/kubectl.hpp"
#include "simulator/control_plane/control_plane.hpp"

namespace capstan::simulator::control_plane {
namespace {

using ::testing::AllOf;
using ::testing::ContainsRegex;
using ::testing::HasSubstr;
using ::testing::Not;

/// Ten times as fast as a real one.
struct ControlPlaneKubectl : api_server::Kubectl {
    ControlPlane control_plane{store_, {.speed = 10}};

    void start_cluster() override { control_plane.start(); }
    void add_nodes(int count) {
        for (int i = 1; i <= count; ++i)
            create("nodes", "",
                   R"({"metadata":{"name":"n)" + std::to_string(i) +
                       R"("},"status":{"capacity":{"cpu":"4","memory":"16Gi","pods":"110"}}})");
        kubectl("wait --for=condition=Ready nodes --all --timeout=30s");
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

TEST_F(ControlPlaneKubectl, CreatesADeploymentAndWaitsForItsRollout) {
    add_nodes(2);
    deploy("web", 3);
    EXPECT_THAT(kubectl("rollout status deployment/web --timeout=30s"),
                HasSubstr("deployment \"web\" successfully rolled out"));
    EXPECT_THAT(kubectl("get deployment web"), ContainsRegex("web +3/3 +3 +3"));
    EXPECT_THAT(kubectl("get pods -o wide"),
                ContainsRegex("web-[a-z0-9]+-[a-z0-9]+ +1/1 +Running"));
    EXPECT_THAT(kubectl("describe deployment web"),
                AllOf(ContainsRegex("3 desired .* 3 updated .* 3 total .* 3 available"),
                      HasSubstr("ScalingReplicaSet")));
}

TEST_F(ControlPlaneKubectl, CreatesAWorkingServiceFromFlags) {
    add_nodes(2);
    kubectl("create deployment web --image=web:1 --replicas=3");
    kubectl("rollout status deployment/web --timeout=30s");
    kubectl("expose deployment web --port=80");
    kubectl("create poddisruptionbudget web --selector=app=web --min-available=2");
    kubectl("wait pdb/web --for=jsonpath='{.status.disruptionsAllowed}'=1 --timeout=30s");
    kubectl("rollout restart deployment/web");
    kubectl("rollout status deployment/web --timeout=30s");
    EXPECT_THAT(kubectl("get deployment,service,pdb"),
                AllOf(ContainsRegex("deployment.apps/web +3/3 +3 +3"),
                      ContainsRegex("service/web +ClusterIP"),
                      ContainsRegex("poddisruptionbudget.policy/web +2 +N/A +1 ")));
    kubectl("create job count --image=count");
    kubectl("wait --for=condition=complete job/count --timeout=30s");
}

TEST_F(ControlPlaneKubectl, ScalesRollsOutAndRollsBack) {
    add_nodes(2);
    deploy("web", 1);
    kubectl("scale deployment web --replicas=4");
    kubectl("rollout status deployment/web --timeout=30s");
    EXPECT_THAT(kubectl("get deployment web"), ContainsRegex("web +4/4"));
    kubectl("set image deployment/web c=web:2");
    kubectl("rollout status deployment/web --timeout=30s");
    EXPECT_THAT(kubectl("get rs -o wide"),
                AllOf(ContainsRegex("0 +0 +0 .* web:1"), ContainsRegex("4 +4 +4 .* web:2")));
    EXPECT_THAT(kubectl("rollout history deployment/web"), ContainsRegex("1 +<none>\n2 +<none>"));
    kubectl("rollout undo deployment/web");
    kubectl("rollout status deployment/web --timeout=30s");
    EXPECT_THAT(kubectl("get rs -o wide"), ContainsRegex("4 +4 +4 .* web:1"));
}

TEST_F(ControlPlaneKubectl, WaitsForAJob) {
    add_nodes(1);
    apply(
        "apiVersion: batch/v1\nkind: Job\nmetadata: {name: sum}\nspec:\n  completions: 2\n"
        "  template:\n    spec:\n      restartPolicy: Never\n"
        "      containers: [{name: c, image: sum}]\n");
    EXPECT_THAT(kubectl("wait --for=condition=complete job/sum --timeout=30s"),
                HasSubstr("job.batch/sum condition met"));
    EXPECT_THAT(kubectl("get job sum"), ContainsRegex("sum +Complete +2/2"));
    EXPECT_THAT(kubectl("get pods"), ContainsRegex("sum-[a-z0-9]+ +0/1 +Completed"));
}

TEST_F(ControlPlaneKubectl, DrainsANodeWithinTheBudget) {
    add_nodes(1);
    deploy("web", 2);
    apply(
        "apiVersion: policy/v1\nkind: PodDisruptionBudget\nmetadata: {name: web}\n"
        "spec: {minAvailable: 2, selector: {matchLabels: {app: web}}}\n");
    kubectl("rollout status deployment/web --timeout=30s");
    EXPECT_THAT(run("drain n1 --ignore-daemonsets --timeout=3s").out,
                HasSubstr("Cannot evict pod as it would violate the pod's disruption budget"));
    EXPECT_THAT(kubectl("get node n1"), HasSubstr("SchedulingDisabled"));
    create("nodes", "", R"({"metadata":{"name":"n2"},"status":{"capacity":{"cpu":"4",
        "memory":"16Gi","pods":"110"}}})");
    kubectl("patch pdb web --type=merge -p '{\"spec\":{\"minAvailable\":1}}'");
    EXPECT_THAT(kubectl("drain n1 --ignore-daemonsets --timeout=50s"),
                HasSubstr("node/n1 drained"));
    kubectl("rollout status deployment/web --timeout=30s");
    EXPECT_THAT(kubectl("get pods -o wide"), AllOf(HasSubstr(" n2 "), Not(HasSubstr(" n1 "))));
}

TEST_F(ControlPlaneKubectl, DeletesInTheForeground) {
    add_nodes(1);
    deploy("web", 2);
    kubectl("rollout status deployment/web --timeout=30s");
    kubectl("delete deployment web --cascade=foreground --timeout=30s");
    EXPECT_THAT(kubectl("get all -l app=web"), HasSubstr("No resources found"));
}

TEST_F(ControlPlaneKubectl, DeletesWithoutDependents) {
    add_nodes(1);
    deploy("web", 2);
    kubectl("rollout status deployment/web --timeout=30s");
    kubectl("delete deployment web --cascade=orphan --timeout=30s");
    EXPECT_THAT(kubectl("get rs"), ContainsRegex("web-[a-z0-9]+ +2 +2 +2"));
}

TEST_F(ControlPlaneKubectl, DescribesWhyAPodIsPending) {
    add_nodes(1);
    kubectl(
        "run huge --image=web --overrides='{\"spec\":{\"containers\":[{\"name\":\"huge\","
        "\"image\":\"web\",\"resources\":{\"requests\":{\"cpu\":\"100\"}}}]}}'");
    kubectl("wait --for=condition=PodScheduled=false pod/huge --timeout=30s");
    EXPECT_THAT(kubectl("describe pod huge"),
                ContainsRegex("Warning +FailedScheduling .* 0/1 nodes are available: 1 "
                              "Insufficient cpu"));
}

TEST_F(ControlPlaneKubectl, RollsOutStatefulSetsAndDaemonSets) {
    add_nodes(2);
    for (const char* kind : {"StatefulSet", "DaemonSet"})
        apply("apiVersion: apps/v1\nkind: " + std::string(kind) +
              "\nmetadata: {name: db}\nspec:\n  selector: {matchLabels: {app: db" + kind +
              "}}\n  template:\n    metadata: {labels: {app: db" + kind +
              "}}\n    spec: {containers: [{name: c, image: db}]}\n");
    kubectl("rollout status statefulset/db --timeout=30s");
    kubectl("rollout status daemonset/db --timeout=30s");
    kubectl("rollout restart daemonset/db");
    kubectl("rollout status daemonset/db --timeout=50s");
    EXPECT_THAT(kubectl("get daemonset db"), ContainsRegex("db +2 +2 +2 +2 +2"));
    EXPECT_THAT(kubectl("get statefulset db"), ContainsRegex("db +1/1"));
}

}  // namespace
}  // namespace capstan::simulator::control_plane
