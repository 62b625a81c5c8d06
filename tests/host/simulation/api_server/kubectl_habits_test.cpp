/// What people type without thinking.
#include "kubectl.hpp"

namespace capstan::simulation::api_server {
namespace {

using ::testing::AllOf;
using ::testing::ContainsRegex;
using ::testing::HasSubstr;
using ::testing::Not;

TEST_F(Kubectl, SaysWhoAsksAndThatEverythingIsAllowed) {
    EXPECT_THAT(say("auth whoami"),
                AllOf(ContainsRegex("Username +simulated-admin"),
                      ContainsRegex("Groups +\\[system:masters system:authenticated\\]")));
    EXPECT_EQ(say("auth whoami -o jsonpath='{.status.userInfo.username}'"), "simulated-admin");
    for (const char* what : {"list pods", "create pods --subresource=eviction",
                             "patch deployments.apps/web -n shop", "get /metrics", "'*' '*'"})
        EXPECT_EQ(say(std::string("auth can-i ") + what), "yes\n") << what;
    EXPECT_THAT(say("auth can-i --list"), ContainsRegex("\\*\\.\\* +\\[\\] +\\[\\] +\\[\\*\\]"));
}

TEST_F(Kubectl, CreatesByFlagsAlone) {
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
        EXPECT_EQ(say(std::string("create ") + kind), made);
    EXPECT_EQ(say("get cm prices -n shop -o jsonpath='{.data.tea}'"), "2");
    EXPECT_EQ(say("get deploy web -n shop -o jsonpath='{.spec.replicas} "
                  "{.spec.template.spec.containers[0].image} "
                  "{.spec.template.spec.containers[0].ports[0].containerPort} "
                  "{.spec.selector.matchLabels.app}'"),
              "3 web:1 80 web");
    EXPECT_EQ(say("get job count -n shop -o jsonpath='{.spec.template.spec.containers[0].command} "
                  "{.spec.template.spec.restartPolicy}'"),
              R"(["count","--all"] Never)");
    EXPECT_THAT(say("get pdb -n shop"),
                AllOf(ContainsRegex("half +N/A +50% "), ContainsRegex("web +1 +N/A ")));
    EXPECT_THAT(run("create namespace shop").out, HasSubstr("AlreadyExists"));
    EXPECT_THAT(say("create deployment idle --image=web:1 --dry-run=client -o yaml"),
                HasSubstr("image: web:1"));
    EXPECT_EQ(say("get deploy -o name"), "");
}

TEST_F(Kubectl, ExposesADeployment) {
    create_deployment("web");
    EXPECT_EQ(say("expose deployment web --port=80 --target-port=8080"), "service/web exposed\n");
    EXPECT_EQ(say("get service web -o jsonpath='{.spec.selector.app} {.spec.ports[0].port} "
                  "{.spec.ports[0].targetPort}'"),
              "web 80 8080");
    EXPECT_THAT(say("get service web"), ContainsRegex("web +ClusterIP .* 80/TCP"));
}

TEST_F(Kubectl, WatchesOnePodUntilItIsGone) {
    create_node("n1");
    create_pod("p1", "n1");
    create_pod("p2", "n1");
    const auto change = [this] {
        say("delete pod p2 --now");
        say("label pod p1 seen=yes");
        say("delete pod p1 --now");
    };
    const std::string seen = watch("get pod p1 -w --output-watch-events", change, "DELETED");
    EXPECT_THAT(seen, ContainsRegex("ADDED +p1 (.|\n)*MODIFIED +p1 (.|\n)*DELETED +p1 "));
    EXPECT_THAT(seen, Not(HasSubstr("p2")));
}

TEST_F(Kubectl, RestartsARolloutAndSaysHowFarItIs) {
    create_deployment("web");
    EXPECT_EQ(say("rollout restart deployment/web"), "deployment.apps/web restarted\n");
    EXPECT_THAT(say("get deploy web -o jsonpath='{.spec.template.metadata.annotations}'"),
                HasSubstr("kubectl.kubernetes.io/restartedAt"));
    EXPECT_EQ(say("rollout pause deployment/web"), "deployment.apps/web paused\n");
    EXPECT_EQ(say("rollout resume deployment/web"), "deployment.apps/web resumed\n");
    EXPECT_THAT(say("rollout status deployment/web --watch=false"),
                HasSubstr("Waiting for deployment"));
}

TEST_F(Kubectl, DebugsANodeByAPodAndNoPodFromWithin) {
    create_node("n1");
    create_pod("p1", "n1");
    EXPECT_THAT(say("debug node/n1 --image=busybox"),
                HasSubstr("Creating debugging pod node-debugger-n1-"));
    EXPECT_EQ(say("get pods --field-selector spec.nodeName=n1 -o jsonpath='{.items[*].spec"
                  ".containers[0].image}'"),
              "busybox i");
    const Ran ran = run("debug p1 --image=busybox");
    EXPECT_NE(ran.status, 0);
    EXPECT_THAT(ran.out, HasSubstr("ephemeral containers are disabled for this cluster"));
    EXPECT_THAT(say("debug p1 --image=busybox --copy-to=p1-copy"), Not(HasSubstr("rror")));
    EXPECT_THAT(say("get pod p1-copy -o jsonpath='{.spec.containers[*].image}'"),
                HasSubstr("busybox"));
}

TEST_F(Kubectl, HasNoFiguresOfUse) {
    for (const char* what : {"top nodes", "top pods -A"}) {
        const Ran ran = run(what);
        EXPECT_NE(ran.status, 0) << what;
        EXPECT_THAT(ran.out, HasSubstr("Metrics API not available")) << what;
    }
}

}  // namespace
}  // namespace capstan::simulation::api_server
