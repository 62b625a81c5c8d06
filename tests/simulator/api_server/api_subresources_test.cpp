#include <tuple>

#include "api_server_fixture.hpp"

namespace capstan::simulator::api_server {
namespace {

using ::testing::HasSubstr;

struct ApiEvictions : ApiServerTest {
    const ResourceKind& budgets = store.kind("poddisruptionbudgets.policy");

    void make_budget(const std::string& name, const std::string& spec, const std::string& status) {
        json::object budget = parsed(R"({"metadata":{"name":")" + name + R"("},"spec":)" + spec +
                                     R"(,"status":)" + status + "}");
        ASSERT_TRUE(
            store.create(budgets, "default", std::move(budget), {.part = ObjectPart::everything}));
    }
    void allow(int count) {
        make_budget("b", R"({"selector":{"matchLabels":{"app":"web"}}})",
                    R"({"observedGeneration":1,"desiredHealthy":1,"currentHealthy":2,
                        "disruptionsAllowed":)" +
                        std::to_string(count) + "}");
    }
    Response evict_pod(const std::string& name, const std::string& options = "{}") {
        return send("POST", "/api/v1/namespaces/default/pods/" + name + "/eviction",
                    R"({"apiVersion":"policy/v1","kind":"Eviction","metadata":{"name":")" + name +
                        R"("},"deleteOptions":)" + options + "}");
    }
    bool is_leaving(const std::string& name) {
        const ApiObject pod = store.find(store.kind("pods"), "default", name);
        return pod == nullptr || find_value(*pod, "metadata.deletionTimestamp") != nullptr;
    }
    const std::string web = R"({"app":"web"})";
};

TEST_F(ApiEvictions, SucceedWithoutABudget) {
    run_pod("p");
    EXPECT_EQ(evict_pod("p").status, 201);
    EXPECT_TRUE(is_leaving("p"));
    EXPECT_EQ(evict_pod("nobody").status, 404);
}

TEST_F(ApiEvictions, AreRejectedOnceTheBudgetIsUsedUp) {
    allow(1);
    run_pod("p", web);
    run_pod("q", web);
    EXPECT_EQ(evict_pod("p").status, 201);
    const ApiObject budget = store.find(budgets, "default", "b");
    EXPECT_EQ(integer_at(*budget, "status.disruptionsAllowed"), 0);
    EXPECT_EQ(text_at(*budget, "status.disruptedPods.p"), "2026-11-21T10:00:00Z");
    const Response refused = evict_pod("q");
    EXPECT_EQ(refused.status, 429);
    EXPECT_EQ(refused.reply.header("retry-after"), "");
    EXPECT_EQ(text_at(find_array(refused.body, "details.causes")->front().as_object(), "reason"),
              "DisruptionBudget");
    EXPECT_FALSE(is_leaving("q"));
}

TEST_F(ApiEvictions, AreRejectedWhileTheBudgetHasNoStatus) {
    make_budget("b", R"({"selector":{}})", "{}");
    run_pod("p");
    const Response refused = evict_pod("p");
    EXPECT_EQ(refused.status, 429);
    EXPECT_EQ(refused.reply.header("retry-after"), "10");
}

TEST_F(ApiEvictions, FailForAPodWithTwoBudgets) {
    allow(1);
    make_budget("c", R"({"selector":{}})", R"({"observedGeneration":1,"disruptionsAllowed":1})");
    run_pod("p", web);
    EXPECT_EQ(evict_pod("p").status, 500);
}

TEST_F(ApiEvictions, IgnoreBudgetsForPodsThatAreNotRunning) {
    allow(0);
    for (const char* phase : {"Pending", "Succeeded", "Failed"}) {
        run_pod("p", web);
        const auto set = [&](json::object& pod) { set_value(pod, "status.phase", phase); };
        ASSERT_TRUE(
            store.edit(store.kind("pods"), "default", "p", set, {.part = ObjectPart::status}));
        EXPECT_EQ(evict_pod("p").status, 201) << phase;
        std::ignore = store.remove(store.kind("pods"), "default", "p", {.grace_s = 0});
    }
}

