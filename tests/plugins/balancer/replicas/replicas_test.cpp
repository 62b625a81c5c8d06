// The Balancer controller on a cluster in memory.
#include "shop.hpp"

namespace capstan::replicas {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;
using namespace std::chrono_literals;

class BalancerReplicas : public Shop {};

TEST_F(BalancerReplicas, KeepsTheRatio) {
    put_deployment("a", 0);
    put_deployment("b", 0);
    put_balancer(R"("replicas":10,)" + targets() + "," + halves());
    const Reconciled done = settle();
    EXPECT_THAT(sizes(), ElementsAre(5, 5));
    EXPECT_EQ(done.objects, 1);
    EXPECT_THAT(done.problems, IsEmpty());
    EXPECT_TRUE(condition().is_true);
    EXPECT_EQ(condition().reason, "Completed");
    EXPECT_EQ(condition().message, "Balancer running OK");
    EXPECT_THAT(events(), ElementsAre("Rescaled"));
}

TEST_F(BalancerReplicas, OverflowsIfPodsDoNotStartAndReturnsWhenTheyDo) {
    put_deployment("a", 5);
    put_deployment("b", 5);
    put_pods("a", 2, 3);
    put_pods("b", 5);
    put_balancer(R"("replicas":10,)" + targets() + "," + halves(after_a_minute));
    settle();
    EXPECT_THAT(sizes(), ElementsAre(5, 5));
    advance(61s);
    EXPECT_THAT(sizes(), ElementsAre(5, 8));
    EXPECT_TRUE(condition(fallen_back).is_true);
    EXPECT_EQ(number("fallback"), 3);
    for (const char* name : {"a-3", "a-4", "a-5"}) write_pod(name, "a", "Running");
    settle();
    EXPECT_THAT(sizes(), ElementsAre(5, 5));
    EXPECT_FALSE(condition(fallen_back).is_true);
    EXPECT_THAT(events(), ElementsAre("Rescaled", "FellBack", "Rescaled", "Rebalanced"));
}

TEST_F(BalancerReplicas, KeepsOverflowWhenABlockedTargetGrows) {
    put_deployment("a", 2);
    put_deployment("b", 0);
    put_pods("a", 0, 2);
    put_balancer(R"("replicas":2,)" + targets() + "," + in_order(after_a_minute));
    settle();
    advance(61s);
    EXPECT_THAT(sizes(), ElementsAre(2, 2));
    put_pods("b", 2);
    put_balancer(R"("replicas":6,)" + targets() + "," + in_order(after_a_minute), 2);
    settle();
    EXPECT_THAT(sizes(), ElementsAre(6, 6));
    // The new pods are young, and pending like those that are late.
    put_pods("a", 0, 4);
    put_pods("b", 4);
    settle();
    EXPECT_THAT(sizes(), ElementsAre(6, 6));
    advance(61s);
    EXPECT_THAT(sizes(), ElementsAre(6, 6));
    EXPECT_THAT(writes(), ElementsAre("b=2", "a=6", "b=6"));
    for (int i : {1, 2, 5, 6, 7, 8}) write_pod("a-" + std::to_string(i), "a", "Running");
    settle();
    EXPECT_THAT(sizes(), ElementsAre(6, 0));
}

TEST_F(BalancerReplicas, ReplacesRunningPodsThatAreNeverReady) {
    put_deployment("a", 3);
    put_deployment("b", 0);
    for (const char* name : {"a-1", "a-2", "a-3"}) write_pod(name, "a", "Running", "web", false);
    put_balancer(R"("replicas":3,)" + targets() + "," + in_order(after_a_minute));
    settle();
    EXPECT_THAT(sizes(), ElementsAre(3, 0));
    advance(61s);
    EXPECT_THAT(sizes(), ElementsAre(3, 3));
    EXPECT_EQ(condition(fallen_back).reason, "PodsDoNotStart");
}

TEST_F(BalancerReplicas, AddsNothingIfPodsStartInNoTarget) {
    put_deployment("a", 3);
    put_deployment("b", 1);
    put_pods("a", 0, 3);
    put_pods("b", 0, 1);
    put_balancer(R"("replicas":4,)" + targets("", R"(,"minReplicas":1)") + "," +
                 in_order(after_a_minute));
    settle();
    advance(61s);
    EXPECT_THAT(sizes(), ElementsAre(3, 1));
    EXPECT_THAT(writes(), IsEmpty());
    EXPECT_EQ(condition(fallen_back).reason, "NoOtherTarget");
    EXPECT_EQ(condition(fallen_back).message,
              "no other target can take the replicas that do not start in a, b");
    EXPECT_FALSE(condition().is_true);
    EXPECT_EQ(condition().reason, "ReplicasOverflow");
    EXPECT_EQ(condition().message,
              "replicas have nowhere to go (see status.overflow): pods do not start in a, b, and "
              "no target can take more");
    EXPECT_EQ(number("overflow"), 4);
}

TEST_F(BalancerReplicas, FallsBackOnATargetWithOneLatePod) {
    put_deployment("a", 5);
    put_deployment("b", 5);
    put_pods("a", 0, 5);
    put_pods("b", 4, 1);
    put_balancer(R"("replicas":10,)" + targets() + "," + halves(after_a_minute));
    settle();
    advance(61s);
    EXPECT_THAT(sizes(), ElementsAre(5, 10));
    // Beside the late pod these count as blocked, and may start in time.
    put_pods("b", 0, 5);
    advance(31s);
    EXPECT_THAT(sizes(), ElementsAre(5, 10));
    for (int i : {11, 12, 13, 14, 15}) write_pod("b-" + std::to_string(i), "b", "Running");
    settle();
    EXPECT_THAT(sizes(), ElementsAre(5, 10));
    EXPECT_EQ(number("fallback"), 5);
    EXPECT_EQ(number("overflow"), 1);
    EXPECT_THAT(writes(), ElementsAre("b=10"));
}

/// Zone a is lost and zone b is full: the extra pods of b do not start.
TEST_F(BalancerReplicas, DoesNotAskAgainForPodsThatDidNotStart) {
    put_deployment("a", 5);
    put_deployment("b", 5);
    put_pods("a", 0, 5);
    put_pods("b", 4, 1);
    put_balancer(R"("replicas":10,)" + targets() + "," + halves(after_a_minute));
    settle();
    advance(61s);
    put_pods("b", 0, 5);
    for (int i = 0; i < 10; ++i) advance(31s);
    EXPECT_THAT(writes(), ElementsAre("b=10"));
    EXPECT_EQ(number("overflow"), 6);
    for (int i : {1, 2, 3, 4, 5}) write_pod("a-" + std::to_string(i), "a", "Running");
    settle();
    // One of the five pods that b keeps is late.
    EXPECT_THAT(sizes(), ElementsAre(6, 5));
}

/// The first and the second target start nothing: the third one keeps the replicas.
TEST_F(BalancerReplicas, FallsBackFromTargetToTarget) {
    for (const char* name : {"a", "b", "c"}) put_deployment(name, 0);
    put_balancer(R"("replicas":3,"targets":[
        {"name":"a","scaleTargetRef":{"apiVersion":"apps/v1","kind":"Deployment","name":"a"}},
        {"name":"b","scaleTargetRef":{"apiVersion":"apps/v1","kind":"Deployment","name":"b"}},
        {"name":"c","scaleTargetRef":{"apiVersion":"apps/v1","kind":"Deployment","name":"c"}}],
        "policy":{"policyName":"priority","priorities":{"targetOrder":["a","b","c"]},
                  "fallback":{"startupTimeoutSeconds":60}})");
    settle();
    put_pods("a", 0, 3);
    advance(61s);
    EXPECT_THAT(writes(), ElementsAre("a=3", "b=3"));
    put_pods("b", 0, 3);
    advance(61s);
    EXPECT_THAT(writes(), ElementsAre("a=3", "b=3", "c=3"));
    put_pods("c", 3);
    for (int i = 0; i < 5; ++i) advance(61s);
    EXPECT_THAT(writes(), ElementsAre("a=3", "b=3", "c=3"));
    EXPECT_EQ(number("overflow"), 0);
    for (int i : {4, 5, 6}) write_pod("b-" + std::to_string(i), "b", "Running");
    settle();
    EXPECT_THAT(writes(), ElementsAre("a=3", "b=3", "c=3", "c=0"));
}

