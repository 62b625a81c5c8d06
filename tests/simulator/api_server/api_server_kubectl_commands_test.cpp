/// Everyday kubectl commands.
#include "kubectl.hpp"

namespace capstan::simulator::api_server {
namespace {

using ::testing::AllOf;
using ::testing::ContainsRegex;
using ::testing::HasSubstr;
using ::testing::Not;

TEST_F(Kubectl, ShowsTheUserAndAllowsEverything) {
    EXPECT_THAT(kubectl("auth whoami"),
                AllOf(ContainsRegex("Username +simulated-admin"),
                      ContainsRegex("Groups +\\[system:masters system:authenticated\\]")));
    EXPECT_EQ(kubectl("auth whoami -o jsonpath='{.status.userInfo.username}'"), "simulated-admin");
    for (const char* what : {"list pods", "create pods --subresource=eviction",
                             "patch deployments.apps/web -n shop", "get /metrics", "'*' '*'"})
        EXPECT_EQ(kubectl(std::string("auth can-i ") + what), "yes\n") << what;
    EXPECT_THAT(kubectl("auth can-i --list"),
                ContainsRegex("\\*\\.\\* +\\[\\] +\\[\\] +\\[\\*\\]"));
}

TEST_F(Kubectl, CreatesObjectsFromFlags) {
    for (const auto& [kind, made] : {
             std::pair("namespace shop", "namespace/shop created\n"),
             {"serviceaccount clerk -n shop", "serviceaccount/clerk created\n"},
             {"configmap prices -n shop --from-literal=tea=2", "configmap/prices created\n"},
             {"deployment web -n shop --image=web:1 --replicas=3 --port=80",
              "deployment.apps/web created\n"},
             {"job count -n shop --image=count -- count --all", "job.batch/count created\n"},
             {"poddisruptionbudget web -n shop --selector=app=web --min-available=1",
              "poddisruptionbudget.policy/web created\n"},
             {"poddisruptionbudget half -n shop --selector=app=web --max-unavailable=50%",
              "poddisruptionbudget.policy/half created\n"},
         })
        EXPECT_EQ(kubectl(std::string("create ") + kind), made);
    EXPECT_EQ(kubectl("get cm prices -n shop -o jsonpath='{.data.tea}'"), "2");
    EXPECT_EQ(kubectl("get deploy web -n shop -o jsonpath='{.spec.replicas} "
                      "{.spec.template.spec.containers[0].image} "
                      "{.spec.template.spec.containers[0].ports[0].containerPort} "
                      "{.spec.selector.matchLabels.app}'"),
              "3 web:1 80 web");
    EXPECT_EQ(
        kubectl("get job count -n shop -o jsonpath='{.spec.template.spec.containers[0].command} "
                "{.spec.template.spec.restartPolicy}'"),
        R"(["count","--all"] Never)");
    EXPECT_THAT(kubectl("get pdb -n shop"),
                AllOf(ContainsRegex("half +N/A +50% "), ContainsRegex("web +1 +N/A ")));
    EXPECT_THAT(run("create namespace shop").out, HasSubstr("AlreadyExists"));
    EXPECT_THAT(kubectl("create deployment idle --image=web:1 --dry-run=client -o yaml"),
                HasSubstr("image: web:1"));
    EXPECT_EQ(kubectl("get deploy -o name"), "");
}

TEST_F(Kubectl, ExposesADeployment) {
    create_deployment("web");
    EXPECT_EQ(kubectl("expose deployment web --port=80 --target-port=8080"),
              "service/web exposed\n");
    EXPECT_EQ(kubectl("get service web -o jsonpath='{.spec.selector.app} {.spec.ports[0].port} "
                      "{.spec.ports[0].targetPort}'"),
              "web 80 8080");
    EXPECT_THAT(kubectl("get service web"), ContainsRegex("web +ClusterIP .* 80/TCP"));
}

TEST_F(Kubectl, WatchesOnePodUntilItIsDeleted) {
    create_node("n1");
    create_pod("p1", "n1");
    create_pod("p2", "n1");
    const auto change = [this] {
        kubectl("delete pod p2 --now");
        kubectl("label pod p1 seen=yes");
        kubectl("delete pod p1 --now");
    };
    const std::string seen = watch("get pod p1 -w --output-watch-events", change, "DELETED");
    EXPECT_THAT(seen, ContainsRegex("ADDED +p1 (.|\n)*MODIFIED +p1 (.|\n)*DELETED +p1 "));
    EXPECT_THAT(seen, Not(HasSubstr("p2")));
}

TEST_F(Kubectl, RestartsARolloutAndShowsItsStatus) {
    create_deployment("web");
    EXPECT_EQ(kubectl("rollout restart deployment/web"), "deployment.apps/web restarted\n");
    EXPECT_THAT(kubectl("get deploy web -o jsonpath='{.spec.template.metadata.annotations}'"),
                HasSubstr("kubectl.kubernetes.io/restartedAt"));
    EXPECT_EQ(kubectl("rollout pause deployment/web"), "deployment.apps/web paused\n");
    EXPECT_EQ(kubectl("rollout resume deployment/web"), "deployment.apps/web resumed\n");
    EXPECT_THAT(kubectl("rollout status deployment/web --watch=false"),
                HasSubstr("Waiting for deployment"));
}

TEST_F(Kubectl, DebugsNodesAndCopiesOfPods) {
    create_node("n1");
    create_pod("p1", "n1");
    EXPECT_THAT(kubectl("debug node/n1 --image=busybox"),
                HasSubstr("Creating debugging pod node-debugger-n1-"));
    EXPECT_EQ(kubectl("get pods --field-selector spec.nodeName=n1 -o jsonpath='{.items[*].spec"
                      ".containers[0].image}'"),
              "busybox i");
    const CommandResult result = run("debug p1 --image=busybox");
    EXPECT_NE(result.status, 0);
    EXPECT_THAT(result.out, HasSubstr("ephemeral containers are disabled for this cluster"));
    EXPECT_THAT(kubectl("debug p1 --image=busybox --copy-to=p1-copy"), Not(HasSubstr("rror")));
    EXPECT_THAT(kubectl("get pod p1-copy -o jsonpath='{.spec.containers[*].image}'"),
                HasSubstr("busybox"));
}

TEST_F(Kubectl, ReportsThatMetricsAreNotAvailable) {
    for (const char* what : {"top nodes", "top pods -A"}) {
        const CommandResult result = run(what);
        EXPECT_NE(result.status, 0) << what;
        EXPECT_THAT(result.out, HasSubstr("Metrics API not available")) << what;
    }
}

}  // namespace
}  // namespace capstan::simulator::api_server
