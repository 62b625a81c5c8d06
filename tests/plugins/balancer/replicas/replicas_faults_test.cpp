// Defects of the upstream controller, and their tests:
//   1 an unknown name ends the process          AnUnknownNameInTheOrderBlocksNoTarget
//   2 an unreadable target blocks all           AMissing..., AnUnreadable..., SeveralHanging...
//   3 so does a mislabelled pod                 AMislabelledPodBlocksNoTarget
//   4 writes in any order, up to an error       ARefusedWrite...; of BalancerReplicas:
//                                               GrowsBeforeItShrinks, DoesNotShrinkATarget...
//   5 one target twice, or of two Balancers     DuplicateTargets..., TwoBalancers...
//   6 a deletion lets two work on one object    ABalancerDeletedDuringAReconcileIsNotWritten
//   7 an invalid name stops a worker            ObjectsWithoutANameBlockNoOther
//   8 a missed deletion leaves no object        BalancerCache.ForgetsAnObject...
//   9 minimum above maximum                     PlacementLimits.TreatAMinimumAboveTheMaximumAsBoth
//  10 it cannot be stopped                      StopClosesAllWatches
//  11 no leader election, health or metrics     MissingReplicas...; the others are the host's
//  12 sums overflow                             PlacementBounds.NeverExceedTheRangeOfAScale
// and an incomplete status (MissingReplicas...), an event at every reconcile
// (BalancerReplicas.WritesAndLogsNothingWithoutChanges), an empty selector for all pods
// (AnEmpty...).
#include <random>

#include "shop.hpp"

