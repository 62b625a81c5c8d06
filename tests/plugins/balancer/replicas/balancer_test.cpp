#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <capstan/selector_text.hpp>
#include <capstan/time_text.hpp>

#include "balancer.hpp"
#include "pods.hpp"
#include "settings.hpp"

namespace capstan::replicas {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;
using namespace std::chrono_literals;

Balancer read(const std::string& spec) {
    return read_balancer(*parse_json(
        R"({"metadata":{"namespace":"shop","name":"web","generation":3},"spec":)" + spec + "}"));
}

const std::string two_targets =
    R"("targets":[{"name":"a","scaleTargetRef":{"apiVersion":"apps/v1","kind":"Deployment","name":"web-a"},"minReplicas":1,"maxReplicas":7},
        {"name":"b","scaleTargetRef":{"kind":"Deployment","apiVersion":"apps/v1","name":"web-b"}}],"selector":{"matchLabels":{"app":"web"}})";

TEST(ReadBalancer, AcceptsUpstreamObjects) {
    const Balancer balancer =
        read("{" + two_targets + R"(,"replicas":5,"policy":{"policyName":"priority",
        "priorities":{"targetOrder":["a","b"]},"fallback":{"startupTimeoutSeconds":180}}})");
    EXPECT_THAT(balancer.problems, IsEmpty());
    EXPECT_EQ(balancer.path(), "shop/web");
    EXPECT_EQ(balancer.replicas, 5);
    ASSERT_THAT(balancer.targets, SizeIs(2));
    EXPECT_EQ(balancer.targets[0].max, 7);
    EXPECT_EQ(balancer.targets[1].min, 0);
    EXPECT_EQ(balancer.policy, Policy::priority);
    EXPECT_THAT(balancer.order, ElementsAre("a", "b"));
    EXPECT_EQ(balancer.startup_timeout, 180s);
}

TEST(ReadBalancer, AcceptsTheTimeoutOfTheProposal) {
    const auto fallback = [](const std::string& text) {
        return read(
            "{" + two_targets +
            R"(,"policy":{"policyName":"proportional","proportions":{"targetProportions":{"a":1,"b":1}},
            "fallback":)" +
            text + "}}");
    };
    EXPECT_EQ(fallback(R"({"startupTimeout":"3m30s"})").startup_timeout, 210s);
    EXPECT_EQ(fallback(R"({"startupTimeout":"1m","startupTimeoutSeconds":5})").startup_timeout,
              60s);
    EXPECT_EQ(fallback(R"({"startupTimeoutSeconds":0})").startup_timeout, 0s);
    EXPECT_EQ(fallback("{}").startup_timeout, std::nullopt);
    const Balancer odd = fallback(R"({"startupTimeout":"soon","startupTimeoutSeconds":5})");
    EXPECT_EQ(odd.startup_timeout, 5s);
    EXPECT_THAT(odd.problems, SizeIs(1));
}

TEST(ReadBalancer, ReportsWhatThePolicyLacks) {
    const auto complaint = [](const std::string& policy) {
        const Balancer balancer = read("{" + two_targets + R"(,"policy":)" + policy + "}");
        EXPECT_EQ(balancer.policy, std::nullopt);
        return balancer.problems.empty() ? "" : balancer.problems.front().message;
    };
    EXPECT_EQ(complaint(R"({"policyName":"priority"})"),
              "incomplete policy definition: missing priorities");
    EXPECT_EQ(complaint(R"({"policyName":"priority","priorities":{}})"),
              "incomplete policy definition: missing targetOrder");
    EXPECT_EQ(complaint(R"({"policyName":"proportional"})"),
              "incomplete policy definition: missing proportions");
    EXPECT_EQ(complaint(R"({"policyName":"Priority"})"), "policy not supported: \"Priority\"");
    EXPECT_EQ(complaint("{}"), "policy not supported: \"\"");
}