TEST_F(BalancerReplicas, ReportsOverflowOnce) {
    put_deployment("a", 0);
    put_deployment("b", 0);
    const std::string rest = targets(R"(,"maxReplicas":1)", R"(,"maxReplicas":1)") + "," + halves();
    for (const int wanted : {3, 4, 5}) {
        put_balancer("\"replicas\":" + std::to_string(wanted) + "," + rest, wanted);
        settle();
        EXPECT_EQ(number("overflow"), wanted - 2);
    }
    put_balancer(R"("replicas":2,)" + rest, 6);
    settle();
    EXPECT_TRUE(condition().is_true);
    EXPECT_THAT(events(), ElementsAre("Rescaled", "UnableToBalance", "Balanced"));
}

TEST_F(BalancerReplicas, SchedulesACallForTheNextLatePod) {
    put_deployment("a", 5);
    put_deployment("b", 5);
    put_pods("a", 4, 1);
    put_pods("b", 5);
    put_balancer(R"("replicas":10,)" + targets() + "," +
                 halves(R"(,"fallback":{"startupTimeout":"10s"})"));
    const Reconciled done = settle();
    ASSERT_TRUE(done.again_in);
    EXPECT_LE(*done.again_in, 10s + 1ns);
    EXPECT_GT(*done.again_in, 9s);
}

