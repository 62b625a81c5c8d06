#include "kubectl.hpp"

namespace capstan::simulator::api_server {
namespace {

using ::testing::AllOf;
using ::testing::ContainsRegex;
using ::testing::HasSubstr;
using ::testing::Not;

TEST_F(Kubectl, TaintsLabelsAndCordonsNodes) {
    create_node("n1");
    EXPECT_EQ(kubectl("taint node n1 a=b:NoSchedule c:NoExecute"), "node/n1 tainted\n");
    EXPECT_EQ(kubectl("get node n1 -o jsonpath='{.spec.taints[*].key}'"), "a c");
    EXPECT_EQ(kubectl("taint node n1 a- c-"), "node/n1 untainted\n");
    EXPECT_EQ(kubectl("get node n1 -o jsonpath='{.spec.taints}'"), "");
    EXPECT_EQ(kubectl("label node n1 x=y"), "node/n1 labeled\n");
    EXPECT_THAT(kubectl("annotate node --all q=r"), HasSubstr("node/n1 annotate"));
    EXPECT_EQ(kubectl("get node n1 -o jsonpath='{.metadata.labels.x}{.metadata.annotations.q}'"),
              "yr");
    EXPECT_EQ(kubectl("cordon n1"), "node/n1 cordoned\n");
    EXPECT_THAT(kubectl("get nodes"), HasSubstr("Ready,SchedulingDisabled"));
    EXPECT_EQ(kubectl("uncordon n1"), "node/n1 uncordoned\n");
    EXPECT_THAT(kubectl("get nodes"), Not(HasSubstr("SchedulingDisabled")));
}

TEST_F(Kubectl, DrainsANodeWithinTheBudget) {
    create_node("n1");
    create_pod("p1", "n1");
    create_pod("p2", "n1");
    create("poddisruptionbudgets.policy", "default", R"({"metadata":{"name":"b"},
        "spec":{"minAvailable":1,"selector":{"matchLabels":{"app":"web"}}},
        "status":{"observedGeneration":1,"disruptionsAllowed":1,"desiredHealthy":1,
        "currentHealthy":2,"expectedPods":2}})");
    EXPECT_THAT(kubectl("get pdb"), ContainsRegex("b +1 +N/A +1 "));
    const CommandResult refused = run("drain n1 --force --timeout=8s");
    EXPECT_NE(refused.status, 0);
    EXPECT_THAT(refused.out,
                HasSubstr("Cannot evict pod as it would violate the pod's disruption"));
    const std::string left = kubectl("get pods -o name");
    EXPECT_EQ(std::count(left.begin(), left.end(), '\n'), 1) << left;
    kubectl(
        R"(patch pdb b --subresource=status --type=merge -p '{"status":{"disruptionsAllowed":1}}')");
    EXPECT_THAT(kubectl("drain n1 --force --timeout=30s"), HasSubstr("node/n1 drained"));
    EXPECT_EQ(kubectl("get pods -o name"), "");
}

TEST_F(Kubectl, ScalesAndRollsOutDeployments) {
    create_deployment("d");
    EXPECT_EQ(kubectl("scale deploy d --replicas=5"), "deployment.apps/d scaled\n");
    EXPECT_EQ(kubectl("scale deploy d --current-replicas=5 --replicas=4"),
              "deployment.apps/d scaled\n");
    EXPECT_THAT(run("scale deploy d --current-replicas=5 --replicas=3").out,
                HasSubstr("Expected replicas to be 5, was 4"));
    EXPECT_THAT(kubectl("get deploy d"), ContainsRegex("d +0/4 "));
    EXPECT_EQ(kubectl("get deploy d --subresource=scale -o jsonpath='{.kind} {.spec.replicas}'"),
              "Scale 4");
    EXPECT_EQ(kubectl("set image deploy/d c=i:2"), "deployment.apps/d image updated\n");
    EXPECT_EQ(kubectl("rollout restart deploy/d"), "deployment.apps/d restarted\n");
    kubectl(
        "patch deploy d --subresource=status --type=merge -p "
        R"('{"status":{"observedGeneration":9,"replicas":4,"updatedReplicas":4,)"
        R"("availableReplicas":4}}')");
    EXPECT_THAT(kubectl("rollout status deploy/d --timeout=20s"),
                HasSubstr("successfully rolled out"));
}

TEST_F(Kubectl, PatchesWithEachPatchType) {
    create_deployment("d");
    kubectl(
        "patch deploy d --type=strategic -p '"
        R"({"spec":{"template":{"spec":{"containers":)"
        R"([{"name":"e","image":"j"}]}}}})"
        "'");
    EXPECT_EQ(kubectl("get deploy d -o jsonpath='{.spec.template.spec.containers[*].name}'"),
              "c e");
    kubectl(
        "patch deploy d --type=merge -p '"
        R"({"spec":{"paused":true}})"
        "'");
    kubectl(
        "patch deploy d --type=json -p '"
        R"([{"op":"remove","path":"/spec/paused"}])"
        "'");
    EXPECT_EQ(kubectl("get deploy d -o jsonpath='{.spec.paused}'"), "");
    EXPECT_THAT(kubectl("patch deploy d --type=merge -p '"
                        R"({"spec":{"paused":true}})"
                        "' --dry-run=server"),
                HasSubstr("patched"));
    EXPECT_EQ(kubectl("get deploy d -o jsonpath='{.spec.paused}'"), "");
    EXPECT_THAT(run("patch deploy d --type=json -p '"
                    R"([{"op":"test","path":"/spec/replicas","value":9}])"
                    "'")
                    .out,
                HasSubstr("failed"));
}

constexpr const char* map = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: m}\ndata: ";