TEST(ReadBalancer, IgnoresInvalidParts) {
    const Balancer balancer = read(R"({"targets":[
        {"name":"a","scaleTargetRef":{"kind":"Deployment","name":"x"},"minReplicas":5,"maxReplicas":2},
        {"name":"a","scaleTargetRef":{"kind":"Deployment","name":"y"}},
        {"name":"c","scaleTargetRef":{"kind":"Deployment","name":"x"}}],
        "selector":{"matchExpressions":[{"key":"app","operator":"Near"}]},
        "policy":{"policyName":"priority","priorities":{"targetOrder":["ghost","a"]}}})");
    ASSERT_THAT(balancer.targets, SizeIs(1));
    EXPECT_EQ(balancer.policy, Policy::priority);
    EXPECT_EQ(balancer.selector, std::nullopt);
    ASSERT_THAT(balancer.problems, SizeIs(5));
    EXPECT_THAT(balancer.problems[0].message, HasSubstr("minReplicas 5 is above maxReplicas 2"));
    EXPECT_THAT(balancer.problems[1].message, HasSubstr("target a is a duplicate"));
    EXPECT_THAT(balancer.problems[2].message, HasSubstr("target c is ignored"));
    EXPECT_THAT(balancer.problems[3].message, HasSubstr("incorrect selector"));
    EXPECT_THAT(balancer.problems[4].message, HasSubstr("\"ghost\", which is not a target"));
}

TEST(ReadBalancer, ReportsOneProblemPerMistake) {
    const auto order = [](const char* names) {
        return std::string(R"(,"policy":{"policyName":"priority","priorities":{"targetOrder":)") +
               names + "}}";
    };
    const auto weights = [](const char* members) {
        return std::string(
                   R"(,"policy":{"policyName":"proportional","proportions":{"targetProportions":)") +
               members + "}}";
    };
    struct Case {
        std::string more;
        std::string message;
        bool is_followed = true;
    };
    for (const Case& c : std::vector<Case>{
             {order(R"(["a","b","a","a"])"),
              "targetOrder lists \"a\" more than once; the first position applies"},
             {order(R"(["ghost","a"])"), "targetOrder lists \"ghost\", which is not a target"},
             {weights(R"({"a":-1,"b":2})"),
              "targetProportions: \"a\" has the negative value -1; 0 is used"},
             {weights(R"({"a":0,"b":0})"),
              "targetProportions are all 0, so no target can take a replica", false},
             {weights(R"({"a":"x","b":2})"),
              "targetProportions: \"a\" has the invalid value \"x\"; 0 is used"},
             {order(R"(["a"])") + R"(,"replicas":2147483647)", "replicas: must be below 2147483647",
              false},
             {order(R"(["a"])") + R"(,"replicas":-3)",
              "replicas: must be a number of at least 0, not -3", false},
             {order(R"(["a"])") + R"(,"replicas":"many")",
              "replicas: must be a number of at least 0, not \"many\"", false},
         }) {
        SCOPED_TRACE(c.more);
        const Balancer balancer = read("{" + two_targets + c.more + "}");
        ASSERT_THAT(balancer.problems, SizeIs(1));
        EXPECT_EQ(balancer.problems[0].message, c.message);
        EXPECT_EQ(balancer.policy.has_value(), c.is_followed);
    }
    for (const char* valid : {"", R"(,"replicas":null)"})
        EXPECT_THAT(read("{" + two_targets + order(R"(["a"])") + valid + "}").problems, IsEmpty());
}