namespace capstan::replicas {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using namespace std::chrono_literals;

class BalancerFaults : public Shop {};

TEST_F(BalancerFaults, AnUnknownNameInTheOrderBlocksNoTarget) {
    put_deployment("a", 0);
    put_deployment("b", 0);
    put_balancer(
        R"("replicas":4,)" + targets() +
        R"(,"policy":{"policyName":"priority","priorities":{"targetOrder":["ghost","a","b"]}})");
    settle();
    EXPECT_THAT(sizes(), ElementsAre(4, 0));
    EXPECT_FALSE(condition().is_true);
    EXPECT_EQ(condition().reason, "SpecChecking");
    EXPECT_THAT(condition().message, HasSubstr("\"ghost\""));
    EXPECT_THAT(host.kube().notes().back().message, HasSubstr("\"ghost\""));
}

TEST_F(BalancerFaults, AMissingTargetDoesNotBlockOthers) {
    put_deployment("b", 0);
    put_balancer(R"("replicas":10,)" + targets() + "," + halves());
    settle();
    EXPECT_EQ(size_of("b"), 5);
    EXPECT_EQ(condition().reason, "ScaleSubresourcePolling");
    EXPECT_THAT(condition().message, HasSubstr("target a: read the scale of Deployment a"));
}

TEST_F(BalancerFaults, TheShareOfAMissingTargetFallsBack) {
    put_deployment("b", 0);
    put_balancer(R"("replicas":10,)" + targets() + "," + halves(after_a_minute));
    settle();
    EXPECT_EQ(size_of("b"), 10);
    EXPECT_TRUE(condition(fallen_back).is_true);
    put_deployment("a", 0);
    settle();
    put_pods("a", 5);
    advance(31s);
    EXPECT_THAT(sizes(), ElementsAre(5, 5));
    EXPECT_TRUE(condition().is_true) << condition().message;
}

TEST_F(BalancerFaults, TheShareOfAMissingTargetIsReservedOnce) {
    put_deployment("b", 20);
    put_balancer(R"("replicas":10,)" + targets() + "," + halves(after_a_minute));
    settle();
    EXPECT_EQ(size_of("b"), 10);
    put_balancer(R"("replicas":4,)" + targets() + "," + halves(after_a_minute), 2);
    settle();
    EXPECT_EQ(size_of("b"), 4);
}

TEST_F(BalancerFaults, ReplicasOfADeletedTargetAreNotReplacedWithoutAFallback) {
    put_deployment("b", 10);
    put_balancer(R"("replicas":10,)" + targets() + "," + halves());
    settle();
    EXPECT_EQ(size_of("b"), 10);
    put_deployment("a", 0);
    settle();
    EXPECT_THAT(sizes(), ElementsAre(5, 5));
}

TEST_F(BalancerFaults, AnUnreadableTargetIsNotChanged) {
    put_deployment("a", 2);
    put_deployment("b", 2);
    put_pods("a", 2);
    put_balancer(R"("replicas":4,)" + targets() + "," + halves(after_a_minute));
    settle();
    host.kube().fail(KubeVerb::get, "deployments", {ErrorCode::unavailable, "no answer"}, 1);
    put_balancer(R"("replicas":6,)" + targets() + "," + halves(after_a_minute), 2);
    host.run();
    host.take_wish();
    ASSERT_TRUE(testing::run(host, replicas->reconcile({})));
    EXPECT_THAT(sizes(), ElementsAre(2, 3));
    EXPECT_THAT(condition().message, HasSubstr("no answer"));
    advance(31s);
    EXPECT_THAT(sizes(), ElementsAre(3, 3));
    EXPECT_TRUE(condition().is_true);
}

TEST_F(BalancerFaults, AMislabelledPodBlocksNoTarget) {
    put_deployment("a", 0);
    put_deployment("b", 0);
    put_pod("a", "Running", "other");
    put_balancer(R"("replicas":10,)" + targets() + "," + halves());
    settle();
    EXPECT_THAT(sizes(), ElementsAre(5, 5));
    EXPECT_EQ(condition().reason, "PodLabelsChecking");
    EXPECT_THAT(condition().message, HasSubstr("target a: pod a-1 without the labels"));
}

TEST_F(BalancerFaults, ARefusedWriteDoesNotBlockOtherWrites) {
    put_deployment("a", 0);
    put_deployment("b", 0);
    put_balancer(R"("replicas":10,)" + targets() + "," + halves());
    host.kube().fail(KubeVerb::update, "deployments", {ErrorCode::permission, "forbidden"}, 1);
    replicas.emplace(host.host(), config);
    replicas->start();
    host.run();
    ASSERT_TRUE(testing::run(host, replicas->reconcile({.is_first = true})));
    EXPECT_THAT(sizes(), ElementsAre(0, 5));
    EXPECT_EQ(condition().reason, "ReplicaCountSetting");
    leads = true;
    advance(31s);
    EXPECT_THAT(sizes(), ElementsAre(5, 5));
}

TEST_F(BalancerFaults, DuplicateTargetsDoNotOscillate) {
    put_deployment("a", 0);
    put_balancer(R"("replicas":6,"targets":[
        {"name":"a","scaleTargetRef":{"apiVersion":"apps/v1","kind":"Deployment","name":"a"}},
        {"name":"b","scaleTargetRef":{"apiVersion":"apps/v1","kind":"Deployment","name":"a"}},
        {"name":"a","scaleTargetRef":{"apiVersion":"apps/v1","kind":"Deployment","name":"c"}}],)" +
                 halves());
    settle();
    advance(31s);
    EXPECT_THAT(writes(), ElementsAre("a=6"));
    EXPECT_THAT(condition().message, HasSubstr("target b is ignored"));
}

