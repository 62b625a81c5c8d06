#include "kubectl.hpp"

namespace capstan::simulation::api_server {
namespace {

using ::testing::AllOf;
using ::testing::ContainsRegex;
using ::testing::HasSubstr;
using ::testing::Not;

TEST_F(Kubectl, TaintsLabelsAndCordonsNodes) {
    create_node("n1");
    EXPECT_EQ(say("taint node n1 a=b:NoSchedule c:NoExecute"), "node/n1 tainted\n");
    EXPECT_EQ(say("get node n1 -o jsonpath='{.spec.taints[*].key}'"), "a c");
    EXPECT_EQ(say("taint node n1 a- c-"), "node/n1 untainted\n");
    EXPECT_EQ(say("get node n1 -o jsonpath='{.spec.taints}'"), "");
    EXPECT_EQ(say("label node n1 x=y"), "node/n1 labeled\n");
    EXPECT_THAT(say("annotate node --all q=r"), HasSubstr("node/n1 annotate"));
    EXPECT_EQ(say("get node n1 -o jsonpath='{.metadata.labels.x}{.metadata.annotations.q}'"), "yr");
    EXPECT_EQ(say("cordon n1"), "node/n1 cordoned\n");
    EXPECT_THAT(say("get nodes"), HasSubstr("Ready,SchedulingDisabled"));
    EXPECT_EQ(say("uncordon n1"), "node/n1 uncordoned\n");
    EXPECT_THAT(say("get nodes"), Not(HasSubstr("SchedulingDisabled")));
}

TEST_F(Kubectl, DrainsAsFarAsTheBudgetAllows) {
    create_node("n1");
    create_pod("p1", "n1");
    create_pod("p2", "n1");
    create("poddisruptionbudgets.policy", "default", R"({"metadata":{"name":"b"},
        "spec":{"minAvailable":1,"selector":{"matchLabels":{"app":"web"}}},
        "status":{"observedGeneration":1,"disruptionsAllowed":1,"desiredHealthy":1,
        "currentHealthy":2,"expectedPods":2}})");
    EXPECT_THAT(say("get pdb"), ContainsRegex("b +1 +N/A +1 "));
    const Ran refused = run("drain n1 --force --timeout=8s");
    EXPECT_NE(refused.status, 0);
    EXPECT_THAT(refused.out,
                HasSubstr("Cannot evict pod as it would violate the pod's disruption"));
    const std::string left = say("get pods -o name");
    EXPECT_EQ(std::count(left.begin(), left.end(), '\n'), 1) << left;
    say(R"(patch pdb b --subresource=status --type=merge -p '{"status":{"disruptionsAllowed":1}}')");
    EXPECT_THAT(say("drain n1 --force --timeout=30s"), HasSubstr("node/n1 drained"));
    EXPECT_EQ(say("get pods -o name"), "");
}

TEST_F(Kubectl, ScalesAndRollsDeployments) {
    create_deployment("d");
    EXPECT_EQ(say("scale deploy d --replicas=5"), "deployment.apps/d scaled\n");
    EXPECT_EQ(say("scale deploy d --current-replicas=5 --replicas=4"),
              "deployment.apps/d scaled\n");
    EXPECT_THAT(run("scale deploy d --current-replicas=5 --replicas=3").out,
                HasSubstr("Expected replicas to be 5, was 4"));
    EXPECT_THAT(say("get deploy d"), ContainsRegex("d +0/4 "));
    EXPECT_EQ(say("get deploy d --subresource=scale -o jsonpath='{.kind} {.spec.replicas}'"),
              "Scale 4");
    EXPECT_EQ(say("set image deploy/d c=i:2"), "deployment.apps/d image updated\n");
    EXPECT_EQ(say("rollout restart deploy/d"), "deployment.apps/d restarted\n");
    say("patch deploy d --subresource=status --type=merge -p "
        R"('{"status":{"observedGeneration":9,"replicas":4,"updatedReplicas":4,)"
        R"("availableReplicas":4}}')");
    EXPECT_THAT(say("rollout status deploy/d --timeout=20s"), HasSubstr("successfully rolled out"));
}

TEST_F(Kubectl, PatchesInAllTypes) {
    create_deployment("d");
    say("patch deploy d --type=strategic -p '"
        R"({"spec":{"template":{"spec":{"containers":)"
        R"([{"name":"e","image":"j"}]}}}})"
        "'");
    EXPECT_EQ(say("get deploy d -o jsonpath='{.spec.template.spec.containers[*].name}'"), "c e");
    say("patch deploy d --type=merge -p '"
        R"({"spec":{"paused":true}})"
        "'");
    say("patch deploy d --type=json -p '"
        R"([{"op":"remove","path":"/spec/paused"}])"
        "'");
    EXPECT_EQ(say("get deploy d -o jsonpath='{.spec.paused}'"), "");
    EXPECT_THAT(say("patch deploy d --type=merge -p '"
                    R"({"spec":{"paused":true}})"
                    "' --dry-run=server"),
                HasSubstr("patched"));
    EXPECT_EQ(say("get deploy d -o jsonpath='{.spec.paused}'"), "");
    EXPECT_THAT(run("patch deploy d --type=json -p '"
                    R"([{"op":"test","path":"/spec/replicas","value":9}])"
                    "'")
                    .out,
                HasSubstr("failed"));
}

constexpr const char* map = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: m}\ndata: ";