TEST_F(BalancerReplicas, GrowsBeforeItShrinks) {
    put_deployment("a", 9);
    put_deployment("b", 1);
    put_balancer(R"("replicas":10,)" + targets() + "," + halves());
    settle();
    EXPECT_THAT(writes(), ElementsAre("b=5", "a=5"));
}

TEST_F(BalancerReplicas, DoesNotShrinkATargetIfAnotherCannotGrow) {
    put_deployment("a", 10);
    put_deployment("b", 0);
    put_balancer(R"("replicas":10,)" + targets() + "," + halves());
    host.kube().fail(KubeVerb::update, "deployments", {ErrorCode::permission, "forbidden: quota"},
                     1);
    replicas.emplace(host.host(), config);
    replicas->start();
    host.run();
    ASSERT_TRUE(testing::run(host, replicas->reconcile({.is_first = true})));
    EXPECT_THAT(sizes(), ElementsAre(10, 0));
    EXPECT_FALSE(condition().is_true);
    EXPECT_EQ(condition().reason, "ReplicaCountSetting");
    EXPECT_THAT(condition().message, HasSubstr("target b: scale Deployment b"));
    leads = true;
    advance(31s);
    EXPECT_THAT(sizes(), ElementsAre(5, 5));
    EXPECT_TRUE(condition().is_true);
    EXPECT_THAT(events(), Contains("Balanced"));
}

TEST_F(BalancerReplicas, RetriesAfterAConflict) {
    put_deployment("a", 0);
    put_deployment("b", 0);
    put_balancer(R"("replicas":10,)" + targets() + "," + halves());
    host.kube().fail(KubeVerb::update, "deployments", {ErrorCode::conflict, "changed", "Conflict"},
                     2);
    settle();
    EXPECT_THAT(sizes(), ElementsAre(5, 5));
    EXPECT_TRUE(condition().is_true);
}

TEST_F(BalancerReplicas, RevertsChangesByOtherClients) {
    put_deployment("a", 5);
    put_deployment("b", 5);
    put_balancer(R"("replicas":10,)" + targets() + "," + halves());
    settle();
    put_deployment("a", 1);
    settle();
    EXPECT_THAT(sizes(), ElementsAre(5, 5));
}

TEST_F(BalancerReplicas, WritesItsStatus) {
    put_deployment("a", 1);
    put_deployment("b", 9);
    put_pods("a", 1, 1);
    put_pods("b", 2);
    put_pod("nobody", "Running");
    put_balancer(R"("replicas":3,)" + targets(R"(,"maxReplicas":1)", R"(,"maxReplicas":1)") + "," +
                     in_order(),
                 4);
    settle();
    EXPECT_EQ(number("observedGeneration"), 4);
    EXPECT_EQ(number("replicas"), 5);  // matched by the selector of the Balancer itself
    EXPECT_EQ(number("overflow"), 1);
    EXPECT_EQ(number("missing"), 0);
    EXPECT_EQ(condition().reason, "ReplicasOverflow");
    EXPECT_EQ(condition().message,
              "replicas have nowhere to go (see status.overflow): all targets of the policy are at "
              "their maximum");
    const Json now = status();
    EXPECT_EQ(now.text_at({"selector"}), "app=web");
    ASSERT_THAT(now.find("targets")->items(), SizeIs(2));
    EXPECT_EQ(to_string(now.find("targets")->items()[0]),
              R"({"name":"a","desired":1,"replicas":1,"pods":2,"ready":1,"blocked":0})");
    EXPECT_EQ(host.metric("overflow_replicas", {"shop", "web"}), 1);
    EXPECT_EQ(host.metric("observed_pods", {"shop", "web"}), 5);
}

TEST_F(BalancerReplicas, WritesAndLogsNothingWithoutChanges) {
    put_deployment("a", 5);
    put_deployment("b", 5);
    put_balancer(R"("replicas":10,)" + targets() + "," + R"("policy":{"policyName":"priority",
        "priorities":{"targetOrder":["ghost","a"]}})");
    settle();
    const auto logged = events();
    EXPECT_THAT(logged, ElementsAre("Rescaled", "UnableToBalance"));
    const auto is_write = [](const KubeRequest& r) { return r.verb != KubeVerb::get; };
    const auto count = [&] { return std::ranges::count_if(host.kube().requests(), is_write); };
    const auto before = count();
    for (int i = 0; i < 5; ++i) advance(31s);
    EXPECT_EQ(count(), before);
    EXPECT_EQ(events(), logged);
}