TEST(ReadBalancer, IgnoresNegativeBoundsAndTimeouts) {
    const Balancer balancer = read(R"({"targets":[
        {"name":"a","scaleTargetRef":{"kind":"Deployment","name":"x"},"minReplicas":-1,"maxReplicas":-2}],
        "selector":{"matchLabels":{"app":"web"}},
        "policy":{"policyName":"priority","priorities":{"targetOrder":["a"]},
                  "fallback":{"startupTimeoutSeconds":-5}}})");
    EXPECT_EQ(balancer.targets.at(0).min, 0);
    EXPECT_EQ(balancer.targets.at(0).max, unlimited);
    EXPECT_EQ(balancer.startup_timeout, std::nullopt);
    ASSERT_THAT(balancer.problems, SizeIs(3));
    EXPECT_EQ(balancer.problems[0].message,
              "target a: minReplicas -1 is not a number of at least 0; it is ignored");
    EXPECT_EQ(balancer.problems[1].message,
              "target a: maxReplicas -2 is not a number of at least 0; it is ignored");
    EXPECT_EQ(balancer.problems[2].message,
              "startupTimeoutSeconds: must be a number of at least 0, not -5");
}

TEST(ReadBalancer, CountsNoPodsWithAnEmptySelector) {
    const Balancer balancer = read(R"({"selector":{},"targets":[],"policy":{}})");
    EXPECT_EQ(balancer.selector, std::nullopt);
    EXPECT_EQ(balancer.problems.at(0).message,
              "the selector is empty and would match every pod of the namespace");
}

TEST(ReadBalancer, RejectsItselfAsATarget) {
    const Balancer balancer = read(R"({"targets":[
        {"name":"a","scaleTargetRef":{"apiVersion":"balancer.x-k8s.io/v1alpha1","kind":"Balancer","name":"web"}},
        {"name":"b","scaleTargetRef":{"apiVersion":"balancer.x-k8s.io/v1alpha1","kind":"Balancer","name":"other"}}],
        "selector":{},"policy":{"policyName":"priority","priorities":{"targetOrder":["b"]}}})");
    ASSERT_THAT(balancer.targets, SizeIs(1));
    EXPECT_EQ(balancer.targets[0].name, "b");
    EXPECT_THAT(balancer.problems.at(0).message, HasSubstr("it is the Balancer itself"));
}

TEST(ScaleSelectors, AreReadFromScales) {
    const Labels web{{"app", "web"}, {"tier", "b"}};
    const auto holds = [&](const char* text) { return matches(parse_selector(text).value(), web); };
    EXPECT_TRUE(holds("app=web"));
    EXPECT_TRUE(holds("app==web, tier in (a,b) ,!old,app, x notin (y,z),x!=y"));
    EXPECT_FALSE(holds("tier in (a, c)"));
    EXPECT_FALSE(holds("!app"));
    EXPECT_FALSE(holds("app!=web"));
    EXPECT_FALSE(holds("app="));
    for (const char* text : {"=", "a b", "a in", "a in (b", "a in (b))", "a notin (b c)",
                             "a in ((b))", "a>1", "a=b,,c=d", "<none>", "!", "a=b=c"})
        EXPECT_FALSE(parse_selector(text)) << text;
}

TEST(ScaleSelectors, AreFormattedAsKubernetesDoes) {
    const auto printed = [](const char* json) {
        return format_selector(read_label_selector(*parse_json(json)).value());
    };
    EXPECT_EQ(printed("{}"), "");
    EXPECT_EQ(printed(R"({"matchLabels":{"b":"2","a":"1"}})"), "a=1,b=2");
    EXPECT_EQ(printed(R"({"matchExpressions":[{"key":"t","operator":"In","values":["y","x"]},
        {"key":"o","operator":"DoesNotExist"},{"key":"n","operator":"NotIn","values":["z"]},
        {"key":"e","operator":"Exists"}]})"),
              "e,n notin (z),!o,t in (x,y)");
}

TEST(ScaleSelectors, AreFormattedWithoutDuplicateValues) {
    EXPECT_EQ(format_selector(parse_selector("a in (y,,x,y)").value()), "a in (,x,y)");
    EXPECT_EQ(format_selector(parse_selector("a in (,)").value()), "a=");
}