TEST_F(BalancerFaults, TwoBalancersOfOneTargetDoNotOscillate) {
    for (const char* name : {"a", "b", "c"}) put_deployment(name, 0);
    put_balancer(R"("replicas":6,)" + targets() + "," + halves());
    const auto put_second = [&](const std::string& created) {
        host.kube().put_text(
            balancer_resource(),
            R"({"metadata":{"namespace":"shop","name":"second","creationTimestamp":")" + created +
                R"("},"spec":{"replicas":8,"selector":{"matchLabels":{"app":"web"}},"targets":[
            {"name":"b","scaleTargetRef":{"apiVersion":"apps/v1","kind":"Deployment","name":"b"}},
            {"name":"c","scaleTargetRef":{"apiVersion":"apps/v1","kind":"Deployment","name":"c"}}],
            "policy":{"policyName":"proportional","proportions":{"targetProportions":{"b":1,"c":1}}}}})");
    };
    put_second("2026-01-01T00:00:00Z");
    const Reconciled done = settle();
    advance(31s);
    EXPECT_THAT(writes(), ElementsAre("c=8", "a=3", "b=3"));
    ASSERT_EQ(done.problems.size(), 1u);
    EXPECT_EQ(done.problems[0].subject, "shop/second");
    EXPECT_EQ(done.problems[0].message,
              "target b is ignored: Deployment b is a target of Balancer web, which is older");
    host.kube().remove(balancer_resource(), "shop", "web");
    EXPECT_THAT(settle().problems, IsEmpty());
    EXPECT_EQ(size_of("b"), 4);
    EXPECT_EQ(size_of("c"), 4);
}

TEST_F(BalancerFaults, AHangingTargetDoesNotBlockOthers) {
    for (const char* name : {"a", "b", "c", "d"}) put_deployment(name, 0);
    put_balancer(R"("replicas":4,)" + targets() + "," + halves());
    host.kube().put_text(balancer_resource(),
                         R"({"metadata":{"namespace":"shop","name":"zoo"},"spec":{"replicas":2,
        "selector":{},"targets":[
        {"name":"c","scaleTargetRef":{"apiVersion":"apps/v1","kind":"Deployment","name":"c"}},
        {"name":"d","scaleTargetRef":{"apiVersion":"apps/v1","kind":"Deployment","name":"d"}}],
        "policy":{"policyName":"proportional","proportions":{"targetProportions":{"c":1,"d":1}}}}})");
    host.kube().slow("deployments", "a", 1h);
    replicas.emplace(host.host(), config);
    replicas->start();
    host.run();
    for (int round = 0; round < 4; ++round) {
        const auto done = testing::run(host, replicas->reconcile({.is_first = round == 0}), 1min);
        ASSERT_TRUE(done) << done.error();
        host.advance(31s);
    }
    EXPECT_EQ(size_of("b"), 2);
    EXPECT_EQ(size_of("c"), 1);
    EXPECT_EQ(size_of("d"), 1);
    EXPECT_THAT(condition().message, HasSubstr("target a: read the scale of Deployment a"));
}

TEST_F(BalancerFaults, SeveralHangingTargetsDoNotOutlastAReconcile) {
    std::string list, weights;
    for (int i = 0; i < 6; ++i) {
        const std::string name = "t" + std::to_string(i), comma = i == 0 ? "" : ",";
        put_deployment(name, 0);
        if (i < 5) host.kube().slow("deployments", name, 1h);
        list += comma + R"({"name":")" + name +
                R"(","scaleTargetRef":{"apiVersion":"apps/v1","kind":"Deployment","name":")" +
                name + "\"}}";
        weights += comma + "\"" + name + "\":1";
    }
    put_balancer(R"("replicas":6,"targets":[)" + list +
                 R"(],"policy":{"policyName":"proportional","proportions":{"targetProportions":{)" +
                 weights + "}}}");
    replicas.emplace(host.host(), config);
    replicas->start();
    host.run();
    for (int round = 0; round < 2; ++round) {
        ASSERT_TRUE(testing::run(host, replicas->reconcile({.is_first = round == 0}), 1min));
        host.advance(31s);
    }
    EXPECT_EQ(size_of("t5"), 1);
    EXPECT_THAT(condition().message,
                HasSubstr("not attempted: earlier requests used all the time"));
}