TEST_F(Kubectl, AppliesOnTheClientSide) {
    EXPECT_EQ(apply(std::string(map) + "{a: '1', b: '2'}\n"), "configmap/m created\n");
    EXPECT_EQ(apply(std::string(map) + "{a: '1', b: '2'}\n"), "configmap/m unchanged\n");
    EXPECT_EQ(apply(std::string(map) + "{a: '3'}\n"), "configmap/m configured\n");
    EXPECT_EQ(kubectl("get cm m -o jsonpath='{.data}'"), R"({"a":"3"})");
    EXPECT_EQ(kubectl("delete cm m"), "configmap \"m\" deleted\n");
}

TEST_F(Kubectl, AppliesOnTheServerSide) {
    const std::string side = "--server-side ";
    EXPECT_EQ(apply(std::string(map) + "{a: '1', b: '2'}\n", side),
              "configmap/m serverside-applied\n");
    const std::string text = std::string(map) + "{a: '9'}\n";
    const CommandResult refused =
        run("apply " + side + "--field-manager=other -f " + write("other.yaml", text));
    EXPECT_NE(refused.status, 0);
    EXPECT_THAT(refused.out, HasSubstr("conflict with \"kubectl\""));
    apply(text, side + "--field-manager=other --force-conflicts");
    EXPECT_EQ(kubectl("get cm m -o jsonpath='{.data.a}'"), "9");
    apply(std::string(map) + "{b: '2'}\n", side);
    EXPECT_EQ(kubectl("get cm m -o jsonpath='{.data}'"), R"({"a":"9","b":"2"})")
        << "the field of the other manager is kept";
}

TEST_F(Kubectl, MovesFromClientSideToServerSideApply) {
    const std::string text = std::string(map) + "{a: '1'}\n";
    apply(text);
    EXPECT_EQ(apply(text, "--server-side"), "configmap/m serverside-applied\n");
    EXPECT_EQ(apply(std::string(map) + "{b: '1'}\n", "--server-side"),
              "configmap/m serverside-applied\n");
    EXPECT_EQ(kubectl("get cm m -o jsonpath='{.data}'"), R"({"b":"1"})");
}

TEST_F(Kubectl, CreatesAndReplacesFromFiles) {
    const std::string file = write("map.yaml", std::string(map) + "{a: '1'}\n");
    EXPECT_EQ(kubectl("create -f " + file), "configmap/m created\n");
    EXPECT_THAT(run("create -f " + file).out, HasSubstr("AlreadyExists"));
    EXPECT_EQ(kubectl("replace -f " + file), "configmap/m replaced\n");
}