TEST_F(Kubectl, AppliesFromTheClientsSide) {
    EXPECT_EQ(apply(std::string(map) + "{a: '1', b: '2'}\n"), "configmap/m created\n");
    EXPECT_EQ(apply(std::string(map) + "{a: '1', b: '2'}\n"), "configmap/m unchanged\n");
    EXPECT_EQ(apply(std::string(map) + "{a: '3'}\n"), "configmap/m configured\n");
    EXPECT_EQ(say("get cm m -o jsonpath='{.data}'"), R"({"a":"3"})");
    EXPECT_EQ(say("delete cm m"), "configmap \"m\" deleted\n");
}

TEST_F(Kubectl, AppliesFromTheServersSide) {
    const std::string side = "--server-side ";
    EXPECT_EQ(apply(std::string(map) + "{a: '1', b: '2'}\n", side),
              "configmap/m serverside-applied\n");
    const std::string text = std::string(map) + "{a: '9'}\n";
    const Ran refused =
        run("apply " + side + "--field-manager=other -f " + write("other.yaml", text));
    EXPECT_NE(refused.status, 0);
    EXPECT_THAT(refused.out, HasSubstr("conflict with \"kubectl\""));
    apply(text, side + "--field-manager=other --force-conflicts");
    EXPECT_EQ(say("get cm m -o jsonpath='{.data.a}'"), "9");
    apply(std::string(map) + "{b: '2'}\n", side);
    EXPECT_EQ(say("get cm m -o jsonpath='{.data}'"), R"({"a":"9","b":"2"})") << "the other's stays";
}

TEST_F(Kubectl, GoesFromTheClientsSideToTheServers) {
    const std::string text = std::string(map) + "{a: '1'}\n";
    apply(text);
    EXPECT_EQ(apply(text, "--server-side"), "configmap/m serverside-applied\n");
    EXPECT_EQ(apply(std::string(map) + "{b: '1'}\n", "--server-side"),
              "configmap/m serverside-applied\n");
    EXPECT_EQ(say("get cm m -o jsonpath='{.data}'"), R"({"b":"1"})");
}

TEST_F(Kubectl, ReplacesAndCreatesFromFiles) {
    const std::string file = write("map.yaml", std::string(map) + "{a: '1'}\n");
    EXPECT_EQ(say("create -f " + file), "configmap/m created\n");
    EXPECT_THAT(run("create -f " + file).out, HasSubstr("AlreadyExists"));
    EXPECT_EQ(say("replace -f " + file), "configmap/m replaced\n");
}

TEST_F(Kubectl, KeepsWhatNoControllerActsUpon) {
    create_deployment("web");
    say("autoscale deployment web --min=2 --max=5 --cpu-percent=50");
    EXPECT_THAT(say("get hpa"), ContainsRegex("web +Deployment/web +cpu: <unknown>/50% +2 +5 +0"));
    EXPECT_THAT(say("describe hpa web"), ContainsRegex("Max replicas: +5"));
    for (const char* kind :
         {"role r --verb=get --resource=pods",
          "rolebinding b --role=r --serviceaccount=default:default",
          "clusterrole c --verb=get --resource=pods",
          "clusterrolebinding d --clusterrole=c --user=me", "ingress i --rule=a.b/*=web:80",
          "quota q --hard=pods=5", "cronjob j --image=i --schedule='* * * * *'",
          "service clusterip s --tcp=80:80", "secret generic k --from-literal=a=b"})
        EXPECT_THAT(say(std::string("create ") + kind), HasSubstr("created"));
    EXPECT_THAT(say("get role r -o jsonpath='{.rules[0].verbs[0]}'"), HasSubstr("get"));
    EXPECT_THAT(say("get ingress"), ContainsRegex("i +<none> +a.b +80"));
    EXPECT_THAT(say("get cronjob"), ContainsRegex("j +\\* \\* \\* \\* \\* +<none> +False +0"));
    EXPECT_THAT(say("describe secret k"), ContainsRegex("Type: +Opaque"));
}

TEST_F(Kubectl, IsToldWhatThereIsNot) {
    create_pod("p", "n1");
    for (const char* asked : {"exec p -- ls", "attach p", "port-forward p 8080:80"}) {
        const Ran ran = run(asked);
        EXPECT_NE(ran.status, 0) << asked;
        EXPECT_THAT(ran.out, HasSubstr("pod p is simulated and runs no process")) << asked;
    }
    EXPECT_THAT(say("logs p"), HasSubstr("runs no process"));
    EXPECT_THAT(run("top pods").out, HasSubstr("Metrics API not available"));
    EXPECT_THAT(run("delete namespace default").out, HasSubstr("may not be deleted"));
    EXPECT_THAT(say("explain pods"), HasSubstr("stores all fields of a Pod"));
}

TEST_F(Kubectl, UsesAResourceOnceItIsDefined) {
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
    say("wait crd/balancers.balancer.x-k8s.io --for=condition=Established --timeout=20s");
    apply(
        "apiVersion: balancer.x-k8s.io/v1alpha1\nkind: Balancer\nmetadata: {name: b}\n"
        "spec: {replicas: 2}\n");
    EXPECT_EQ(say("scale balancer b --replicas=7"), "balancer.balancer.x-k8s.io/b scaled\n");
    EXPECT_THAT(say("get bal"), ContainsRegex("NAME +WANTED\nb +7"));
    EXPECT_THAT(say("get bal b --subresource=scale"), ContainsRegex("NAME +DESIRED.*\nb +7 +0"));
    EXPECT_THAT(say("explain balancer.spec.replicas"), HasSubstr("How many."));
    EXPECT_THAT(say("delete bal b"), HasSubstr("deleted"));
}

}  // namespace
}  // namespace capstan::simulation::api_server