TEST_F(BalancerFaults, ABalancerDeletedDuringAReconcileIsNotWritten) {
    for (const char* name : {"a", "b", "c"}) put_deployment(name, 0);
    put_balancer(R"("replicas":6,"targets":[
        {"name":"a","scaleTargetRef":{"apiVersion":"apps/v1","kind":"Deployment","name":"a"}},
        {"name":"b","scaleTargetRef":{"apiVersion":"apps/v1","kind":"Deployment","name":"b"}},
        {"name":"c","scaleTargetRef":{"apiVersion":"apps/v1","kind":"Deployment","name":"c"}}],
        "policy":{"policyName":"proportional","proportions":{"targetProportions":{"a":1,"b":1,"c":1}}})");
    const auto remove_balancer = [this](KubeEvent::Type type, const std::string&, const Error&) {
        if (type == KubeEvent::Type::modified)
            host.kube().remove(balancer_resource(), "shop", "web");
    };
    ASSERT_TRUE(host.kube().follow(1'000'000, KubeSelection(deployments), remove_balancer));
    settle();
    // What was in progress at the time of the deletion is done.
    EXPECT_THAT(writes(), ElementsAre("a=2", "b=2"));
    EXPECT_EQ(host.metric("wanted_replicas", {"shop", "web"}), 0);
    EXPECT_THAT(events(), IsEmpty());
}

TEST(BalancerCache, DistinguishesANewObjectOfTheSameName) {
    const auto object = [](const char* uid) {
        return *parse_json(R"({"metadata":{"namespace":"shop","name":"web","uid":")" +
                           std::string(uid) + R"("},"spec":{}})");
    };
    BalancerCache book;
    EXPECT_TRUE(book.put(object("1")));
    EXPECT_FALSE(book.put(object("1")));
    const std::shared_ptr<Entry> first = book.dirty().at(0);
    EXPECT_TRUE(book.put(object("2")));
    EXPECT_TRUE(first->is_gone);
    EXPECT_NE(book.dirty().at(0), first);
}

TEST(BalancerCache, ForgetsAnObjectWhoseDeletionWasNotObserved) {
    BalancerCache book;
    EXPECT_TRUE(
        book.put(*parse_json(R"({"metadata":{"namespace":"shop","name":"web"},"spec":{}})")));
    const Json remains = *parse_json(
        R"({"apiVersion":"balancer.x-k8s.io/v1alpha1","kind":"Balancer","metadata":{"namespace":"shop","name":"web"}})");
    EXPECT_NE(book.remove(remains), nullptr);
    EXPECT_EQ(book.remove(remains), nullptr);
    EXPECT_TRUE(book.dirty().empty());
}

TEST_F(BalancerFaults, ObjectsWithoutANameBlockNoOther) {
    for (const char* name : {"a", "b"}) put_deployment(name, 0);
    host.kube().put_text(balancer_resource(), R"({"metadata":{},"spec":{}})");
    host.kube().put_text(pod_kind, R"({"metadata":{"labels":{"of":"a"}}})");
    put_balancer(R"("replicas":4,)" + targets() + "," + halves());
    settle();
    EXPECT_THAT(sizes(), ElementsAre(2, 2));
}

TEST_F(BalancerFaults, ADeletedBalancerKeepsItsTargets) {
    put_deployment("a", 0);
    put_deployment("b", 0);
    put_balancer(R"("replicas":10,)" + targets() + "," + halves());
    settle();
    host.kube().remove(balancer_resource(), "shop", "web");
    put_deployment("a", 1);
    const Reconciled done = settle();
    EXPECT_EQ(done.objects, 0);
    EXPECT_THAT(sizes(), ElementsAre(1, 5));
    EXPECT_EQ(host.metric("wanted_replicas", {"shop", "web"}), 0);
}

TEST_F(BalancerFaults, AnInvalidBalancerDoesNotBlockOthers) {
    put_deployment("a", 0);
    put_deployment("b", 0);
    put_balancer(R"("replicas":2,)" + targets() + "," + halves());
    host.kube().put_text(
        balancer_resource(),
        R"({"metadata":{"namespace":"shop","name":"bad"},"spec":{"policy":{"policyName":"best"}}})");
    const Reconciled done = settle();
    EXPECT_THAT(sizes(), ElementsAre(1, 1));
    ASSERT_EQ(done.problems.size(), 1u);
    EXPECT_EQ(done.problems[0].subject, "shop/bad");
    EXPECT_THAT(done.problems[0].message, HasSubstr("policy not supported: \"best\""));
}