TEST_F(BalancerReplicas, SupportsEveryResourceWithAScale) {
    const KubeResource rollouts("argoproj.io", "v1alpha1", "rollouts", "Rollout");
    const KubeResource sets("apps", "v1", "statefulsets", "StatefulSet");
    host.kube().serve(rollouts, true).serve(sets, true);
    for (const KubeResource& kind : {rollouts, sets})
        host.kube().put_text(
            kind,
            R"({"metadata":{"namespace":"shop","name":"x"},"spec":{"replicas":1,"selector":{"matchLabels":{"of":"x"}}}})");
    put_balancer(R"("replicas":4,"targets":[
        {"name":"a","scaleTargetRef":{"apiVersion":"argoproj.io/v1alpha1","kind":"Rollout","name":"x"}},
        {"name":"b","scaleTargetRef":{"apiVersion":"apps/v1","kind":"StatefulSet","name":"x"}}],)" +
                 halves());
    settle();
    for (const KubeResource& kind : {rollouts, sets})
        EXPECT_EQ(host.kube().find(kind, "shop", "x")->find({"spec", "replicas"})->integer(), 2);
    EXPECT_TRUE(condition().is_true) << condition().message;
}

TEST_F(BalancerReplicas, LimitsItsStepsIfConfigured) {
    config.step_limit.most = 2;
    put_deployment("a", 10);
    put_deployment("b", 0);
    put_pods("a", 10);
    put_balancer(R"("replicas":10,)" + targets() + "," + halves());
    settle();
    EXPECT_THAT(sizes(), ElementsAre(10, 2));
    put_pods("b", 2);
    settle();
    EXPECT_THAT(sizes(), ElementsAre(8, 4));
}

TEST_F(BalancerReplicas, KeepsOverflowForAWhileIfConfigured) {
    config.fallback_hold = 5min;
    put_deployment("a", 5);
    put_deployment("b", 5);
    put_pods("a", 4, 1);
    put_pods("b", 5);
    put_balancer(R"("replicas":10,)" + targets() + "," + halves(after_a_minute));
    settle();
    advance(61s);
    EXPECT_THAT(sizes(), ElementsAre(5, 6));
    write_pod("a-5", "a", "Running");
    settle();
    EXPECT_THAT(sizes(), ElementsAre(5, 6));
    advance(4min);
    EXPECT_THAT(sizes(), ElementsAre(5, 6));
    advance(61s);
    EXPECT_THAT(sizes(), ElementsAre(5, 5));
}

TEST_F(BalancerReplicas, FollowsReplicasSetByAnAutoscaler) {
    put_deployment("a", 5);
    put_deployment("b", 5);
    put_balancer(R"("replicas":10,)" + targets() + "," + halves());
    settle();
    put_balancer(R"("replicas":4,)" + targets() + "," + halves(), 2);
    settle();
    EXPECT_THAT(sizes(), ElementsAre(2, 2));
    EXPECT_EQ(number("observedGeneration"), 2);
}

TEST_F(BalancerReplicas, ChangesNothingInADryRun) {
    put_deployment("a", 0);
    put_deployment("b", 0);
    put_balancer(R"("replicas":10,)" + targets() + "," + halves());
    const Error dry{ErrorCode::cancelled, "this is a dry run"};
    host.kube()
        .fail(KubeVerb::update, "deployments", dry, 100)
        .fail(KubeVerb::patch, "balancers", dry, 100);
    const Reconciled done = settle();
    EXPECT_THAT(sizes(), ElementsAre(0, 0));
    EXPECT_THAT(done.problems, IsEmpty());
    EXPECT_THAT(events(), IsEmpty());
    const auto lines = host.log_lines();
    EXPECT_TRUE(std::ranges::any_of(lines, [](const testing::LogLine& line) {
        return line.message == "balancer shop/web: would scale a from 0 to 5";
    }));
}

TEST_F(BalancerReplicas, AppliesNewSettings) {
    for (const char* name : {"a", "b"}) put_deployment(name, 0);
    put_balancer(
        R"("replicas":2,)" + targets() +
        R"(,"policy":{"policyName":"proportional","proportions":{"targetProportions":{"a":80,"b":20}}})");
    settle();
    EXPECT_THAT(sizes(), ElementsAre(2, 0));
    Config other = config;
    other.step_limit.most = 1;
    replicas->reconfigure(other);
    EXPECT_TRUE(host.take_wish().has_value());
}

}  // namespace
}  // namespace capstan::replicas