TEST_F(Kubectl, StoresKindsWithoutAController) {
    create_deployment("web");
    kubectl("autoscale deployment web --min=2 --max=5 --cpu-percent=50");
    EXPECT_THAT(kubectl("get hpa"),
                ContainsRegex("web +Deployment/web +cpu: <unknown>/50% +2 +5 +0"));
    EXPECT_THAT(kubectl("describe hpa web"), ContainsRegex("Max replicas: +5"));
    for (const char* kind :
         {"role r --verb=get --resource=pods",
          "rolebinding b --role=r --serviceaccount=default:default",
          "clusterrole c --verb=get --resource=pods",
          "clusterrolebinding d --clusterrole=c --user=me", "ingress i --rule=a.b/*=web:80",
          "quota q --hard=pods=5", "cronjob j --image=i --schedule='* * * * *'",
          "service clusterip s --tcp=80:80", "secret generic k --from-literal=a=b"})
        EXPECT_THAT(kubectl(std::string("create ") + kind), HasSubstr("created"));
    EXPECT_THAT(kubectl("get role r -o jsonpath='{.rules[0].verbs[0]}'"), HasSubstr("get"));
    EXPECT_THAT(kubectl("get ingress"), ContainsRegex("i +<none> +a.b +80"));
    EXPECT_THAT(kubectl("get cronjob"), ContainsRegex("j +\\* \\* \\* \\* \\* +<none> +False +0"));
    EXPECT_THAT(kubectl("describe secret k"), ContainsRegex("Type: +Opaque"));
}

TEST_F(Kubectl, ReportsUnsupportedCommands) {
    create_pod("p", "n1");
    for (const char* asked : {"exec p -- ls", "attach p", "port-forward p 8080:80"}) {
        const CommandResult result = run(asked);
        EXPECT_NE(result.status, 0) << asked;
        EXPECT_THAT(result.out, HasSubstr("pod p is simulated and runs no process")) << asked;
    }
    EXPECT_THAT(kubectl("logs p"), HasSubstr("runs no process"));
    EXPECT_THAT(run("top pods").out, HasSubstr("Metrics API not available"));
    EXPECT_THAT(run("delete namespace default").out, HasSubstr("may not be deleted"));
    EXPECT_THAT(kubectl("explain pods"), HasSubstr("stores all fields of a Pod"));
}

TEST_F(Kubectl, UsesACustomResourceOnceItIsDefined) {
    apply(R"(
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: balancers.balancer.x-k8s.io}
spec:
  group: balancer.x-k8s.io
  scope: Namespaced
  names: {plural: balancers, singular: balancer, kind: Balancer, shortNames: [bal]}
  versions:
  - name: v1alpha1
    served: true
    storage: true
    schema:
      openAPIV3Schema:
        type: object
        x-kubernetes-preserve-unknown-fields: true
        properties: {spec: {type: object, properties: {replicas: {type: integer, description: How many.}}}}
    subresources:
      status: {}
      scale: {specReplicasPath: .spec.replicas, statusReplicasPath: .status.replicas}
    additionalPrinterColumns: [{name: Wanted, type: integer, jsonPath: .spec.replicas}]
)");
    kubectl("wait crd/balancers.balancer.x-k8s.io --for=condition=Established --timeout=20s");
    apply(
        "apiVersion: balancer.x-k8s.io/v1alpha1\nkind: Balancer\nmetadata: {name: b}\n"
        "spec: {replicas: 2}\n");
    EXPECT_EQ(kubectl("scale balancer b --replicas=7"), "balancer.balancer.x-k8s.io/b scaled\n");
    EXPECT_THAT(kubectl("get bal"), ContainsRegex("NAME +WANTED\nb +7"));
    EXPECT_THAT(kubectl("get bal b --subresource=scale"),
                ContainsRegex("NAME +DESIRED.*\nb +7 +0"));
    EXPECT_THAT(kubectl("explain balancer.spec.replicas"), HasSubstr("How many."));
    EXPECT_THAT(kubectl("delete bal b"), HasSubstr("deleted"));
}

}  // namespace
}  // namespace capstan::simulator::api_server