TEST(ScaleSelectors, AreAbsentIfNoLabelCanMatch) {
    const auto is_one = [](const std::string& json) {
        return read_label_selector(*parse_json(json)).has_value();
    };
    const std::string long_name(63, 'a'), longer_name(64, 'a');
    EXPECT_TRUE(is_one(R"({"matchLabels":{"example.com/a.b-c_D":"","x":")" + long_name + R"("}})"));
    for (const std::string& labels :
         {std::string(R"("a":"b,c")"), std::string(R"("a":"b c")"), std::string(R"("a":"-b")"),
          std::string(R"("":"b")"), std::string(R"("/a":"b")"), std::string(R"("Up.com/a":"b")"),
          std::string(R"("a/b/c":"d")"), R"("a":")" + longer_name + "\""})
        EXPECT_FALSE(is_one(R"({"matchLabels":{)" + labels + "}}")) << labels;
    EXPECT_FALSE(
        is_one(R"({"matchExpressions":[{"key":"a","operator":"In","values":["b","c,d"]}]})"));
    EXPECT_FALSE(is_one(R"({"matchExpressions":[{"key":"a b","operator":"Exists"}]})"));
}

Json pod(const std::string& name, const std::string& phase, const std::string& created,
         const std::string& more = "", const std::string& status = "") {
    return *parse_json(R"({"metadata":{"namespace":"shop","name":")" + name +
                       R"(","labels":{"app":"web"},"creationTimestamp":")" + created + "\"" + more +
                       R"(},"status":{"phase":")" + phase + "\"" + status + "}}");
}

constexpr const char* is_ready_now = R"(,"conditions":[{"type":"Ready","status":"True"}])";

TEST(CountPods, FindsPodsThatDidNotStartInTime) {
    const Time now = find_rfc3339("2026-01-01T00:03:00Z").value();
    Pods pods;
    EXPECT_TRUE(pods.put(pod("running", "Running", "2025-12-31T00:00:00Z", "", is_ready_now)));
    EXPECT_TRUE(pods.put(pod("old", "Pending", "2025-12-31T23:59:59Z")));
    EXPECT_TRUE(pods.put(pod("just", "Pending", "2026-01-01T00:00:00Z")));
    EXPECT_TRUE(pods.put(pod("young", "Pending", "2026-01-01T00:02:00Z")));
    EXPECT_FALSE(pods.put(pod("done", "Succeeded", "2026-01-01T00:02:00Z")));
    EXPECT_FALSE(pods.put(pod("lost", "Failed", "2026-01-01T00:02:00Z")));
    EXPECT_FALSE(pods.put(pod("ends", "Running", "2026-01-01T00:02:00Z",
                              R"(,"deletionTimestamp":"2026-01-01T00:02:30Z")")));
    const LabelSelector web = parse_selector("app=web").value();
    const PodCounts counts = pods.count("shop", web, nullptr, now, 180s);
    EXPECT_EQ(counts.total, 4);
    EXPECT_EQ(counts.running, 1);
    // The late pod, and young pods that are not expected to start either.
    EXPECT_EQ(counts.blocked, 3);
    EXPECT_EQ(counts.late, 1);
    EXPECT_EQ(counts.next_due, now + 1ns);
    EXPECT_EQ(pods.count("shop", web, nullptr, now, std::nullopt).blocked, 0);
    EXPECT_EQ(pods.count("other", web, nullptr, now, 180s).total, 0);
    EXPECT_TRUE(pods.remove(pod("old", "Pending", "")));
    EXPECT_EQ(pods.count("shop", web, nullptr, now, 180s).blocked, 0);
}

/// How many pods are blocked at 00:03 if the only pod started at 00:00 and the timeout is one
/// minute.
std::int64_t blocked_of(const std::string& status) {
    Pods pods;
    pods.put(pod("p", "Running", "2026-01-01T00:00:00Z", "",
                 R"(,"startTime":"2026-01-01T00:00:00Z")" + status));
    const Time now = find_rfc3339("2026-01-01T00:03:00Z").value();
    return pods.count("shop", parse_selector("app=web").value(), nullptr, now, 60s).blocked;
}