TEST_F(ApiEvictions, FollowTheUnhealthyPodEvictionPolicy) {
    struct Case {
        const char* policy;
        int healthy;
        int status;
    };
    for (const Case& c : {Case{"IfHealthyBudget", 2, 201}, Case{"IfHealthyBudget", 1, 429},
                          Case{"AlwaysAllow", 0, 201}}) {
        make_budget(
            "b",
            R"({"selector":{},"unhealthyPodEvictionPolicy":")" + std::string(c.policy) + R"("})",
            R"({"observedGeneration":1,"desiredHealthy":2,"disruptionsAllowed":0,
                        "currentHealthy":)" +
                std::to_string(c.healthy) + "}");
        run_pod("p");
        const auto unready = [](json::object& pod) {
            set_value(pod, "status.conditions", json::array());
        };
        ASSERT_TRUE(
            store.edit(store.kind("pods"), "default", "p", unready, {.part = ObjectPart::status}));
        EXPECT_EQ(evict_pod("p").status, c.status) << c.policy << " " << c.healthy;
        std::ignore = store.remove(store.kind("pods"), "default", "p", {.grace_s = 0});
        std::ignore = store.remove(budgets, "default", "b");
    }
}

TEST_F(ApiEvictions, CheckTheUidAndChangeNothingInADryRun) {
    allow(1);
    run_pod("p", web);
    EXPECT_EQ(evict_pod("p", R"({"preconditions":{"uid":"other"}})").status, 409);
    EXPECT_EQ(evict_pod("p", R"({"dryRun":["All"]})").status, 201);
    EXPECT_FALSE(is_leaving("p"));
    EXPECT_EQ(integer_at(*store.find(budgets, "default", "b"), "status.disruptionsAllowed"), 1);
}

TEST_F(ApiEvictions, UseTheRequestedGracePeriod) {
    run_pod("p");
    EXPECT_EQ(evict_pod("p", R"({"gracePeriodSeconds":7})").status, 201);
    EXPECT_EQ(integer_at(*store.find(store.kind("pods"), "default", "p"),
                         "metadata.deletionGracePeriodSeconds"),
              7);
}

TEST_F(ApiServerTest, BindsAPodOnce) {
    const std::string pods = "/api/v1/namespaces/default/pods";
    send("POST", pods, R"({"metadata":{"name":"p"},"spec":{"containers":[{"name":"c"}]}})");
    const std::string binding = R"({"metadata":{"name":"p"},"target":{"kind":"Node","name":"n"}})";
    EXPECT_EQ(send("POST", pods + "/p/binding", binding).status, 201);
    const Response pod = get(pods + "/p");
    EXPECT_EQ(text_at(pod.body, "spec.nodeName"), "n");
    EXPECT_EQ(text_at(find_array(pod.body, "status.conditions")->front().as_object(), "type"),
              "PodScheduled");
    EXPECT_EQ(send("POST", pods + "/p/binding", binding).status, 409);
}

TEST_F(ApiServerTest, SetsPodDefaultsThatSchedulersAndKubeletsRelyOn) {
    const Response pod =
        send("POST", "/api/v1/namespaces/default/pods", R"({"metadata":{"name":"p"},
        "spec":{"containers":[{"name":"c","resources":{"limits":{"cpu":"1","memory":"1Gi"}}}]},
        "status":{"phase":"Running"}})");
    EXPECT_EQ(text_at(pod.body, "status.phase"), "Pending");
    EXPECT_EQ(text_at(pod.body, "status.qosClass"), "Guaranteed");
    EXPECT_EQ(text_at(pod.body, "spec.schedulerName"), "default-scheduler");
    EXPECT_EQ(find_array(pod.body, "spec.tolerations")->size(), 2u);
    EXPECT_EQ(integer_at(pod.body, "spec.terminationGracePeriodSeconds"), 30);
}

}  // namespace
}  // namespace capstan::simulator::api_server