TEST_F(BalancerFaults, ANegativeNumberOfReplicasChangesNoTarget) {
    put_deployment("a", 3);
    put_deployment("b", 2);
    put_balancer(R"("replicas":-3,)" + targets() + "," + in_order());
    settle();
    EXPECT_THAT(sizes(), ElementsAre(3, 2));
    EXPECT_FALSE(condition().is_true);
    EXPECT_EQ(condition().reason, "SpecChecking");
    EXPECT_EQ(condition().message, "replicas: must be a number of at least 0, not -3");
}

TEST_F(BalancerFaults, AnEmptyScaleSelectorDoesNotCountEveryPod) {
    const KubeResource things("example.com", "v1", "things", "Thing");
    host.kube().serve(things, true);
    host.kube().put_text(things,
                         R"({"metadata":{"namespace":"shop","name":"x"},"spec":{"replicas":1}})");
    put_deployment("b", 0);
    put_pods("b", 3, 2);
    put_balancer(R"("replicas":4,"targets":[
        {"name":"a","scaleTargetRef":{"apiVersion":"example.com/v1","kind":"Thing","name":"x"}},
        {"name":"b","scaleTargetRef":{"apiVersion":"apps/v1","kind":"Deployment","name":"b"}}],)" +
                 halves(after_a_minute));
    settle();
    EXPECT_EQ(condition().reason, "PodListing");
    EXPECT_EQ(to_string(*status().find("targets")->items()[0].find("pods")), "0");
}

TEST_F(BalancerFaults, UnknownPodsAreNotRemovedAtOnce) {
    const KubeResource things("example.com", "v1", "things", "Thing");
    host.kube().serve(things, true);
    host.kube().put_text(things,
                         R"({"metadata":{"namespace":"shop","name":"x"},"spec":{"replicas":10}})");
    put_deployment("b", 0);
    config.step_limit.most = 2;
    put_balancer(R"("replicas":10,"targets":[
        {"name":"a","scaleTargetRef":{"apiVersion":"example.com/v1","kind":"Thing","name":"x"}},
        {"name":"b","scaleTargetRef":{"apiVersion":"apps/v1","kind":"Deployment","name":"b"}}],)" +
                 halves());
    const auto size = [&] {
        return host.kube().find(things, "shop", "x")->find({"spec", "replicas"})->integer();
    };
    settle();
    EXPECT_EQ(size_of("b"), 2);
    EXPECT_EQ(size(), 10);
    put_pods("b", 2);
    settle();
    EXPECT_EQ(size(), 8);
}

TEST_F(BalancerFaults, MissingReplicasAreInStatusAndMetrics) {
    put_deployment("a", 0);
    put_deployment("b", 0);
    put_balancer(R"("replicas":3,)" + targets(R"(,"minReplicas":2)", R"(,"minReplicas":2)") + "," +
                 halves());
    settle();
    EXPECT_EQ(number("missing"), 1);
    EXPECT_EQ(host.metric("missing_replicas", {"shop", "web"}), 1);
}

TEST_F(BalancerFaults, StopClosesAllWatches) {
    put_balancer(R"("replicas":3,)" + targets() + "," + halves());
    settle();
    replicas->stop();
    EXPECT_EQ(host.kube().open_watches(), 0u);
}

TEST_F(BalancerFaults, AFailedWatchIsReported) {
    replicas.emplace(host.host(), config);
    replicas->start();
    const Result<Reconciled> early = testing::run(host, replicas->reconcile({.is_first = true}));
    ASSERT_TRUE(early);
    host.kube().trouble({ErrorCode::not_found, "the server has no such kind"});
    host.run();
    const Result<Reconciled> later = testing::run(host, replicas->reconcile({}));
    ASSERT_TRUE(later);
    ASSERT_FALSE(later->problems.empty());
    EXPECT_THAT(later->problems[0].message, HasSubstr("balancers cannot be watched"));
}

}  // namespace
}  // namespace capstan::replicas