TEST(CountPods, FindsRunningPodsThatAreNotReady) {
    const auto unready = [](const std::string& since) {
        return R"(,"conditions":[{"type":"Ready","status":"False","lastTransitionTime":")" + since +
               R"("}])";
    };
    const auto restarted = [](const std::string& began, const std::string& ended,
                              const std::string& state) {
        return R"(,"containerStatuses":[{"restartCount":4,"lastState":{"terminated":{"startedAt":")" +
               began + R"(","finishedAt":")" + ended + R"("}},"state":)" + state + "}]";
    };
    const std::string waits = R"({"waiting":{"reason":"CrashLoopBackOff"}})";
    const std::string just_up = R"({"running":{"startedAt":"2026-01-01T00:02:55Z"}})";
    const std::string long_up = R"({"running":{"startedAt":"2026-01-01T00:01:30Z"}})";
    const std::string short_run =
        restarted("2026-01-01T00:02:40Z", "2026-01-01T00:02:45Z", just_up);
    struct Case {
        const char* title;
        std::string status;
        std::int64_t blocked;
    };
    for (const Case& c : std::vector<Case>{
             {"ready", is_ready_now, 0},
             {"without conditions", "", 1},
             {"never ready", unready("2026-01-01T00:00:01Z"), 1},
             {"ready no more", unready("2026-01-01T00:02:00Z"), 0},
             {"waits after a short run",
              unready("2026-01-01T00:02:45Z") +
                  restarted("2026-01-01T00:02:40Z", "2026-01-01T00:02:45Z", waits),
              1},
             {"ready for a moment between two restarts", is_ready_now + short_run, 1},
             {"up again for longer than the timeout",
              is_ready_now + restarted("2026-01-01T00:01:10Z", "2026-01-01T00:01:20Z", long_up), 0},
             {"one restart after a long run",
              unready("2026-01-01T00:02:50Z") +
                  restarted("2026-01-01T00:00:10Z", "2026-01-01T00:02:50Z", waits),
              0},
         })
        EXPECT_EQ(blocked_of(c.status), c.blocked) << c.title;
}

TEST(CountPods, RemembersThatAPodWasReady) {
    const Time now = find_rfc3339("2026-01-01T00:03:00Z").value();
    const LabelSelector web = parse_selector("app=web").value();
    Pods pods;
    pods.put(pod("p", "Running", "2026-01-01T00:00:00Z", "", is_ready_now));
    pods.put(pod("p", "Running", "2026-01-01T00:00:00Z"));
    EXPECT_EQ(pods.count("shop", web, nullptr, now, 60s).blocked, 0);
    // Another pod of the same name, like that of a StatefulSet.
    pods.put(pod("p", "Running", "2026-01-01T00:01:00Z"));
    EXPECT_EQ(pods.count("shop", web, nullptr, now, 60s).blocked, 1);
}

TEST(CountPods, ReportsPodsWithoutTheLabelsOfTheBalancer) {
    Pods pods;
    pods.put(pod("a", "Running", "2026-01-01T00:00:00Z"));
    pods.put(pod("b", "Running", "2026-01-01T00:00:00Z"));
    const LabelSelector own = parse_selector("team=x").value(), any = parse_selector("app").value();
    const PodCounts counts = pods.count("shop", any, &own, Time(), {});
    EXPECT_EQ(counts.total, 2);
    EXPECT_EQ(counts.foreign, 2);
    EXPECT_EQ(counts.foreign_name, "a");
}

TEST(StepLimitText, IsANumberOrAPercentage) {
    EXPECT_EQ(parse_step_limit("5").value(), StepLimit{.most = 5});
    EXPECT_EQ(parse_step_limit("20%").value(), StepLimit{.percent = 20});
    EXPECT_FALSE(parse_step_limit("").value().is_on());
    for (const char* text : {"0", "-1", "101%", "%", "five", "5 %", "1.5"})
        EXPECT_FALSE(parse_step_limit(text)) << text;
}

}  // namespace
}  // namespace capstan::replicas
